"""What the fold knows of a table: its state, rules, hands and names, as every check reads them."""
