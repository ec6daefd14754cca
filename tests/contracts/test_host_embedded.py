"""The host over files bears what every host must bear, with the small fold and the real one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import orjson

from schemas.records import Record, decode_record
from streams.embedding.ledgers import LOG_DIRECTORY, SNAPSHOT_DIRECTORY
from streams.host.ledger_fold import ProgressiveFold
from streams.host.snapshots import decode_snapshot
from tests.contracts.host_contract import HostContract, Kill, Rig
from tests.support.source_tree import ROOT
from tests.support.stream.file_outbox import incarnations
from tests.support.stream.memory_ports import Emitted
from tests.support.tables.floors import (
    Message,
    progressive_floor,
    standing_apart_from_delivery,
    table_floor,
    tally_floor,
    write_floor,
)

_SECONDS_MAX = 60


class EmbeddedRig:
    """A store directory and the processes that own it one after the other."""

    def __init__(
        self,
        directory: Path,
        fold: str,
        floor: Sequence[Message],
        progressives: str | None = None,
    ) -> None:
        self.directory = directory
        self._options = {
            "directory": str(directory),
            "floor": str(directory / "floor"),
            "fold": fold,
            "progressives": progressives,
            "snapshot_every": 60,
        }
        write_floor(directory / "floor", floor)
        for name in ("log", LOG_DIRECTORY):
            log = directory / "store" / name
            log.mkdir(parents=True)
            (log / "log.json").write_text('{"log_id": "log-of-the-contract"}')

    def run(self, kill: Kill | None = None) -> bool:
        kill = kill or Kill()
        options = {
            **self._options,
            "step": kill.step.value if kill.step else None,
            "occurrence": kill.occurrence,
        }
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.support.children.host_child",
                orjson.dumps(options).decode(),
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with child:
            assert child.stdout is not None
            assert child.stderr is not None
            if kill.after_s is not None:
                child.stdout.readline()  # its imports are no part of the test
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(kill.after_s)
                child.kill()
            output, errors = child.communicate(timeout=_SECONDS_MAX)
        assert child.returncode in (0, -9), errors.decode()
        return b"done" in output

    def incarnations(self) -> list[list[Emitted]]:
        return incarnations(self.directory / "outputs")

    def of_ledgers(self) -> list[Record]:
        """Give what the hosts of the ledgers delivered, all of them together."""
        runs = incarnations(self.directory / "outputs-of-ledgers")
        return [decode_record(one.raw) for run in runs for one in run]

    def ledger_states(self) -> dict[str, bytes]:
        """Give the states of the ledgers in the last snapshot."""
        kept = self.directory / "store" / SNAPSHOT_DIRECTORY
        _, sources = decode_snapshot(max(kept.iterdir()).read_bytes(), ProgressiveFold())
        return {one.source_id: ProgressiveFold().encode_state(one.state) for one in sources}

    def last_snapshot(self) -> bytes:
        return max((self.directory / "store" / "snapshots").iterdir()).read_bytes()


@cache
def _tally_floor() -> tuple[Message, ...]:
    return tuple(tally_floor(900))


@cache
def _progressive_floor() -> tuple[Message, ...]:
    return tuple(progressive_floor())


@cache
def _table_floor() -> tuple[Message, ...]:
    return tuple(table_floor(delay_max=100))


class TestEmbeddedHostWithTally(HostContract):
    """With a fold that can be checked by hand."""

    step_count = 3000

    @classmethod
    def rig(cls, directory: Path) -> Rig:
        return EmbeddedRig(directory, "tally", cls.floor())

    @classmethod
    def floor(cls) -> Sequence[Message]:
        return _tally_floor()


class TestEmbeddedHostWithTables(HostContract):
    """With the fold of tables."""

    step_count = 3000

    @classmethod
    def rig(cls, directory: Path) -> Rig:
        return EmbeddedRig(directory, "table", cls.floor())

    @classmethod
    def floor(cls) -> Sequence[Message]:
        return _table_floor()


class TestEmbeddedHostsWithProgressives(HostContract):
    """With the fold of tables, and that of progressives behind it: L1 for those, L2 for these."""

    step_count = 8000

    @classmethod
    def rig(cls, directory: Path) -> Rig:
        return EmbeddedRig(directory, "table", cls.floor(), "ledger")

    @classmethod
    def floor(cls) -> Sequence[Message]:
        return _progressive_floor()

    def check_same(self, rig: Rig, undisturbed: Rig) -> None:
        super().check_same(rig, undisturbed)
        assert isinstance(rig, EmbeddedRig)
        assert isinstance(undisturbed, EmbeddedRig)
        expected = standing_apart_from_delivery(undisturbed.of_ledgers())
        kinds = {key[1] for key in expected}
        assert "ledger" in kinds
        assert standing_apart_from_delivery(rig.of_ledgers()) == expected
