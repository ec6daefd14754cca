-- The highest block number of one table; inserts count upwards.
SELECT toInt64(max(max_block_number)) AS last_block
FROM system.parts
WHERE active AND database = currentDatabase() AND table = {table:String}
