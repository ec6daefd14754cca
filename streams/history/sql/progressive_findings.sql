-- Records about a progressive that stand and list findings, in order of time.
SELECT table_id, kind, subject, occurred_at_us, record_bytes
FROM current_other_subjects
WHERE table_id = {progressive_id:String} AND finding_count > 0
    AND kind IN ('ledger', 'reading', 'hit', 'progressive_day', 'progressive')
    AND occurred_at_us < {until_us:Int64}
ORDER BY occurred_at_us, kind, subject
