"""The stream on Kafka: connections, and the ports of a host on topics."""
