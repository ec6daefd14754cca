SELECT throwIf(number >= {count:UInt64}, 'far enough') FROM numbers(1000000)
