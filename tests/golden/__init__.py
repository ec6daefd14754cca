"""Output compared with files that were reviewed by people."""
