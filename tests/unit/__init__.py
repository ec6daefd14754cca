"""One module at a time, on its own."""
