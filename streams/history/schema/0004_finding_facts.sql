-- 0004: what findings have since ladderman.finding/2.
--
-- The sentence was the only place of what a finding rests on. Now its facts stand as JSON text of a
-- fixed order beside it, with the time of the act, the stake and the references. Rows of earlier
-- records have NULL in all of these: unknown, and nothing is read out of their sentences.
--
-- gaming_date and occurred_at_us stay what they were: those of the record that lists the finding,
-- by which partitions and ranges go. A record's time moves with each version, that of the act
-- never does.

ALTER TABLE findings
    ADD COLUMN IF NOT EXISTS act_occurred_at_us Nullable(Int64) COMMENT 'When the act happened that is wrong',
    ADD COLUMN IF NOT EXISTS act_gaming_date Nullable(Date32),
    ADD COLUMN IF NOT EXISTS coup_began_at_us Nullable(Int64),
    ADD COLUMN IF NOT EXISTS coup_no Nullable(UInt32) COMMENT 'Number of the coup in its shoe, from 1',
    ADD COLUMN IF NOT EXISTS stake_minor Nullable(Int64),
    ADD COLUMN IF NOT EXISTS patron LowCardinality(Nullable(String)),
    ADD COLUMN IF NOT EXISTS wager_id Nullable(String),
    ADD COLUMN IF NOT EXISTS settlement_id Nullable(String),
    ADD COLUMN IF NOT EXISTS dealer LowCardinality(Nullable(String)),
    ADD COLUMN IF NOT EXISTS title Nullable(String),
    ADD COLUMN IF NOT EXISTS facts Nullable(String) CODEC(ZSTD(1)) COMMENT 'JSON, tagged by kind';
