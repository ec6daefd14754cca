-- How many subjects stand, and the gaming dates and moments that they span. The canary is no table.
WITH
    shown_coups AS
    (
        SELECT table_id, gaming_date, is_simulated
        FROM coups
        WHERE NOT (is_simulated AND table_id = 'ladderman-canary')
    )
SELECT
    (SELECT countIf(NOT (is_simulated AND table_id = 'ladderman-canary')) FROM current_coups)
        AS coup_count,
    (SELECT countIf(NOT (is_simulated AND table_id = 'ladderman-canary')) FROM current_wagers)
        AS wager_count,
    (SELECT countIf(NOT (is_simulated AND table_id = 'ladderman-canary')) FROM current_findings)
        AS finding_count,
    (SELECT countIf(NOT (is_simulated AND table_id = 'ladderman-canary')) FROM current_other_subjects)
        AS other_subject_count,
    (SELECT uniqExact(table_id) FROM shown_coups) AS table_count,
    (SELECT min(gaming_date) FROM shown_coups) AS first_gaming_date,
    (SELECT max(gaming_date) FROM shown_coups) AS last_gaming_date,
    (SELECT if(count() = 0, NULL, min(occurred_at_us)) FROM events) AS first_occurred_at_us,
    (SELECT if(count() = 0, NULL, max(occurred_at_us)) FROM events) AS last_occurred_at_us,
    (SELECT countIf(is_simulated) > 0 FROM shown_coups) AS has_simulated
