-- Coups of a range as far as incidents look at them: place, stake, and whether they are verified.
SELECT
    table_id, coup_id, shoe_id, coup_no, feed_id, gaming_date, first_sequence, last_sequence,
    began_at_us, stake_minor, is_unverified, currency, is_simulated
FROM current_coups
WHERE (table_id, coup_id) IN
(
    SELECT k.table_id, k.coup_id
    FROM coups AS k
    WHERE ({table_id:String} = '' OR k.table_id = {table_id:String})
        AND ({with_canary:Bool} OR NOT (k.is_simulated AND k.table_id = 'ladderman-canary'))
        AND ifNull(k.gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32}, true)
        AND k.began_at_us >= {from_us:Int64} AND k.began_at_us < {until_us:Int64}
)
ORDER BY table_id, began_at_us, coup_no
