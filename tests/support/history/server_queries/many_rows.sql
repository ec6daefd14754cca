-- An answer of as many blocks as one likes.
SELECT number, toString(number) AS words FROM numbers({rows:UInt64})
