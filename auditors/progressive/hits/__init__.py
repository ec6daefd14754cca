"""Hits of a progressive: who won, what each share is, and what the meter shows after it."""
