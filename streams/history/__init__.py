"""The history: where records, events and dead letters are kept and asked for."""
