-- Every row of one partition of one table, as it is: the backup.
SELECT *
FROM {table:Identifier}
WHERE _partition_id = {partition_id:String}
