-- Raw events of some types of a source between two moments, in the order of its feeds.
SELECT source_id, feed_id, sequence, content_hash, type, occurred_at_us, raw_bytes
FROM distinct_events
WHERE source_id = {source_id:String}
    AND type IN {types:Array(String)}
    AND occurred_at_us BETWEEN {from_us:Int64} AND {until_us:Int64}
ORDER BY occurred_at_us, feed_id, sequence
LIMIT {limit:UInt64}
