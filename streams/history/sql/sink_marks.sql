-- Below which offset of each partition sinks have written everything into this history.
SELECT log_id, topic, partition, max(next_offset) AS next_offset
FROM sink_marks
GROUP BY log_id, topic, partition
ORDER BY log_id, topic, partition
