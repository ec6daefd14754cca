-- Which events of a feed are kept, and with which bytes: what an ingest may leave out.
SELECT sequence, content_hash, log_partition, log_offset
FROM distinct_events
WHERE source_id = {source_id:String}
    AND feed_id = {feed_id:String}
    AND sequence BETWEEN {first_sequence:UInt64} AND {last_sequence:UInt64}
ORDER BY sequence, content_hash
