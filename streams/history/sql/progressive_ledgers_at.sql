-- Each ledger as it was at a moment of play: of its versions up to then the highest. Views have no
-- versions but the last known by a time, and what was known when is another question.
SELECT table_id, subject, argMax(record_bytes, version) AS record_bytes
FROM other_subjects
WHERE kind = 'ledger'
    AND ({progressive_id:String} = '' OR table_id = {progressive_id:String})
    AND occurred_at_us <= {at_us:Int64}
GROUP BY table_id, subject
ORDER BY table_id, subject
