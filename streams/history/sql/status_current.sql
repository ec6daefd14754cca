-- How many subjects stand, and the gaming dates and moments that they span.
SELECT
    (SELECT count() FROM current_coups) AS coup_count,
    (SELECT count() FROM current_wagers) AS wager_count,
    (SELECT count() FROM current_findings) AS finding_count,
    (SELECT count() FROM current_other_subjects) AS other_subject_count,
    (SELECT uniqExact(table_id) FROM coups) AS table_count,
    (SELECT min(gaming_date) FROM coups) AS first_gaming_date,
    (SELECT max(gaming_date) FROM coups) AS last_gaming_date,
    (SELECT if(count() = 0, NULL, min(occurred_at_us)) FROM events) AS first_occurred_at_us,
    (SELECT if(count() = 0, NULL, max(occurred_at_us)) FROM events) AS last_occurred_at_us,
    (SELECT countIf(is_simulated) > 0 FROM coups) AS has_simulated
