"""A progressive in a test: tables and a controller speak in turn, the fold listens."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from fractions import Fraction

from auditors import progressive
from auditors.table import Delivered
from schemas import events as said
from schemas.findings import Finding
from schemas.progressive_inputs import (
    AcceptedWager,
    CardsHit,
    ControllerSaid,
    ControllerWatermark,
    CoupOnProgressive,
    FiledMeter,
    ProgressiveInput,
    TableWatermark,
    encode_progressive_input,
)
from schemas.progressive_rows import DayRow, HitRow, LedgerRow, ReadingRow
from schemas.records import Record, RecordKind
from schemas.wire import encode_event

START = datetime.datetime(2025, 6, 7, 22, 0, tzinfo=datetime.UTC)
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
START_US = (START - EPOCH) // datetime.timedelta(microseconds=1)
SECOND = 1_000_000
ID = "HP-1"
CONTROLLER = "PRG-1"


def a_meter(**changes: object) -> FiledMeter:
    """File a meter of paytable A at Minibaccarat, as far as nothing else is said."""
    fields: dict[str, object] = {
        "rules_version": "RS-7",
        "wager": "harmony_mini.harmony_progressive",
        "level": 1,
        "paytable": "A",
        "increment_rate": "15%",
        "reserve_rate": "3%",
        "rate_citation": "58 Pa. Code § 627b.6(j)",
        "unit_minor": 500,
        "base_minor": 1_000_000,
        "reset_minor": 1_000_000,
        "limit_minor": None,
        "void_policy": "reversed",
        "is_chips_counted": False,
        "is_linked": True,
        "time_zone": "America/New_York",
        "gaming_day_start": "06:00",
        "readings": {"D3": "equal_share", "D6": "fixed_seed", "D8": "truncate_cent"},
    }
    return FiledMeter(**(fields | changes))


def exact(minor: Fraction) -> str:
    """Write minor units of dollars with every digit."""
    scaled = minor * 10**10
    assert scaled.denominator == 1
    whole, rest = divmod(abs(scaled.numerator), 10**12)
    sign = "-" if scaled < 0 else ""
    return sign + f"{whole}.{rest:012d}".rstrip("0").ljust(len(str(whole)) + 3, "0")


@dataclass
class Coup:
    """One coup of a table, told again with each change."""

    table_id: str
    coup_id: str
    coup_no: int
    entries: list[AcceptedWager] = field(default_factory=list)
    locked_at_us: int | None = None
    hit: CardsHit | None = None
    state: str = "open"
    is_unverified: bool = False


class ProgressiveScript:
    """Says what honest tables and an honest controller say, unless a test says otherwise."""

    def __init__(self, **tables: FiledMeter) -> None:
        """Link tables, named by their keywords, one called T1 where none is given."""
        self.tables = dict(tables or {"T1": a_meter()})
        self.inputs: list[ProgressiveInput] = []
        self.at_us = START_US
        self.display = Fraction(next(iter(self.tables.values())).base_minor)
        self.reserve = Fraction(0)
        self.in_count = self.coin_in = self.hits = self.wins = 0
        self.voided = [0, 0]
        self.by_table = {name: [0, 0] for name in self.tables}
        self.coups: dict[str, Coup] = {}
        self._sequence = dict.fromkeys((*self.tables, CONTROLLER), 0)
        self._versions = self._coup_no = 0

    def wait(self, seconds: float) -> ProgressiveScript:
        """Let time pass."""
        self.at_us += int(seconds * SECOND)
        return self

    def next_sequence(self, source: str) -> int:
        """Number the next event of a source."""
        self._sequence[source] += 1
        return self._sequence[source]

    def tell(self, coup: Coup) -> None:
        """Tell a coup as it stands now."""
        self._versions += 1
        self.inputs.append(
            CoupOnProgressive(
                progressive_id=ID,
                table_id=coup.table_id,
                feed_id="t",
                coup_id=coup.coup_id,
                shoe_id="S1",
                coup_no=coup.coup_no,
                version=self._versions,
                sequence=self.next_sequence(coup.table_id),
                occurred_at_us=self.at_us,
                gaming_date="2025-06-07",
                currency="USD",
                state=coup.state,  # type: ignore[arg-type]
                is_unverified=coup.is_unverified,
                is_simulated=False,
                locked_at_us=coup.locked_at_us,
                filed=self.tables[coup.table_id],
                entries=tuple(coup.entries),
                hit=coup.hit,
                watermark_us=self.at_us,
            )
        )

    def coup(
        self,
        table: str = "T1",
        stakes: tuple[int, ...] = (500,),
        *,
        counted: bool = True,
        tell: bool = True,
        late: bool = False,
    ) -> Coup:
        """Begin a coup with wagers, count them at the controller, and lock the table."""
        self._coup_no += 1
        coup = Coup(table, f"C{self._coup_no}", self._coup_no)
        self.coups[coup.coup_id] = coup
        for number, stake in enumerate(stakes, 1):
            self.wait(0.5)
            coup.entries.append(
                AcceptedWager(
                    wager_id=f"{coup.coup_id}w{number}",
                    wager_no=number,
                    seat=str(number),
                    patron=None,
                    stake_minor=stake,
                    accepted_at_us=self.at_us,
                    sequence=self.next_sequence(table),
                    is_late=late,
                    outcome_code=None,
                    is_meter_won=False,
                    paid_minor=None,
                )
            )
            if counted:
                self.count(coup.entries[-1], coup)
        self.wait(0.5)
        coup.locked_at_us, coup.state = self.at_us, "locked"
        if tell:
            self.tell(coup)
        self.say(
            said.ProgressiveLockedOut,
            table_id=table,
            coup_id=coup.coup_id,
            display=exact(self.display),
            accepted_count=len(stakes),
        )
        return coup

    def close(self, coup: Coup) -> ProgressiveScript:
        """End a coup."""
        self.wait(20)
        coup.state = "closed"
        if not coup.is_unverified:
            coup.entries = [
                one.model_copy(update={"outcome_code": one.outcome_code or "loses"})
                for one in coup.entries
            ]
        self.tell(coup)
        return self

    def count(self, wager: AcceptedWager, coup: Coup) -> None:
        """Count a wager at the controller."""
        stake, filed = wager.stake_minor or 0, self.tables[coup.table_id]
        self.add(stake, filed)
        self.in_count += 1
        self.coin_in += stake
        self.by_table[coup.table_id][0] += 1
        self.by_table[coup.table_id][1] += stake
        self.say(
            said.ProgressiveWagerAccepted,
            table_id=coup.table_id,
            wager_id=wager.wager_id,
            stake_minor=stake,
            in_count=self.in_count,
            coup_id=coup.coup_id,
        )

    def add(self, stake: int, filed: FiledMeter) -> None:
        """Add a contribution to the meters of the controller."""
        self.display += stake * Fraction(filed.increment_rate[:-1]) / 100
        self.reserve += stake * Fraction(filed.reserve_rate[:-1]) / 100

    def say(self, kind: type, **fields: object) -> None:
        """Let the controller say something."""
        sequence = self.next_sequence(CONTROLLER)
        occurred_at = EPOCH + datetime.timedelta(microseconds=self.at_us)
        event = kind(
            source_id=CONTROLLER,
            feed_id="c",
            sequence=sequence,
            previous_hash="0" * 64,
            occurred_at=occurred_at,
            **({"progressive_id": ID} | fields),
        )
        self.inputs.append(
            ControllerSaid(
                progressive_id=ID,
                source_id=CONTROLLER,
                feed_id="c",
                sequence=sequence,
                version=sequence,
                occurred_at_us=self.at_us,
                is_simulated=False,
                event=encode_event(event).decode(),
            )
        )

    def read(self, **changes: object) -> ProgressiveScript:
        """Read the meters."""
        self.wait(1)
        fields: dict[str, object] = {
            "display": exact(self.display),
            "reserve": exact(self.reserve),
            "in_count": self.in_count,
            "coin_in_minor": self.coin_in,
            "hits_count": self.hits,
            "wins_minor": self.wins,
            "voided_count": self.voided[0],
            "voided_minor": self.voided[1],
            "tables": tuple(
                said.TableMeter(
                    table_id=name,
                    in_count=self.by_table[name][0],
                    coin_in_minor=self.by_table[name][1],
                    increment_rate=one.increment_rate,
                    reserve_rate=one.reserve_rate,
                )
                for name, one in self.tables.items()
            ),
        }
        self.say(said.ProgressiveReading, **(fields | changes))
        return self

    def heard(self, seconds: float = 40) -> ProgressiveScript:
        """Let everybody have said everything for some time to come."""
        self.wait(seconds)
        for name, filed in self.tables.items():
            self._versions += 1
            self.inputs.append(
                TableWatermark(
                    progressive_id=ID,
                    table_id=name,
                    feed_id="t",
                    sequence=self.next_sequence(name),
                    version=self._versions,
                    watermark_us=self.at_us,
                    is_open=True,
                    currency="USD",
                    is_simulated=False,
                    filed=filed,
                )
            )
        if any(isinstance(one, ControllerSaid) for one in self.inputs):
            self.inputs.append(
                ControllerWatermark(
                    progressive_id=ID,
                    source_id=CONTROLLER,
                    feed_id="c",
                    sequence=self.next_sequence(CONTROLLER),
                    version=1,
                    watermark_us=self.at_us,
                    is_simulated=False,
                    lost=(),
                )
            )
        return self


class FoldedLedger:
    """What the fold makes of messages."""

    def __init__(self, inputs: list[ProgressiveInput], *, reload_every: int = 0) -> None:
        """Fold them; the state is written and read in between where that is asked for."""
        self.records: dict[tuple[str, str, str], Record] = {}
        state = progressive.new_state(ID)
        for offset, one in enumerate(inputs):
            raw = encode_progressive_input(one)
            absorbed = progressive.absorb(state, Delivered(offset, raw), _never)
            assert absorbed.dead_letter is None, absorbed.dead_letter
            state = absorbed.state
            if reload_every and offset % reload_every == 0:
                written = progressive.encode_state(state)
                state = progressive.decode_state(written)
                assert progressive.encode_state(state) == written
            for record in absorbed.records:
                assert set(record.withdrawn) == self._gone(record), record
                self.records[record.key] = record
        self.state = state

    def _gone(self, record: Record) -> set[str]:
        """Give the findings that the version before listed and this one does not."""
        before = self.records.get(record.key)
        stood = {one.id for one in before.findings} if before is not None else set()
        return stood - {one.id for one in record.findings}

    @property
    def findings(self) -> list[Finding]:
        """Every finding that stands."""
        return [one for record in self.records.values() for one in record.findings]

    @property
    def codes(self) -> list[str]:
        """Codes of the findings that stand, sorted."""
        return sorted(one.code.value for one in self.findings)

    def rows(self, kind: RecordKind) -> list[LedgerRow | ReadingRow | HitRow | DayRow]:
        """Give the rows of a kind, in order of time."""
        records = [one for one in self.records.values() if one.kind is kind]
        records.sort(key=lambda one: (one.occurred_at_us, one.offset))
        return [one.progressive for one in records if one.progressive is not None]

    def standing(self) -> dict[tuple[str, str, str], tuple[object, ...]]:
        """Give what stands, apart from when it was put out."""
        return {
            key: (one.progressive, one.findings, one.occurred_at_us, one.gaming_date)
            for key, one in self.records.items()
            if one.progressive is not None or one.findings
        }


def _never(_offset: int) -> bytes:
    raise AssertionError("a ledger reads nothing again")
