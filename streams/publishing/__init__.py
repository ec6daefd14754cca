"""How a device brings its events to the log: through a spool, in order, until acknowledged."""
