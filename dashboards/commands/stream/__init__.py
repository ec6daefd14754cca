"""Live stream."""
