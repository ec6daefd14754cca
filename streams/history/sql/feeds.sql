-- Every feed of every source, in the order in which each source began them.
SELECT
    source_id,
    feed_id,
    min(sequence) AS first_sequence,
    max(sequence) AS last_sequence,
    count() AS event_count
FROM distinct_events
GROUP BY source_id, feed_id
ORDER BY source_id, min(known_at_us), min(log_offset), feed_id
