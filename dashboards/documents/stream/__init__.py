"""Documents about the live stream: health, coverage, states, topics, dead letters."""
