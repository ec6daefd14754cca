"""A floor of simulated tables: real events, an honest day, and faults planted on request."""
