SELECT source_id, feed_id, sequence, content_hash, known_at_us, raw_bytes FROM distinct_events ORDER BY source_id, feed_id, sequence, known_at_us
