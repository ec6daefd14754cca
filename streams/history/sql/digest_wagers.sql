-- One SHA-256 for each wager that stands, in the order of its key; see digest_coups.
SELECT row_hash
FROM
(
    SELECT
        table_id,
        coup_id,
        wager_no,
        lower(hex(SHA256(arrayStringConcat(arrayMap(
            x -> ifNull(concat(toString(length(x)), ':', x), '-'),
            [
                toNullable(toString(table_id)), coup_id, toString(wager_no), shoe_id,
                toString(gaming_date), toString(currency), rules_version,
                toString(toUInt8(is_simulated)), toString(coup_no), toString(coup_state),
                toString(began_at_us), wager_id, toString(wager), hand, toString(seat), patron,
                toString(status), paytable, outcome, outcome_code, pays, toString(stake_minor),
                toString(due_minor), toString(paid_minor), toString(vigorish_due_minor),
                toString(vigorish_paid_minor), citation,
                arrayStringConcat(arraySort(arrayMap(
                    (k, v) -> concat(k, '=', v), mapKeys(interpretations), mapValues(interpretations)
                )), ',')
            ]
        ))))) AS row_hash
    FROM current_wagers
    WHERE NOT (is_simulated AND table_id = 'ladderman-canary')
)
ORDER BY table_id, coup_id, wager_no
