"""Who folds one partition? A host: every event once, in order, whatever dies when."""
