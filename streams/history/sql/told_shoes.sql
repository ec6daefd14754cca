-- Shoes: when each was loaded. All of them, so that consecutive ones are known as such.
SELECT table_id, subject, feed_id, loaded_sequence, loaded_at_us
FROM current_other_subjects
WHERE kind = 'shoe' AND ({table_id:String} = '' OR table_id = {table_id:String})
ORDER BY table_id, loaded_at_us, subject
