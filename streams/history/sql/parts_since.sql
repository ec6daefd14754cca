-- Parts that inserts into one table made after a block, and how many bytes they should have on disk.
SELECT name, path, bytes_on_disk, max_block_number
FROM system.parts
WHERE active
    AND database = currentDatabase()
    AND table = {table:String}
    AND level = 0
    AND min_block_number > {block:Int64}
ORDER BY min_block_number
