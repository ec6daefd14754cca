-- 0000: which files were applied, and when.
--
-- Why so: it runs before anything is known about the store, so it is applied again every time.
-- The name is the identity; a later row of the same name is a later content (views only).

CREATE TABLE IF NOT EXISTS schema_migrations
(
    name String,
    content_hash FixedString(64),
    applied_at_us Int64
)
ENGINE = MergeTree
ORDER BY (name, applied_at_us)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1, min_rows_to_fsync_after_merge = 1;
