OPTIMIZE TABLE {table:Identifier} FINAL
