"""The host's ports over Kafka: an own reader, snapshots on a compacted topic, an own producer."""
