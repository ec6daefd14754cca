SELECT coup_id, wager_no, gaming_date FROM current_wagers
WHERE (table_id, coup_id) IN (
    SELECT table_id, coup_id
    FROM coups_of_gaming_dates(first_date = {first_date:Date32}, last_date = {last_date:Date32})
) AND gaming_date BETWEEN {first_date:Date32} AND {last_date:Date32}
ORDER BY table_id, coup_id, wager_no
