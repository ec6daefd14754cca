-- 0003: which history this is, and how far sinks have written each log into it.
--
-- The group of sinks in Kafka remembers how far it has read, but not into what. Two histories of one
-- group would get half of the rows each, and one that was brought back from an earlier day would lack
-- what came since. So each history has an id, which names the group of its sinks, and says itself
-- below which offset it has everything. A copy of the whole directory has the same id.

CREATE TABLE IF NOT EXISTS identity
(
    history_id String COMMENT 'Made when the history was begun or restored; never backed up',
    first_known UInt64
)
ENGINE = ReplacingMergeTree(first_known)
ORDER BY history_id
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;

CREATE TABLE IF NOT EXISTS sink_marks
(
    log_id String COMMENT 'Id of the topic: a topic made anew begins anew',
    topic LowCardinality(String) COMMENT 'Full name of the topic',
    partition UInt32,
    next_offset UInt64 COMMENT 'All that the topic kept below this offset was written here'
)
ENGINE = ReplacingMergeTree(next_offset)
ORDER BY (log_id, topic, partition)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1,
    min_rows_to_fsync_after_merge = 1;
