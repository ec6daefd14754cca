-- Where coups stand: by their id, by their shoe, or in a range of a table; empty text asks for any.
SELECT
    table_id, coup_id, shoe_id, coup_no, feed_id, gaming_date, began_at_us, first_sequence,
    last_sequence, log_offset, cause
FROM current_coups
WHERE (table_id, coup_id) IN
(
    SELECT k.table_id, k.coup_id
    FROM coups AS k
    WHERE ({table_id:String} = '' OR k.table_id = {table_id:String})
        AND ({coup_id:String} = '' OR k.coup_id = {coup_id:String})
        AND ({shoe_id:String} = '' OR k.shoe_id = {shoe_id:String})
        AND ifNull(k.gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32}, true)
        AND k.began_at_us >= {from_us:Int64} AND k.began_at_us < {until_us:Int64}
)
ORDER BY table_id, began_at_us, coup_no
