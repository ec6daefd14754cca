-- Where recordings of a table are: those of some coups, and those of no coup that overlap a stretch
-- of the table's own time.
SELECT record_bytes
FROM current_other_subjects
WHERE kind = 'video' AND table_id = {table_id:String}
    AND if(
        JSONExtract(record_bytes, 'video', 'coup_id', 'Nullable(String)') IS NULL,
        JSONExtractInt(record_bytes, 'video', 'from_us') <= {until_us:Int64}
            AND JSONExtractInt(record_bytes, 'video', 'until_us') >= {from_us:Int64},
        has(
            {coup_ids:Array(String)},
            ifNull(JSONExtract(record_bytes, 'video', 'coup_id', 'Nullable(String)'), '')
        )
    )
ORDER BY log_offset, subject
