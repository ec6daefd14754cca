"""What each event of a table adds to its state."""
