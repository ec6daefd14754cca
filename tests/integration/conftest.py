"""What the tests on real services share."""

from tests.support.kafka import kafka, prefix

__all__ = ["kafka", "prefix"]
