"""Words and patterns that several schemas share: counts, suggestions, days of the calendar."""
