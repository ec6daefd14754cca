"""Documents about the live stream, for people."""
