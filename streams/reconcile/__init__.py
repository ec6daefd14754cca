"""Does the history hold everything that the log gives? Compared below the sink's watermark."""
