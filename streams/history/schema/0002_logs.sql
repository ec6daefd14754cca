-- 0002: which logs a history was made from.
--
-- A version is an offset of one log. Offsets of two logs say nothing about each other: the higher one
-- would hide what was said later, without a word. So a history belongs to one log of events and to
-- one of what ledgers are told, and whoever writes to it makes sure of that first.

CREATE TABLE IF NOT EXISTS logs
(
    topic LowCardinality(String) COMMENT 'events or progressive-inputs',
    log_id String COMMENT 'Id of the topic, or of the log of one machine',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
ORDER BY (topic, log_id)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
