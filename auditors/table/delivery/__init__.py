"""Order of delivery: every event is folded once, in its turn, and late truth is amended."""
