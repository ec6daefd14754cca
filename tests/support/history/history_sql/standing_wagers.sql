SELECT coup_id, version, wager_no, paid_minor, known_at_us FROM current_wagers ORDER BY table_id, coup_id, wager_no
