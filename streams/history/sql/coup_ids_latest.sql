-- Ids of the latest coups, for the one that somebody probably meant.
SELECT coup_id
FROM coups
WHERE NOT (is_simulated AND table_id = 'ladderman-canary')
GROUP BY coup_id
ORDER BY max(began_at_us) DESC
LIMIT {limit:UInt64}
