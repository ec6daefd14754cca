-- Records of a table that stand, the version of which was caused between two offsets.
SELECT record_bytes
FROM current_coups
WHERE table_id = {table_id:String}
    AND log_offset BETWEEN {first_offset:UInt64} AND {last_offset:UInt64}
UNION ALL
SELECT record_bytes
FROM current_other_subjects
WHERE table_id = {table_id:String}
    AND log_offset BETWEEN {first_offset:UInt64} AND {last_offset:UInt64}
