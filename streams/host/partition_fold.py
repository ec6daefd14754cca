"""Folds one message of a partition into the state of its source.

This is the part of a host that waits for nothing: states, counts and the next offset. Where it
needs bytes that are not at hand it says so with :class:`NotAtHandError`, changes nothing, and is
asked again once they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from schemas.events.fields import ID_PATTERN, SOURCE_PATTERN
from schemas.progressive_inputs import ProgressiveInput
from schemas.records import Record
from schemas.wire import EVENT_BYTES_MAX
from streams.host.dead_letters import DeadLetter, Origin, dead_letter_of
from streams.host.errors import FoldFailedError
from streams.host.ports import DeadReason, Fold, Folded, LogEntry
from streams.host.rejects import VALID_COUNTED, RejectWatch, Source

RECENT_COUNT: Final = 1024
"""Last messages that are kept at hand for events that come before their turn."""

SOURCES_MAX: Final = 10_000
"""A partition has at most so many sources; anyone can invent another."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What the keys of a log name."""

    name: str
    """The field of the messages that is their key."""
    pattern: str
    """All of them match it, and are ASCII."""


SOURCE_KEYS: Final = Keys("source_id", SOURCE_PATTERN)
"""Events are keyed by what speaks."""

PROGRESSIVE_KEYS: Final = Keys("progressive_id", ID_PATTERN)
"""What is said about a progressive is keyed by it."""


class NotAtHandError(Exception):
    """The fold wants to read a message again that is not in memory any more."""

    def __init__(self, offset: int) -> None:
        """Name the message."""
        super().__init__(f"message {offset} is not in memory")
        self.offset = offset


class KeyFault(NamedTuple):
    """Why a message is a dead letter for its key alone."""

    reason: str
    message: str


class Outcome(NamedTuple):
    """What one message gave."""

    source: Source | None
    """None where its key names no source, or where nothing was put out."""
    records: Sequence[Record] = ()
    dead_letter: DeadLetter | None = None
    inputs: Sequence[ProgressiveInput] = ()
    amend_from: int | None = None
    """Late truth: nothing was folded, and the shoe must be folded again from here."""


_NOTHING: Final = Outcome(None)
"""What most messages give: another state of their source, and nothing to put out."""


class PartitionFold:
    """The states of all sources of one partition, and the offset that they have reached."""

    def __init__(
        self,
        fold: Fold,
        origin: Origin,
        alert: Callable[[str], None],
        owns: Callable[[bytes], bool] | None = None,
        keys: Keys = SOURCE_KEYS,
    ) -> None:
        """Begin before the first message.

        Args:
            fold: The pure fold.
            origin: The partition.
            alert: Told what people should know, one line.
            owns: Whether a key belongs to this partition; None where every key does.
            keys: What the keys name.
        """
        self._keys, self._pattern = keys, re.compile(keys.pattern)
        self.fold = fold
        self.origin = origin
        self.next_offset = 0
        """Offset of the message to fold next."""
        self.watch = RejectWatch(alert)
        self.sources: dict[bytes, Source] = {}
        """By key."""
        self._owns = owns
        self._recent = [LogEntry(-1, b"", b"")] * RECENT_COUNT
        self._at_hand: dict[int, bytes] = {}

    def absorb(self, entry: LogEntry) -> Outcome:
        """Fold one message; the next offset moves when the caller says so.

        Raises:
            NotAtHandError: A held message must be read again first; nothing has changed.
            FoldFailedError: The fold failed: a fault of this build.
        """
        if len(entry.raw) <= EVENT_BYTES_MAX:
            self._recent[entry.offset % RECENT_COUNT] = entry
        source = self.sources.get(entry.key)
        if source is None:
            return self._absorb_stranger(entry)
        return self._absorb_into(source, entry)

    def _absorb_into(self, source: Source, entry: LogEntry) -> Outcome:
        folded = self._fold(source, entry)
        if folded.dead_letter is not None:
            self.watch.rejected(source, entry.offset)
            return Outcome(source, dead_letter=self._letter(entry, folded.dead_letter))
        if folded.amend_from is not None:
            return Outcome(source, amend_from=folded.amend_from)
        source.state = folded.state
        if folded.is_valid and source.valid >= VALID_COUNTED and not source.streak:
            if not folded.records and not folded.inputs:
                return _NOTHING
        elif not folded.is_valid:
            # Its envelope could be read, so its feed goes on; it is a reject all the same.
            self.watch.rejected(source, entry.offset)
        else:
            if source.valid < VALID_COUNTED:
                source.valid += 1
            if source.streak:
                self.watch.accepted_again(source)
        return Outcome(source, folded.records, inputs=folded.inputs)

    def _absorb_stranger(self, entry: LogEntry) -> Outcome:
        """Fold the message of a key that was not heard of, or that can be none."""
        reason = self._fault_of_key(entry.key)
        if reason is not None:
            return self._unkeyed(entry, reason)
        source = self.watch.stranger(entry.key.decode("ascii"), self.fold.new_state)
        outcome = self._absorb_into(source, entry)
        if outcome.dead_letter is None:
            self.sources[entry.key] = source
        return outcome

    def _fault_of_key(self, key: bytes) -> KeyFault | None:
        name = self._keys.name
        if not key:
            return KeyFault("no_key", f"the message has no key; send the {name} as its key")
        if not self._pattern.fullmatch(key.decode("ascii", "replace")):
            return KeyFault(
                "bad_key", f"the key is no {name}; send the {name} of the event as its key"
            )
        if self._owns is not None and not self._owns(key):
            return KeyFault(
                "wrong_partition",
                f"the key does not belong to partition {self.origin.partition}; "
                "set the producer's partitioner to murmur2",
            )
        if len(self.sources) >= SOURCES_MAX:
            return KeyFault(
                "too_many_sources",
                f"the partition has {SOURCES_MAX} sources already, and this is a further one",
            )
        return None

    def _unkeyed(self, entry: LogEntry, fault: KeyFault) -> Outcome:
        """Reject a message without a usable key; bytes that are no event say more than that."""
        reason: DeadReason = fault
        if fault.reason == "no_key":
            folded = self._fold(Source("unknown", self.fold.new_state("unknown")), entry)
            if folded.dead_letter is not None and not folded.is_valid:
                reason = folded.dead_letter
        return Outcome(None, dead_letter=self._letter(entry, reason))

    def _letter(self, entry: LogEntry, reason: DeadReason) -> DeadLetter:
        return dead_letter_of(
            self.origin, entry.offset, (entry.key, entry.raw), (reason.reason, reason.message)
        )

    def _fold(self, source: Source, entry: LogEntry) -> Folded:
        try:
            return self.fold.absorb(source.state, entry, self.read_again)
        except NotAtHandError:
            raise
        except Exception as error:
            raise self.failed(source, entry.offset, error) from error

    @staticmethod
    def failed(source: Source, offset: int, error: Exception) -> FoldFailedError:
        """Say that the fold failed where no input may make it fail."""
        failed = FoldFailedError(
            f"{source.source_id}, offset {offset}: the fold failed with "
            f"{type(error).__name__}: {error}; nothing behind it was folded, keep the message "
            "and report the fault"
        )
        failed.source_id = source.source_id
        return failed

    def read_again(self, offset: int) -> bytes:
        """Give the bytes of a message that was read before.

        Raises:
            NotAtHandError: They have to be fetched from the log first.
        """
        kept = self._recent[offset % RECENT_COUNT]
        if kept.offset == offset:
            return kept.raw
        try:
            return self._at_hand[offset]
        except KeyError:
            raise NotAtHandError(offset) from None

    def lay_at_hand(self, offset: int, raw: bytes) -> None:
        """Keep the bytes of a message until :meth:`clear_hand`."""
        self._at_hand[offset] = raw

    def clear_hand(self) -> None:
        """Forget what was laid at hand."""
        self._at_hand.clear()

    def restore(self, sources: Iterable[Source], next_offset: int) -> None:
        """Go on from a snapshot."""
        for source in sources:
            self.sources[source.source_id.encode("ascii")] = source
            self.watch.resume(source)
        self.next_offset = next_offset
