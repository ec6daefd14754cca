-- Liabilities of a gaming date that stand.
SELECT table_id, subject, record_bytes
FROM current_other_subjects
WHERE kind = 'progressive_day' AND gaming_date = {gaming_date:Date32}
ORDER BY table_id, subject
