"""A simulated table: what it knows, what it plays and what it tells."""
