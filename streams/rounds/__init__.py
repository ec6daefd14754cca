"""Files of recorded rounds: opened, split into rows, and mapped to what their columns say."""
