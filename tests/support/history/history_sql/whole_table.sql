SELECT * FROM {table:Identifier}
