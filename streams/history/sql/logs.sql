-- Ids of the logs that a history was made from, of one kind of log.
SELECT DISTINCT log_id
FROM logs
WHERE topic = {topic:String}
ORDER BY log_id
