SELECT origin_offset, reason, detail, byte_count, raw_bytes, sequence FROM distinct_dead_letters ORDER BY origin_offset
