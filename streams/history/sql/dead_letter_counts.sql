-- How many dead letters each source has, by reason.
SELECT
    ifNull(source_id, '') AS source_id,
    reason,
    count() AS letter_count,
    max(known_at_us) AS last_known_at_us
FROM distinct_dead_letters
GROUP BY source_id, reason
ORDER BY letter_count DESC, source_id, reason
