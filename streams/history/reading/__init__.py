"""Named questions to the history, one module each."""
