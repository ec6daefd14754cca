"""The queries that the history itself needs: reading back, digests, status, backup."""
