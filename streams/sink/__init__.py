"""The history sink: what stands on the topics gets into the history, and is read once."""

from streams.sink.loop import Sink, SinkCounts, SinkSettings

__all__ = ["Sink", "SinkCounts", "SinkSettings"]
