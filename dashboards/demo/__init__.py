"""The demo: a simulated floor, audited live on one screen."""
