"""A simulated floor that plays live, embedded or through Kafka."""
