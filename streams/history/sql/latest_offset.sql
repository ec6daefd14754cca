-- The highest offset that any version of one subject of a table has, under whatever audit epoch; no
-- row where nothing is known of it.
SELECT max(log_offset) AS log_offset
FROM
(
    SELECT log_offset
    FROM coups
    WHERE {kind:String} = 'coup' AND table_id = {table_id:String} AND coup_id = {subject:String}
    UNION ALL
    SELECT log_offset
    FROM other_subjects
    WHERE kind = {kind:String} AND table_id = {table_id:String} AND subject = {subject:String}
)
HAVING count() > 0
