"""What every host must bear, whatever it stands on: being killed at any moment.

A host over Kafka and one over files are run in processes of their own and ended with SIGKILL. What
they put out all together is what one host puts out that nobody disturbs.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Protocol

import pytest

from streams.host.steps import Step
from tests.support.stream.memory_ports import Emitted
from tests.support.tables.floors import Message

ORDERLY_STEPS = {
    Step.TAKEN: 40,
    Step.FOLDED: 90,
    Step.PUT: 60,
    Step.CUT: 2,
    Step.FLUSHED: 2,
    Step.KEPT: 2,
    Step.CHOSEN: 1,
    Step.RESTORED: 1,
    Step.CAUGHT_UP: 1,
    Step.PROBED: 1,
    Step.STOPPED: 1,
}
"""Every step, in the order in which one run can die after each, and at which occurrence."""


@dataclass(frozen=True)
class Kill:
    """When a process ends: after a step, after so many steps of any kind, or after a while."""

    step: Step | None = None
    occurrence: int = 0
    after_s: float | None = None


class Rig(Protocol):
    """One log with hosts that come and go."""

    def run(self, kill: Kill | None = None) -> bool:
        """Run a host to the end of the floor.

        Returns:
            Whether it came to the end; False where it was killed before.
        """
        ...

    def incarnations(self) -> list[list[Emitted]]:
        """Give what each host delivered, in order."""
        ...

    def last_snapshot(self) -> bytes:
        """Give the highest snapshot."""
        ...


class HostContract(ABC):
    """Tests for a kind of host; a subclass says how it is run."""

    step_count: ClassVar[int]
    """About how many steps an undisturbed run has."""

    @classmethod
    @abstractmethod
    def rig(cls, directory: Path) -> Rig:
        """Make a log, filled by whoever runs first, with the same floor every time."""

    @classmethod
    @abstractmethod
    def floor(cls) -> Sequence[Message]:
        """Give the floor."""

    @pytest.fixture(scope="class")
    @classmethod
    def undisturbed(cls, tmp_path_factory: pytest.TempPathFactory) -> Rig:
        """Run one host that nobody disturbs."""
        rig = cls.rig(tmp_path_factory.mktemp("undisturbed"))
        assert rig.run()
        return rig

    def test_the_undisturbed_run_puts_out_everything_once(self, undisturbed: Rig) -> None:
        (outputs,) = undisturbed.incarnations()
        assert len({(one.key, one.version) for one in outputs}) == len(outputs) > 100
        assert any(one.key[0] == "dead-letter" for one in outputs)

    def test_a_kill_after_each_numbered_step_changes_nothing(
        self, tmp_path: Path, undisturbed: Rig
    ) -> None:
        rig = self.rig(tmp_path)
        for step, occurrence in ORDERLY_STEPS.items():
            assert not rig.run(Kill(step, occurrence)), f"step {step} was never reached"
        assert rig.run()
        self.check_same(rig, undisturbed)

    def test_kills_at_a_few_random_moments_change_nothing(
        self, tmp_path: Path, undisturbed: Rig
    ) -> None:
        self.kill_at_random(tmp_path, undisturbed, count=3, seed=1)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(2, 12))
    def test_kills_at_many_random_moments_change_nothing(
        self, tmp_path: Path, undisturbed: Rig, seed: int
    ) -> None:
        self.kill_at_random(tmp_path, undisturbed, count=6, seed=seed)

    def kill_at_random(self, directory: Path, undisturbed: Rig, *, count: int, seed: int) -> None:
        """Kill some hosts, one after the other, then let one come to the end."""
        chance = random.Random(seed)
        rig = self.rig(directory)
        killed = 0
        for number in range(count):
            if number % 2:
                kill = Kill(after_s=chance.uniform(0.0, 0.3))
            else:
                kill = Kill(occurrence=chance.randrange(1, 2 * self.step_count // count))
            killed += not rig.run(kill)
        assert killed > 0
        assert rig.run()
        self.check_same(rig, undisturbed)

    def check_same(self, rig: Rig, undisturbed: Rig) -> None:
        """Check that a disturbed log put out what an undisturbed one did."""
        check_same(rig, undisturbed)


def check_same(rig: Rig, undisturbed: Rig) -> None:
    """Check L1, and that every host put out again, in order, from an earlier point."""
    (expected,) = undisturbed.incarnations()
    runs = rig.incarnations()
    assert {one for run in runs for one in run} == set(expected)
    reached = 0
    for run in runs:
        if run:
            start = expected.index(run[0])
            assert start <= reached, "something was left out before this host began"
            assert run == expected[start : start + len(run)]
            reached = max(reached, start + len(run))
    assert rig.last_snapshot() == undisturbed.last_snapshot()
