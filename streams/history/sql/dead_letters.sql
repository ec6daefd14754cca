-- Dead letters, latest first; an empty source or reason means any.
SELECT
    origin_topic, origin_partition, origin_offset, content_hash, byte_count, reason, detail,
    source_id, known_at_us
FROM distinct_dead_letters
WHERE ({source_id:String} = '' OR source_id = {source_id:String})
    AND ({reason:String} = '' OR reason = {reason:String})
ORDER BY known_at_us DESC, origin_topic, origin_partition, origin_offset DESC
LIMIT {limit:UInt64}
