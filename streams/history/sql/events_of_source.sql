-- Raw events of a source in the order of the log, exactly as received: replay folds them.
SELECT log_offset, raw_bytes
FROM distinct_events
WHERE source_id = {source_id:String}
    AND log_offset >= {first_offset:UInt64}
    AND log_offset <= {last_offset:UInt64}
ORDER BY log_offset
