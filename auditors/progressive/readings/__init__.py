"""Readings of a meter: what they should show, and what a difference means."""
