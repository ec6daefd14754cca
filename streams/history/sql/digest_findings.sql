-- One SHA-256 for each finding that stands, in the order of its key; see digest_coups.
--
-- Findings about delivery (records of feeds: gaps, conflicts, split feeds …) are left out: another
-- log of the same events may have them or not.
SELECT row_hash
FROM
(
    SELECT
        table_id,
        kind,
        subject,
        finding_id,
        lower(hex(SHA256(arrayStringConcat(arrayMap(
            x -> ifNull(concat(toString(length(x)), ':', x), '-'),
            [
                toNullable(toString(table_id)), toString(kind), subject, toString(finding_id),
                toString(gaming_date), toString(toUInt8(is_simulated)), toString(code),
                toString(severity), toString(status), source, feed, file, toString(line),
                file_column, shoe, coup, seat, wager, hand, toString(due_minor),
                toString(paid_minor), toString(difference_minor), toString(corrected_minor),
                toString(residual_minor), toString(currency), sentence, citation, rules_version,
                arrayStringConcat(arraySort(arrayMap(
                    (k, v) -> concat(k, '=', v), mapKeys(interpretations), mapValues(interpretations)
                )), ','),
                arrayStringConcat(arrayMap(x -> toString(x), evidence), ',')
            ]
        ))))) AS row_hash
    FROM current_findings
    WHERE kind != 'feed' AND NOT (is_simulated AND table_id = 'ladderman-canary')
)
ORDER BY table_id, kind, subject, finding_id
