"""Replays from what is kept: from a checkpoint on, by the fold that judged it."""
