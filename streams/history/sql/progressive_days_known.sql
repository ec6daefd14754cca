-- Gaming dates of which liabilities are kept, the latest first.
SELECT DISTINCT assumeNotNull(gaming_date) AS gaming_date
FROM other_subjects
WHERE kind = 'progressive_day' AND gaming_date IS NOT NULL
ORDER BY gaming_date DESC
LIMIT {limit:UInt64}
