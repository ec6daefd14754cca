"""Unit tests of devices."""
