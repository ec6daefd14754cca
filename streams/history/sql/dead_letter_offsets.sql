-- Which dead letters of a range of a partition are kept.
SELECT DISTINCT origin_offset, content_hash
FROM dead_letters
WHERE origin_topic = {origin_topic:String}
    AND origin_partition = {origin_partition:UInt32}
    AND origin_offset >= {first_offset:UInt64}
    AND origin_offset < {end_offset:UInt64}
