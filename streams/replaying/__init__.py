"""How is something replayed from what is kept? From a checkpoint, by the fold that judged it."""
