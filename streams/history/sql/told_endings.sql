-- Events that begin or end something which goes on: records do not say when it ended.
SELECT raw_bytes
FROM distinct_events
WHERE type IN {types:Array(String)} AND ({table_id:String} = '' OR source_id = {table_id:String})
ORDER BY source_id, log_offset
