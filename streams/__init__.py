"""How it moves: readers, publishers, hosts, history and replay."""
