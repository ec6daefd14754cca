-- Partitions of one table, and the rows on disk in each.
SELECT partition_id, toUInt64(sum(rows)) AS row_count
FROM system.parts
WHERE active AND database = currentDatabase() AND table = {table:String}
GROUP BY partition_id
ORDER BY partition_id
