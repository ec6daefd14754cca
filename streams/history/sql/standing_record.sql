-- The whole record of one subject of a table as it stands; no row where nothing is known of it.
SELECT version, record_bytes
FROM
(
    SELECT version, record_bytes
    FROM coups
    WHERE {kind:String} = 'coup' AND table_id = {table_id:String} AND coup_id = {subject:String}
    UNION ALL
    SELECT version, record_bytes
    FROM other_subjects
    WHERE kind = {kind:String} AND table_id = {table_id:String} AND subject = {subject:String}
)
ORDER BY version DESC
LIMIT 1
