"""Unit tests of audit."""
