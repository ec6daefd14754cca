"""Unit tests of law."""
