"""The ledgers of progressives: a second host behind that of the tables, over what they tell."""
