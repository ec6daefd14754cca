"""Documents from a history: incidents, replays, progressives, status."""
