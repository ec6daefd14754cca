-- Records about progressives that stand, of some kinds and in a range of time, the latest first.
-- Where there is no progressive_id, those of all.
SELECT table_id, kind, subject, occurred_at_us, record_bytes
FROM current_other_subjects
WHERE kind IN {kinds:Array(String)}
    AND ({progressive_id:String} = '' OR table_id = {progressive_id:String})
    AND occurred_at_us >= {from_us:Int64} AND occurred_at_us < {until_us:Int64}
ORDER BY occurred_at_us DESC, table_id, kind, subject
LIMIT {limit:UInt64}
