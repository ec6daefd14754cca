-- Every version of what was said of a progressive, of some kinds and up to a moment of play, the
-- latest first: which of them was known at a moment the rows themselves say.
SELECT table_id, kind, subject, version, occurred_at_us, record_bytes
FROM other_subjects
WHERE kind IN {kinds:Array(String)}
    AND table_id = {progressive_id:String}
    AND occurred_at_us < {until_us:Int64}
ORDER BY occurred_at_us DESC, kind, subject, version DESC
LIMIT {limit:UInt64}
