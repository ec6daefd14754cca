"""Planted faults of progressives: counting, hits, meters and ends."""
