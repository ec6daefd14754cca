"""Unit tests of terminal."""
