-- Columns of one table in their order; the encoder takes the types from here.
SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = {table:String}
ORDER BY position
