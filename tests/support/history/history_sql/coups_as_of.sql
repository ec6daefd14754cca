SELECT coup_id, version FROM as_of_coups(as_of_us = {as_of_us:UInt64}) ORDER BY table_id, coup_id
