"""What the tests on real services share."""

from tests.support.kafka import kafka, prefix
from tests.support.stream_fixtures import expected, reconcile, stream

__all__ = ["expected", "kafka", "prefix", "reconcile", "stream"]
