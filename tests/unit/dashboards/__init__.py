"""Unit tests of the dashboards, one folder a wing."""
