-- Parts that the engine put aside because it could not read them: rows that are missing from answers.
-- Those without a reason were put aside on purpose.
SELECT table, name, reason
FROM system.detached_parts
WHERE database = currentDatabase() AND reason != ''
ORDER BY table, name
