SELECT coup_id, version, wager_no, paid_minor FROM as_of_wagers(as_of_us = {as_of_us:UInt64}) ORDER BY table_id, coup_id, wager_no
