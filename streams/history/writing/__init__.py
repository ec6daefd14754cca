"""How records, events and dead letters become rows of the history."""
