-- Raw events of a feed in their order, exactly as received: replay and re-audit begin here.
SELECT sequence, content_hash, type, occurred_at_us, log_offset, known_at_us, raw_bytes
FROM distinct_events
WHERE source_id = {source_id:String}
    AND feed_id = {feed_id:String}
    AND sequence BETWEEN {first_sequence:UInt64} AND {last_sequence:UInt64}
ORDER BY sequence, known_at_us
