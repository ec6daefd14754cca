-- Every row that is on disk.
SELECT count() AS copies FROM events
