"""The history sink: it writes what stands on the topics into the history, each message once."""

from streams.sink.loop import Sink, SinkCounts, SinkSettings

__all__ = ["Sink", "SinkCounts", "SinkSettings"]
