"""What the tests on real services share."""

from tests.support.stream.stream_fixtures import expected, newer_law, reconcile, stream

__all__ = ["expected", "newer_law", "reconcile", "stream"]
