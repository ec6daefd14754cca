"""The host of one partition: it folds every event once and in order, whatever crashes."""
