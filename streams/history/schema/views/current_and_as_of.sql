-- What stands, and what stood at a moment. Reports read these views and nothing else.
--
-- * Of each subject the highest version known by then counts; a wager or finding counts only with
--   exactly that version, one row per key. So the views are right before merges, after everything
--   was written twice, and between the inserts of wagers, findings and coups (in this order): a
--   version counts from the moment its coup is there, with all that belongs to it.
-- * "Current" is "as of the end of time": each definition stands once.
-- * The table of the parents comes first, and inside the same view: ClickHouse takes the snapshot
--   of each table while it reads the query, in the order of the text, and that of a table inside
--   another view only later. Children first, or a view for the parents, would show a new coup
--   whose wagers are missing.
-- * Parents are read FINAL, which lets filters on their columns reach the parts; children are
--   joined without it and limited to one row per key, which is twice as fast for them.
-- * A filter on table_id, coup_id or subject reaches the primary key. One on gaming_date reaches the
--   parts of parents only; for children narrow the keys first:
--   WHERE (table_id, coup_id) IN (SELECT table_id, coup_id
--   FROM coups_of_gaming_dates(first_date = ..., last_date = ...)) AND gaming_date BETWEEN ...

CREATE OR REPLACE VIEW as_of_coups AS
SELECT
    c.table_id AS table_id,
    c.coup_id AS coup_id,
    c.version AS version,
    c.feed_id AS feed_id,
    c.shoe_id AS shoe_id,
    c.gaming_date AS gaming_date,
    c.currency AS currency,
    c.rules_version AS rules_version,
    c.audit_epoch AS audit_epoch,
    c.log_offset AS log_offset,
    c.cause AS cause,
    c.occurred_at_us AS occurred_at_us,
    c.is_simulated AS is_simulated,
    c.coup_no AS coup_no,
    c.state AS state,
    c.is_determined AS is_determined,
    c.is_unverified AS is_unverified,
    c.player_cards AS player_cards,
    c.banker_cards AS banker_cards,
    c.player_points AS player_points,
    c.banker_points AS banker_points,
    c.winner AS winner,
    c.natural AS natural,
    c.announced_winner AS announced_winner,
    c.dealer AS dealer,
    c.first_sequence AS first_sequence,
    c.last_sequence AS last_sequence,
    c.began_at_us AS began_at_us,
    c.stake_minor AS stake_minor,
    c.due_minor AS due_minor,
    c.paid_minor AS paid_minor,
    c.wager_count AS wager_count,
    c.finding_count AS finding_count,
    c.record_bytes AS record_bytes,
    toInt64(18446744073709551615 - c.first_known) AS known_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        k.coup_id AS coup_id,
        max(k.version) AS version
    FROM coups AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.coup_id
) AS parent
INNER JOIN coups AS c FINAL
    ON c.table_id = parent.table_id
    AND c.coup_id = parent.coup_id
    AND c.version = parent.version;

CREATE OR REPLACE VIEW current_coups AS
SELECT * FROM as_of_coups(as_of_us = 9223372036854775807);

CREATE OR REPLACE VIEW as_of_other_subjects AS
SELECT
    s.table_id AS table_id,
    s.kind AS kind,
    s.subject AS subject,
    s.version AS version,
    s.feed_id AS feed_id,
    s.shoe_id AS shoe_id,
    s.gaming_date AS gaming_date,
    s.currency AS currency,
    s.rules_version AS rules_version,
    s.audit_epoch AS audit_epoch,
    s.log_offset AS log_offset,
    s.cause AS cause,
    s.occurred_at_us AS occurred_at_us,
    s.is_simulated AS is_simulated,
    s.shoe_state AS shoe_state,
    s.decks AS decks,
    s.coup_count AS coup_count,
    s.cards_out AS cards_out,
    s.loaded_sequence AS loaded_sequence,
    s.loaded_at_us AS loaded_at_us,
    s.finding_count AS finding_count,
    s.record_bytes AS record_bytes,
    toInt64(18446744073709551615 - s.first_known) AS known_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        k.kind AS kind,
        k.subject AS subject,
        max(k.version) AS version
    FROM other_subjects AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.kind, k.subject
) AS parent
INNER JOIN other_subjects AS s FINAL
    ON s.table_id = parent.table_id
    AND s.kind = parent.kind
    AND s.subject = parent.subject
    AND s.version = parent.version;

CREATE OR REPLACE VIEW current_other_subjects AS
SELECT * FROM as_of_other_subjects(as_of_us = 9223372036854775807);

CREATE OR REPLACE VIEW as_of_checkpoints AS
SELECT
    s.table_id AS table_id,
    s.subject AS subject,
    s.version AS version,
    s.feed_id AS feed_id,
    s.shoe_id AS shoe_id,
    s.gaming_date AS gaming_date,
    s.audit_epoch AS audit_epoch,
    s.log_offset AS log_offset,
    s.cause AS cause,
    s.occurred_at_us AS occurred_at_us,
    s.is_simulated AS is_simulated,
    s.state_digest AS state_digest,
    s.record_bytes AS record_bytes,
    toInt64(18446744073709551615 - s.first_known) AS known_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        k.subject AS subject,
        max(k.version) AS version
    FROM checkpoints AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.subject
) AS parent
INNER JOIN checkpoints AS s FINAL
    ON s.table_id = parent.table_id
    AND s.subject = parent.subject
    AND s.version = parent.version;

CREATE OR REPLACE VIEW current_checkpoints AS
SELECT * FROM as_of_checkpoints(as_of_us = 9223372036854775807);

CREATE OR REPLACE VIEW as_of_wagers AS
SELECT
    w.table_id AS table_id,
    w.coup_id AS coup_id,
    w.version AS version,
    w.wager_no AS wager_no,
    w.shoe_id AS shoe_id,
    w.gaming_date AS gaming_date,
    w.currency AS currency,
    w.rules_version AS rules_version,
    w.is_simulated AS is_simulated,
    w.coup_no AS coup_no,
    w.coup_state AS coup_state,
    w.began_at_us AS began_at_us,
    w.wager_id AS wager_id,
    w.wager AS wager,
    w.hand AS hand,
    w.seat AS seat,
    w.patron AS patron,
    w.status AS status,
    w.paytable AS paytable,
    w.outcome AS outcome,
    w.outcome_code AS outcome_code,
    w.pays AS pays,
    w.stake_minor AS stake_minor,
    w.due_minor AS due_minor,
    w.paid_minor AS paid_minor,
    w.vigorish_due_minor AS vigorish_due_minor,
    w.vigorish_paid_minor AS vigorish_paid_minor,
    w.citation AS citation,
    w.interpretations AS interpretations,
    toInt64(18446744073709551615 - parent.first_known) AS known_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        k.coup_id AS coup_id,
        max(k.version) AS version,
        argMax(k.first_known, (k.version, k.first_known)) AS first_known
    FROM coups AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.coup_id
) AS parent
INNER JOIN wagers AS w
    ON w.table_id = parent.table_id
    AND w.coup_id = parent.coup_id
    AND w.version = parent.version
LIMIT 1 BY table_id, coup_id, wager_no;

CREATE OR REPLACE VIEW current_wagers AS
SELECT * FROM as_of_wagers(as_of_us = 9223372036854775807);

CREATE OR REPLACE VIEW as_of_findings AS
SELECT
    f.table_id AS table_id,
    f.kind AS kind,
    f.subject AS subject,
    f.version AS version,
    f.finding_id AS finding_id,
    f.gaming_date AS gaming_date,
    f.occurred_at_us AS occurred_at_us,
    f.is_simulated AS is_simulated,
    f.code AS code,
    f.severity AS severity,
    f.status AS status,
    f.source AS source,
    f.feed AS feed,
    f.file AS file,
    f.line AS line,
    f.file_column AS file_column,
    f.shoe AS shoe,
    f.coup AS coup,
    f.seat AS seat,
    f.wager AS wager,
    f.hand AS hand,
    f.due_minor AS due_minor,
    f.paid_minor AS paid_minor,
    f.difference_minor AS difference_minor,
    f.corrected_minor AS corrected_minor,
    f.residual_minor AS residual_minor,
    f.currency AS currency,
    f.sentence AS sentence,
    f.citation AS citation,
    f.rules_version AS rules_version,
    f.interpretations AS interpretations,
    f.evidence AS evidence,
    f.act_occurred_at_us AS act_occurred_at_us,
    f.act_gaming_date AS act_gaming_date,
    f.coup_began_at_us AS coup_began_at_us,
    f.coup_no AS coup_no,
    f.stake_minor AS stake_minor,
    f.patron AS patron,
    f.wager_id AS wager_id,
    f.settlement_id AS settlement_id,
    f.dealer AS dealer,
    f.title AS title,
    f.facts AS facts,
    toInt64(18446744073709551615 - parent.first_known) AS known_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        'coup' AS kind,
        k.coup_id AS subject,
        max(k.version) AS version,
        argMax(k.first_known, (k.version, k.first_known)) AS first_known
    FROM coups AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.coup_id
    UNION ALL
    SELECT
        k.table_id AS table_id,
        k.kind AS kind,
        k.subject AS subject,
        max(k.version) AS version,
        argMax(k.first_known, (k.version, k.first_known)) AS first_known
    FROM other_subjects AS k
    WHERE 18446744073709551615 - k.first_known <= {as_of_us:UInt64}
    GROUP BY k.table_id, k.kind, k.subject
) AS parent
INNER JOIN findings AS f
    ON f.table_id = parent.table_id
    AND f.kind = parent.kind
    AND f.subject = parent.subject
    AND f.version = parent.version
LIMIT 1 BY table_id, kind, subject, finding_id;

CREATE OR REPLACE VIEW current_findings AS
SELECT * FROM as_of_findings(as_of_us = 9223372036854775807);

-- Findings that an earlier version of their record listed and the version that stands does not:
-- the trail. Each in the form in which it was last listed, and since when it is withdrawn.
CREATE OR REPLACE VIEW withdrawn_findings AS
SELECT
    f.table_id AS table_id,
    f.kind AS kind,
    f.subject AS subject,
    f.version AS version,
    f.finding_id AS finding_id,
    f.gaming_date AS gaming_date,
    f.is_simulated AS is_simulated,
    f.code AS code,
    f.severity AS severity,
    f.difference_minor AS difference_minor,
    f.currency AS currency,
    f.sentence AS sentence,
    f.shoe AS shoe,
    f.coup AS coup,
    f.coup_no AS coup_no,
    f.act_occurred_at_us AS act_occurred_at_us,
    f.title AS title,
    f.facts AS facts,
    toInt64(18446744073709551615 - f.first_known) AS known_at_us,
    parent.version AS withdrawn_by_version,
    toInt64(18446744073709551615 - parent.first_known) AS withdrawn_at_us
FROM
(
    SELECT
        k.table_id AS table_id,
        'coup' AS kind,
        k.coup_id AS subject,
        max(k.version) AS version,
        argMax(k.first_known, (k.version, k.first_known)) AS first_known
    FROM coups AS k
    GROUP BY k.table_id, k.coup_id
    UNION ALL
    SELECT
        k.table_id AS table_id,
        k.kind AS kind,
        k.subject AS subject,
        max(k.version) AS version,
        argMax(k.first_known, (k.version, k.first_known)) AS first_known
    FROM other_subjects AS k
    GROUP BY k.table_id, k.kind, k.subject
) AS parent
INNER JOIN
(
    SELECT
        l.table_id AS table_id,
        l.kind AS kind,
        l.subject AS subject,
        l.finding_id AS finding_id,
        max(l.version) AS version
    FROM findings AS l
    GROUP BY l.table_id, l.kind, l.subject, l.finding_id
) AS listed
    ON listed.table_id = parent.table_id
    AND listed.kind = parent.kind
    AND listed.subject = parent.subject
INNER JOIN findings AS f FINAL
    ON f.table_id = listed.table_id
    AND f.kind = listed.kind
    AND f.subject = listed.subject
    AND f.version = listed.version
    AND f.finding_id = listed.finding_id
WHERE listed.version < parent.version;

-- Raw events, each once: the earliest copy of the bytes. Two contents of one sequence are two rows.
CREATE OR REPLACE VIEW distinct_events AS
SELECT
    e.source_id AS source_id,
    e.feed_id AS feed_id,
    e.sequence AS sequence,
    e.content_hash AS content_hash,
    e.type AS type,
    e.occurred_at_us AS occurred_at_us,
    e.log_partition AS log_partition,
    e.log_offset AS log_offset,
    e.raw_bytes AS raw_bytes,
    toInt64(18446744073709551615 - e.first_known) AS known_at_us
FROM events AS e FINAL;

-- Dead letters, each once.
CREATE OR REPLACE VIEW distinct_dead_letters AS
SELECT
    d.origin_topic AS origin_topic,
    d.origin_partition AS origin_partition,
    d.origin_offset AS origin_offset,
    d.content_hash AS content_hash,
    d.byte_count AS byte_count,
    d.reason AS reason,
    d.detail AS detail,
    d.source_id AS source_id,
    d.feed_id AS feed_id,
    d.sequence AS sequence,
    d.raw_bytes AS raw_bytes,
    toInt64(18446744073709551615 - d.first_known) AS known_at_us
FROM dead_letters AS d FINAL;

-- Keys of the coups any version of which belongs to these gaming dates, both included.
CREATE OR REPLACE VIEW coups_of_gaming_dates AS
SELECT DISTINCT
    g.table_id AS table_id,
    g.coup_id AS coup_id
FROM coups AS g
WHERE g.gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32};
