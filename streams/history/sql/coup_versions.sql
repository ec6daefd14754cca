-- Every version of one coup in order, with the time at which each became known: the trail.
SELECT
    c.version AS version,
    c.cause AS cause,
    c.audit_epoch AS audit_epoch,
    c.log_offset AS log_offset,
    c.state AS state,
    toInt64(18446744073709551615 - c.first_known) AS known_at_us,
    c.record_bytes AS record_bytes
FROM coups AS c FINAL
WHERE c.table_id = {table_id:String} AND c.coup_id = {coup_id:String}
ORDER BY version
