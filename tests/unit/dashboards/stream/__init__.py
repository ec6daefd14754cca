"""Unit tests of stream."""
