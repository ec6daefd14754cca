"""Audit and settle."""
