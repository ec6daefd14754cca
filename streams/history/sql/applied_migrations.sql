-- The latest content of each file that was applied.
SELECT name, argMax(content_hash, applied_at_us) AS content_hash
FROM schema_migrations
GROUP BY name
ORDER BY name
