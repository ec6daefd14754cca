"""The ports of a host on Kafka: its log, its snapshots and its outputs, each on a topic."""
