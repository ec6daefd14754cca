-- Each event once, however often it was written.
SELECT sequence FROM distinct_events ORDER BY sequence
