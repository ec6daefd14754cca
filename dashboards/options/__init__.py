"""Options that several commands share: one parser each, one line where one is refused."""
