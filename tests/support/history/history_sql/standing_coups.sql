SELECT coup_id, version, state, stake_minor, wager_count, known_at_us FROM current_coups ORDER BY table_id, coup_id
