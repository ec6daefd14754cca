"""How a process reads a history that another process owns: over loopback, by named queries."""
