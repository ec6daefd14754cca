"""A worker to which something happens: it dies, sleeps, fails or is delivered less than there is.

``python -m tests.support.children.worker_child '{"step": "3b", "occurrence": 2}'``; settings come
from the environment as for ``ladderman worker``.
"""

from __future__ import annotations

import cProfile
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import orjson

from auditors.law import loading
from schemas.topics import TopicName
from streams.host.ledger_fold import ProgressiveFold
from streams.host.steps import Step
from streams.host.table_fold import TableFold
from streams.process.settings import load_settings
from streams.worker.clients import HostOptions
from streams.worker.host_keeper import Delivery, HostKeeper
from streams.worker.running import run_worker
from tests.support.children.host_child import Death


class Failure:
    """Fails at the given step of any kind, as a fold does that is wrong."""

    def __init__(self, occurrence: int) -> None:
        self._left = occurrence

    def __call__(self, _: Step) -> None:
        self._left -= 1
        if self._left <= 0:
            raise ZeroDivisionError("a fold that is wrong")


class Sleep:
    """Stops the process after the given occurrence of a step, until somebody wakes it."""

    def __init__(self, step: str, occurrence: int) -> None:
        self._step, self._left = step, occurrence

    def __call__(self, step: Step) -> None:
        self._left -= step.value == self._step
        if not self._left:
            self._left = -1
            os.kill(os.getpid(), signal.SIGSTOP)


def skip_deliveries(first: int | dict[str, int]) -> None:
    """Have the framework lose what it should deliver from an offset on.

    Args:
        first: The offset in every partition, or in each.
    """
    offer = HostKeeper.offer

    def offer_less(keeper: HostKeeper, partition: int, delivery: Delivery) -> None:
        at = first if isinstance(first, int) else first[str(partition)]
        if delivery.entry.offset < at:
            offer(keeper, partition, delivery)

    HostKeeper.offer = offer_less  # type: ignore[method-assign]


def audit_under(epoch: int) -> None:
    """Be a build of another audit epoch, whose law says the same."""
    loading._epoch = lambda _: epoch  # type: ignore[assignment]


def keep_newer_states() -> None:
    """Be a build whose states have something that builds before know nothing of."""
    for fold in (TableFold, ProgressiveFold):
        before = fold.encode_state

        def encode_state(self: Any, state: object, before: Any = before) -> bytes:
            return before(self, state)[:-1] + b',"of_a_newer_build":1}'

        fold.encode_state = encode_state  # type: ignore[method-assign]
        fold.state_format = fold().state_format + 1  # type: ignore[assignment,method-assign]


def profile_between_signals(path: str) -> None:
    """Note where processor time of the main thread goes from SIGUSR1 to SIGUSR2."""
    profile = cProfile.Profile(time.thread_time)

    def end(*_: object) -> None:
        profile.disable()
        profile.dump_stats(path)

    signal.signal(signal.SIGUSR1, lambda *_: profile.enable())
    signal.signal(signal.SIGUSR2, end)


def after_step(options: dict[str, Any]) -> Callable[[TopicName, Step], None] | None:
    """Give what happens after a step: of any host, or of those of one log."""
    happens = what_happens(options)
    if happens is None:
        return None

    def after(log: TopicName, step: Step) -> None:
        if options.get("of", log.value) == log.value:
            happens(step)

    return after


def what_happens(options: dict[str, Any]) -> Callable[[Step], None] | None:
    """Give what happens after a step, whoever's it is."""
    if "fails_at" in options:
        return Failure(options["fails_at"])
    if "occurrence" in options:
        return Death(options.get("step"), options["occurrence"])
    if "sleeps_after" in options:
        return Sleep(options["sleeps_after"], options["at_occurrence"])
    return None


def main(options: dict[str, Any]) -> int:
    """Run a worker."""
    if (first := options.get("skip_from")) is not None:
        skip_deliveries(first)
    if "audit_epoch" in options:
        audit_under(options["audit_epoch"])
    if options.get("keeps_newer_states"):
        keep_newer_states()
    if "profile" in options:
        profile_between_signals(options["profile"])
    return run_worker(
        load_settings(),
        instance_id=options.get("name"),
        monitor_port=0,
        options=HostOptions(pace=options.get("pace", {}), after_step=after_step(options)),
    )


if __name__ == "__main__":
    sys.exit(main(orjson.loads(sys.argv[1])))
