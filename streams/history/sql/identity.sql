-- Id of the history; where two were made at the same moment, the one that all agree on.
SELECT history_id
FROM identity
ORDER BY first_known DESC, history_id
LIMIT 1
