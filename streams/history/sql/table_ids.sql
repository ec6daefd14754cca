-- Every table of which something is known; a progressive is none.
SELECT table_id FROM coups GROUP BY table_id
UNION DISTINCT
SELECT table_id FROM other_subjects
WHERE kind NOT IN ('ledger', 'reading', 'hit', 'progressive_day', 'progressive')
GROUP BY table_id
