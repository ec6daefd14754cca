-- What is kept of the records that messages of a range of the log caused: versions and the hash of
-- their bytes. Not FINAL: two contents of one version are both seen, before a merge drops one.
SELECT DISTINCT kind, table_id, subject, audit_epoch, log_offset, cause, digest, state_format
FROM
(
    SELECT
        'coup' AS kind, table_id, coup_id AS subject, audit_epoch, log_offset, cause,
        lower(hex(SHA256(record_bytes))) AS digest, CAST(NULL AS Nullable(Int64)) AS state_format
    FROM coups
    WHERE table_id IN {tables:Array(String)}
        AND log_offset >= {first_offset:UInt64} AND log_offset < {end_offset:UInt64}
    UNION ALL
    SELECT
        toString(kind) AS kind, table_id, subject, audit_epoch, log_offset, cause,
        lower(hex(SHA256(record_bytes))) AS digest, CAST(NULL AS Nullable(Int64)) AS state_format
    FROM other_subjects
    -- A controller may have the name of its progressive; what ledgers put out is not compared here.
    WHERE table_id IN {tables:Array(String)}
        AND kind NOT IN ('ledger', 'reading', 'hit', 'progressive_day', 'progressive')
        AND log_offset >= {first_offset:UInt64} AND log_offset < {end_offset:UInt64}
    UNION ALL
    SELECT
        'checkpoint' AS kind, table_id, subject, audit_epoch, log_offset, cause,
        lower(hex(SHA256(record_bytes))) AS digest,
        JSONExtract(record_bytes, 'state_format', 'Nullable(Int64)') AS state_format
    FROM checkpoints
    WHERE table_id IN {tables:Array(String)}
        AND log_offset >= {first_offset:UInt64} AND log_offset < {end_offset:UInt64}
)
