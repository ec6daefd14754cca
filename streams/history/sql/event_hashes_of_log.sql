-- Which events of a range of the log are kept, by their hash. A repeat stands at the offset at which
-- the event was first known, so what is not found here is looked for by its sequence.
SELECT log_offset, content_hash
FROM events
WHERE log_partition = {log_partition:UInt32}
    AND log_offset >= {first_offset:UInt64}
    AND log_offset < {end_offset:UInt64}
