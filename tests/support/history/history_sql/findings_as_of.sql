SELECT subject, version, code FROM as_of_findings(as_of_us = {as_of_us:UInt64}) ORDER BY table_id, kind, subject, finding_id
