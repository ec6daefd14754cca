-- Ids of all shoes of which coups are known.
SELECT DISTINCT assumeNotNull(shoe_id) AS shoe_id
FROM coups
WHERE shoe_id IS NOT NULL AND NOT (is_simulated AND table_id = 'ladderman-canary')
ORDER BY shoe_id
