-- Ids of all shoes of which coups are known.
SELECT DISTINCT assumeNotNull(shoe_id) AS shoe_id
FROM coups
WHERE shoe_id IS NOT NULL
ORDER BY shoe_id
