SELECT number FROM numbers({count:UInt64})
