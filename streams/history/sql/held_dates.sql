-- Coups of each gaming date, and when they began. The canary is no table.
SELECT
    gaming_date,
    uniqExact(table_id, coup_id) AS coup_count,
    countIf(is_simulated) > 0 AS has_simulated,
    countIf(NOT is_simulated) > 0 AS has_real,
    min(began_at_us) AS first_began_at_us,
    max(began_at_us) AS last_began_at_us
FROM coups
WHERE NOT (is_simulated AND table_id = 'ladderman-canary')
GROUP BY gaming_date
ORDER BY gaming_date
