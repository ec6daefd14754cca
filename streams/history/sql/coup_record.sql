-- The whole record of one coup as it stood at a moment.
SELECT version, cause, known_at_us, record_bytes
FROM as_of_coups(as_of_us = {as_of_us:UInt64})
WHERE table_id = {table_id:String} AND coup_id = {coup_id:String}
