"""Unit tests of options."""
