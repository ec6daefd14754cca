"""What the tests on real services share."""

from tests.support.stream_fixtures import expected, reconcile, stream

__all__ = ["expected", "reconcile", "stream"]
