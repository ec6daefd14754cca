-- One SHA-256 for each ledger, reading, hit and day of a progressive that stands, in the order of its
-- key; see digest_coups.
--
-- Of the record's bytes only what it says of the progressive is hashed: exact amounts as they are
-- written. Which message moved a ledger, when that occurred, and how many readings waited for a
-- table just then is the delivery's.
SELECT row_hash
FROM
(
    SELECT
        table_id,
        kind,
        subject,
        lower(hex(SHA256(arrayStringConcat(arrayMap(
            x -> ifNull(concat(toString(length(x)), ':', x), '-'),
            [
                toNullable(toString(table_id)), toString(kind), subject, toString(gaming_date),
                toString(currency), toString(toUInt8(is_simulated)),
                replaceRegexpOne(
                    JSONExtractRaw(record_bytes, 'progressive'), ',"pending_count":[0-9]+', ''
                )
            ]
        ))))) AS row_hash
    FROM current_other_subjects
    WHERE kind IN ('ledger', 'reading', 'hit', 'progressive_day')
)
ORDER BY table_id, kind, subject
