"""The pipeline of one machine without Kafka: the same hosts over a log in files."""
