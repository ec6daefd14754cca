-- Of each standing coup: its version, the wagers that it states, and those that stand.
SELECT count() AS wager_count, uniqExact(coup_id) AS coup_count, uniqExact(coup_id, version) AS versions
FROM current_wagers
