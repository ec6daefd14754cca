"""Operating the stream: doctor, inspections, replay of dead letters, rebuilt logs, the canary."""
