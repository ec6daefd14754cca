-- Dead letters at one place of the log, with the bytes that are kept; an empty topic means any.
SELECT
    origin_topic, origin_partition, origin_offset, content_hash, byte_count, reason, detail,
    source_id, raw_bytes, known_at_us
FROM distinct_dead_letters
WHERE ({origin_topic:String} = '' OR origin_topic = {origin_topic:String})
    AND origin_partition = {origin_partition:UInt32}
    AND origin_offset = {origin_offset:UInt64}
ORDER BY origin_topic
