-- The checkpoints of a table that stand, latest first: replay and amend start at one of them.
SELECT subject, version, feed_id, shoe_id, log_offset, occurred_at_us, state_digest, record_bytes
FROM current_checkpoints
WHERE table_id = {table_id:String} AND log_offset <= {log_offset:UInt64}
ORDER BY log_offset DESC, version DESC
LIMIT {limit:UInt64}
