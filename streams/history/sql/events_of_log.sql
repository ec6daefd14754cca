-- Raw events of a range of the log, for a host whose log no longer reaches back that far.
SELECT log_offset, source_id, feed_id, sequence, content_hash, raw_bytes
FROM distinct_events
WHERE log_partition = {log_partition:UInt32}
    AND log_offset >= {first_offset:UInt64}
    AND log_offset < {end_offset:UInt64}
ORDER BY log_offset
