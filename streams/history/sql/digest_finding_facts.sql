-- One SHA-256 for what each finding that stands has beside its columns of the first shape: the time
-- of its act, stake, references, title and facts. A digest of its own, so that digest_findings stays
-- the same for the same data; of the same findings, in the same order.
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
                toString(act_occurred_at_us), toString(act_gaming_date),
                toString(coup_began_at_us), toString(coup_no), toString(stake_minor), patron,
                wager_id, settlement_id, dealer, title, facts
            ]
        ))))) AS row_hash
    FROM current_findings
    WHERE kind != 'feed' AND NOT (is_simulated AND table_id = 'ladderman-canary')
)
ORDER BY table_id, kind, subject, finding_id
