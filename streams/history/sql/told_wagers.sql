-- Wagers of the coups of a range as far as incidents look at them; withdrawn ones never stood.
SELECT
    table_id, coup_id, wager, hand, seat, outcome, outcome_code, stake_minor, paid_minor,
    vigorish_due_minor
FROM current_wagers
WHERE (table_id, coup_id) IN
(
    SELECT k.table_id, k.coup_id
    FROM coups AS k
    WHERE ({table_id:String} = '' OR k.table_id = {table_id:String})
        AND ({with_canary:Bool} OR NOT (k.is_simulated AND k.table_id = 'ladderman-canary'))
        AND ifNull(k.gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32}, true)
        AND k.began_at_us >= {from_us:Int64} AND k.began_at_us < {until_us:Int64}
)
    AND status != 'withdrawn'
ORDER BY table_id, coup_id, wager_no
