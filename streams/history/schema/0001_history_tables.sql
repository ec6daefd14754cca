-- 0001: the tables of the history.
--
-- Why so:
-- * Every row is a function of one message of the log: repeats are identical but for the time at
--   which they became known. ReplacingMergeTree(first_known) therefore removes repeats only, and
--   keeps the earliest: first_known = 2^64 - 1 - known_at_us, so the highest is the earliest.
-- * version stands in every key: versions replace each other when reading (views/), never on disk.
-- * Partitions follow from the content (month of the shoe's gaming date; of occurred_at for raw
--   events), never from the time of writing: a repeat lands beside its original.
-- * Money is whole minor units, times are microseconds since 1970 UTC. Unknown is NULL.
-- * Wagers and findings carry what their record says about the coup, because a record is whole:
--   reports need no join beyond the one that the views make.
-- * Every insert and every merge is on disk before it counts: the log may be shorter than the
--   history, and a part that cannot be read is damage, never the trace of a crash.
-- * Tables with bytes of records have small granules: one coup is looked up far more often than
--   all of them are read.
-- * Retention (7 years by default, never below 5) drops whole partitions; there is no TTL, because
--   a merge must never decide what evidence is.

CREATE TABLE IF NOT EXISTS events
(
    source_id LowCardinality(String),
    feed_id LowCardinality(String),
    sequence UInt64,
    content_hash FixedString(64) COMMENT 'SHA-256 of raw_bytes; two contents of a sequence are both kept',
    type LowCardinality(String) COMMENT 'Wire tag; empty where it was not readable',
    occurred_at_us Int64,
    log_partition UInt32,
    log_offset UInt64,
    raw_bytes String CODEC(ZSTD(1)) COMMENT 'Exactly as received',
    first_known UInt64,
    INDEX by_offset log_offset TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(fromUnixTimestamp64Micro(occurred_at_us, 'UTC'))
ORDER BY (source_id, feed_id, sequence, content_hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, index_granularity = 2048;

CREATE TABLE IF NOT EXISTS coups
(
    table_id LowCardinality(String),
    coup_id String,
    version UInt64 COMMENT 'audit_epoch * 2^48 + log_offset',
    feed_id LowCardinality(String),
    shoe_id Nullable(String),
    gaming_date Nullable(Date32),
    currency LowCardinality(String),
    rules_version LowCardinality(Nullable(String)),
    audit_epoch UInt32,
    log_offset UInt64,
    cause LowCardinality(String),
    occurred_at_us Int64,
    is_simulated Bool,
    coup_no UInt32,
    state LowCardinality(String),
    is_determined Bool,
    is_unverified Bool,
    player_cards LowCardinality(String),
    banker_cards LowCardinality(String),
    player_points Nullable(UInt8),
    banker_points Nullable(UInt8),
    winner LowCardinality(Nullable(String)),
    natural LowCardinality(Nullable(String)),
    announced_winner LowCardinality(Nullable(String)),
    dealer LowCardinality(Nullable(String)),
    first_sequence UInt64,
    last_sequence UInt64,
    began_at_us Int64,
    stake_minor Int64,
    due_minor Int64,
    paid_minor Int64,
    wager_count UInt32,
    finding_count UInt32,
    record_bytes String CODEC(ZSTD(1)) COMMENT 'The whole record, exactly as the fold put it out',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(ifNull(gaming_date, toDate32('1970-01-01')))
ORDER BY (table_id, coup_id, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, index_granularity = 1024;

CREATE TABLE IF NOT EXISTS wagers
(
    table_id LowCardinality(String),
    coup_id String,
    version UInt64,
    wager_no UInt32,
    shoe_id Nullable(String),
    gaming_date Nullable(Date32),
    currency LowCardinality(String),
    rules_version LowCardinality(Nullable(String)),
    is_simulated Bool,
    coup_no UInt32,
    coup_state LowCardinality(String),
    began_at_us Int64,
    wager_id String,
    wager LowCardinality(String),
    hand LowCardinality(Nullable(String)),
    seat LowCardinality(String),
    patron LowCardinality(Nullable(String)),
    status LowCardinality(String),
    paytable LowCardinality(Nullable(String)),
    outcome LowCardinality(Nullable(String)),
    outcome_code LowCardinality(Nullable(String)),
    pays LowCardinality(Nullable(String)),
    stake_minor Nullable(Int64),
    due_minor Nullable(Int64),
    paid_minor Nullable(Int64),
    vigorish_due_minor Nullable(Int64),
    vigorish_paid_minor Nullable(Int64),
    citation LowCardinality(Nullable(String)),
    interpretations Map(LowCardinality(String), LowCardinality(String)),
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(ifNull(gaming_date, toDate32('1970-01-01')))
ORDER BY (table_id, coup_id, version, wager_no)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS findings
(
    table_id LowCardinality(String),
    kind LowCardinality(String) COMMENT 'Kind of the record that lists it: coup, shoe, feed, table',
    subject String COMMENT 'Subject of that record; the coup id for coups',
    version UInt64,
    finding_id FixedString(32),
    gaming_date Nullable(Date32),
    occurred_at_us Int64,
    is_simulated Bool,
    code LowCardinality(String),
    severity LowCardinality(String),
    status LowCardinality(String),
    source LowCardinality(Nullable(String)),
    feed LowCardinality(Nullable(String)),
    file LowCardinality(Nullable(String)),
    line Nullable(UInt32),
    file_column LowCardinality(Nullable(String)),
    shoe Nullable(String),
    coup Nullable(String),
    seat LowCardinality(Nullable(String)),
    wager LowCardinality(Nullable(String)),
    hand LowCardinality(Nullable(String)),
    due_minor Nullable(Int64),
    paid_minor Nullable(Int64),
    difference_minor Nullable(Int64),
    corrected_minor Nullable(Int64),
    residual_minor Nullable(Int64),
    currency LowCardinality(String),
    sentence String CODEC(ZSTD(1)),
    citation LowCardinality(Nullable(String)),
    rules_version LowCardinality(Nullable(String)),
    interpretations Map(LowCardinality(String), LowCardinality(String)),
    evidence Array(UInt64) COMMENT 'Sequences of the events it rests on, ascending',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(ifNull(gaming_date, toDate32('1970-01-01')))
ORDER BY (table_id, kind, subject, version, finding_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS other_subjects
(
    table_id LowCardinality(String),
    kind LowCardinality(String) COMMENT 'shoe, feed or table',
    subject String,
    version UInt64,
    feed_id LowCardinality(String),
    shoe_id Nullable(String),
    gaming_date Nullable(Date32),
    currency LowCardinality(String),
    rules_version LowCardinality(Nullable(String)),
    audit_epoch UInt32,
    log_offset UInt64,
    cause LowCardinality(String),
    occurred_at_us Int64,
    is_simulated Bool,
    shoe_state LowCardinality(Nullable(String)),
    decks Nullable(UInt16),
    coup_count Nullable(UInt32),
    cards_out Nullable(UInt32),
    loaded_sequence Nullable(UInt64),
    loaded_at_us Nullable(Int64),
    finding_count UInt32,
    record_bytes String CODEC(ZSTD(1)),
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(ifNull(gaming_date, toDate32('1970-01-01')))
ORDER BY (table_id, kind, subject, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, index_granularity = 1024;

CREATE TABLE IF NOT EXISTS checkpoints
(
    table_id LowCardinality(String),
    subject String COMMENT 'table_opened/<sequence> or shoe_loaded/<shoe id>',
    version UInt64,
    feed_id LowCardinality(String),
    shoe_id Nullable(String),
    gaming_date Nullable(Date32),
    audit_epoch UInt32,
    log_offset UInt64,
    cause LowCardinality(String),
    occurred_at_us Int64,
    is_simulated Bool,
    state_digest Nullable(FixedString(64)) COMMENT 'SHA-256 of the canonical state',
    record_bytes String CODEC(ZSTD(1)) COMMENT 'The whole record, with the state as text',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
PARTITION BY toYYYYMM(ifNull(gaming_date, toDate32('1970-01-01')))
ORDER BY (table_id, subject, version)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1, index_granularity = 64;

CREATE TABLE IF NOT EXISTS dead_letters
(
    origin_topic LowCardinality(String),
    origin_partition UInt32,
    origin_offset UInt64,
    content_hash FixedString(64) COMMENT 'SHA-256 of all the bytes, not only of those kept',
    byte_count UInt64 COMMENT 'Length of all the bytes',
    reason LowCardinality(String),
    detail String CODEC(ZSTD(1)) COMMENT 'What, where and how to mend it, one line',
    source_id LowCardinality(Nullable(String)) COMMENT 'Where the envelope was readable',
    feed_id LowCardinality(Nullable(String)),
    sequence Nullable(UInt64),
    raw_bytes String CODEC(ZSTD(1)) COMMENT 'The first 64 KiB',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
ORDER BY (origin_topic, origin_partition, origin_offset, content_hash)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
