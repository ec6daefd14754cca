"""What every process of the stream needs: clock, settings, logs, monitoring, durable files."""
