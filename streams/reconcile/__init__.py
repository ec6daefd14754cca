"""The reconciler: compares the history with the log below the sink's watermark, and mends it."""
