SELECT subject, version, state_digest FROM current_checkpoints ORDER BY table_id, subject
