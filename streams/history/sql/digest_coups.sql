-- One SHA-256 for each coup that stands, in the order of its key.
--
-- Hashed is what two logs with the same events of the sources must agree on. Left out: version,
-- offset, cause and epoch, the occurrence that caused this version, times known, and the record's
-- bytes (they hold these). Each value is written as its length, a colon and its text, "-" where it
-- is unknown, so that no two rows can be written alike. The canary is no table: how long it sang is no
-- matter of what the tables did.
SELECT row_hash
FROM
(
    SELECT
        table_id,
        coup_id,
        lower(hex(SHA256(arrayStringConcat(arrayMap(
            x -> ifNull(concat(toString(length(x)), ':', x), '-'),
            [
                toNullable(toString(table_id)), coup_id, toString(feed_id), shoe_id,
                toString(gaming_date), toString(currency), rules_version,
                toString(toUInt8(is_simulated)), toString(coup_no), toString(state),
                toString(toUInt8(is_determined)), toString(toUInt8(is_unverified)),
                toString(player_cards), toString(banker_cards), toString(player_points),
                toString(banker_points), winner, natural, announced_winner, dealer,
                toString(first_sequence), toString(last_sequence), toString(began_at_us),
                toString(stake_minor), toString(due_minor), toString(paid_minor),
                toString(wager_count)
            ]
        ))))) AS row_hash
    FROM current_coups
    WHERE NOT (is_simulated AND table_id = 'ladderman-canary')
)
ORDER BY table_id, coup_id
