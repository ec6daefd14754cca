"""How does the stream stand on Kafka? Connections, and the host's ports on topics."""
