SELECT kind, subject, version, shoe_state, coup_count FROM current_other_subjects ORDER BY table_id, kind, subject
