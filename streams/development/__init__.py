"""What do development and tests run on? A real broker on this machine; no part of the product."""
