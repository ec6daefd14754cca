-- Every table of which something is known.
SELECT table_id FROM coups GROUP BY table_id
UNION DISTINCT
SELECT table_id FROM other_subjects GROUP BY table_id
