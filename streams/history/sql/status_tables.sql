-- Rows on disk (repeats and old versions included), bytes and parts of each table.
SELECT
    t.name AS table,
    toUInt64(ifNull(sum(p.rows), 0)) AS row_count,
    toUInt64(ifNull(sum(p.bytes_on_disk), 0)) AS byte_count,
    countIf(p.rows > 0) AS part_count
FROM system.tables AS t
LEFT JOIN (SELECT * FROM system.parts WHERE active AND database = currentDatabase()) AS p
    ON p.table = t.name
WHERE t.database = currentDatabase() AND t.engine LIKE '%MergeTree'
GROUP BY t.name
ORDER BY t.name
