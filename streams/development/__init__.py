"""A real broker on this machine for development and tests; no part of the product."""
