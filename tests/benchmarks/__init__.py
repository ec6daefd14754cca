"""Benchmarks: ratios measured in one run, so that they mean the same on any machine."""
