-- Standing versions whose wagers or findings are not all there. There are none at any moment: the
-- order of the inserts promises it, and this asks. Parents come first, as in the views.
SELECT
    parent.table_id AS table_id,
    'coup' AS kind,
    parent.coup_id AS subject,
    'wagers' AS what,
    any(parent.stated) AS stated,
    uniqExactIf(w.wager_no, w.wager_no > 0) AS found
FROM
(
    SELECT
        k.table_id AS table_id,
        k.coup_id AS coup_id,
        max(k.version) AS version,
        argMax(k.wager_count, k.version) AS stated
    FROM coups AS k
    GROUP BY k.table_id, k.coup_id
) AS parent
LEFT JOIN wagers AS w
    ON w.table_id = parent.table_id
    AND w.coup_id = parent.coup_id
    AND w.version = parent.version
GROUP BY parent.table_id, parent.coup_id
HAVING stated != found
UNION ALL
SELECT
    parent.table_id AS table_id,
    parent.kind AS kind,
    parent.subject AS subject,
    'findings' AS what,
    any(parent.stated) AS stated,
    uniqExactIf(f.finding_id, f.code != '') AS found
FROM
(
    SELECT
        k.table_id AS table_id,
        'coup' AS kind,
        k.coup_id AS subject,
        max(k.version) AS version,
        argMax(k.finding_count, k.version) AS stated
    FROM coups AS k
    GROUP BY k.table_id, k.coup_id
    UNION ALL
    SELECT
        k.table_id AS table_id,
        k.kind AS kind,
        k.subject AS subject,
        max(k.version) AS version,
        argMax(k.finding_count, k.version) AS stated
    FROM other_subjects AS k
    GROUP BY k.table_id, k.kind, k.subject
) AS parent
LEFT JOIN findings AS f
    ON f.table_id = parent.table_id
    AND f.kind = parent.kind
    AND f.subject = parent.subject
    AND f.version = parent.version
GROUP BY parent.table_id, parent.kind, parent.subject
HAVING stated != found
