"""What every history store must do; run on the embedded engine and on a server.

A store is right at every moment: before merges, after everything was written twice, and while
somebody reads between the inserts.
"""

import datetime
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from schemas.findings import FindingCode, FindingStatus, Severity
from streams.history.reading.digest import Digest, history_digests
from streams.history.reading.status import history_status
from streams.history.store import Columns, HistoryError, HistoryStore, SchemaError
from streams.history.writing.entries import KnownRecord
from streams.history.writing.writer import HistoryWriter, batch_of
from tests.support.history.history_records import (
    NOON_US,
    a_checkpoint,
    a_coup,
    a_dead_letter,
    a_finding,
    a_gap,
    a_shoe,
    a_wager,
    heartbeats,
    known,
)

QUERY_PACKAGES = ("tests.support.history.history_sql",)
EPOCH = 1 << 48
LATER_US = NOON_US + 1_000_000
HOSTILE = [
    "'",
    "\\",
    "\\'",
    "a\tb\nc\rd",
    "\0",
    "{x:String}",
    "%s",
    "\\N",
    "NULL",
    "é 牌 😀",
    "",
    " ",
]
TABLES = (
    "coups",
    "wagers",
    "findings",
    "other_subjects",
    "checkpoints",
    "events",
    "dead_letters",
)


def corrected() -> tuple[KnownRecord, KnownRecord]:
    """Give a coup with an overpaid wager, and its later version in which that was put right."""
    overpaid = a_wager(2, paid_minor=20_000)
    first = a_coup(1, offset=10, wagers=(a_wager(1), overpaid), findings=(a_finding("w2"),))
    right = (a_wager(1), a_wager(2), a_wager(3))
    return known(first), known(a_coup(1, offset=20, wagers=right), LATER_US)


def everything() -> list[KnownRecord]:
    """Give records of every kind, two of them of the same coup."""
    return [
        *corrected(),
        known(a_coup(2, offset=15, findings=(a_finding("w1"), a_finding("w2")))),
        known(a_coup(3, offset=16, gaming_date=None, wagers=(), player_points=None, winner=None)),
        known(a_coup(1, shoe="S2", offset=17, gaming_date="2025-07-01")),
        known(a_shoe(findings=(a_finding("S1", FindingCode.SHOE_COMPOSITION, coup=None),))),
        known(a_gap()),
        known(a_checkpoint()),
    ]


def digests(store: HistoryStore) -> tuple[Digest, ...]:
    """Digest a store."""
    return history_digests(store)


class HistoryStoreContract:
    """The suite; a subclass gives the fixture ``store``: migrated, empty, with the test queries."""

    def test_migrating_a_second_time_changes_nothing(self, store: HistoryStore) -> None:
        assert store.migrate() == ()

    def test_every_column_of_every_table_comes_back_as_it_was(self, store: HistoryStore) -> None:
        records, events, letters = everything(), heartbeats(3), [a_dead_letter()]
        given: dict[str, Counter[tuple[object, ...]]] = defaultdict(Counter)
        for table, columns in batch_of(records, events, letters).inserts():
            given[table].update(hashable_rows(columns))
        HistoryWriter(store).write(records, events, letters)
        assert set(given) == set(TABLES)
        for table in TABLES:
            answer = store.query("whole_table", {"table": table})
            found = {name: answer.column(name) for name in answer.names}
            assert Counter(hashable_rows(found)) == given[table], table

    def test_parameters_are_values_whatever_they_contain(self, store: HistoryStore) -> None:
        for text in HOSTILE:
            asked = {
                "text": text,
                "maybe": None,
                "texts": HOSTILE,
                "number": 2**64 - 1,
                "numbers": [-1, 2],
                "day": datetime.date(2199, 12, 31),
                "truth": True,
            }
            (row,) = store.query("echo_parameters", asked).dicts()
            assert row == asked | {"truth": 1}

    def test_a_misspelt_query_is_refused_with_the_near_one(self, store: HistoryStore) -> None:
        with pytest.raises(HistoryError, match="did you mean digest_coups"):
            store.query("digest_coup")

    def test_a_missing_parameter_is_one_line(self, store: HistoryStore) -> None:
        with pytest.raises(HistoryError) as caught:
            store.query("count_up")
        assert "count" in str(caught.value)
        assert "\n" not in str(caught.value)
        assert store.query("count_up", {"count": 2}).rows() == [(0,), (1,)]

    def test_a_value_that_does_not_fit_names_its_column(self, store: HistoryStore) -> None:
        with pytest.raises(HistoryError, match=r"events\.sequence"):
            store.insert("events", {"source_id": ["a"], "sequence": [-1]})
        with pytest.raises(SchemaError, match="colour"):
            store.insert("events", {"colour": ["red"]})
        assert store.query("kept_events").rows() == []

    def test_a_long_answer_comes_in_pieces(self, store: HistoryStore) -> None:
        blocks = list(store.blocks("count_up", {"count": 300_000}))
        assert len(blocks) > 1
        assert sum(block.row_count for block in blocks) == 300_000

    def test_an_answer_that_breaks_off_is_an_error(self, store: HistoryStore) -> None:
        with pytest.raises(HistoryError, match="far enough"):
            list(store.blocks("break_off", {"count": 500_000}))
        assert len(store.query("count_up", {"count": 1})) == 1

    def test_an_answer_that_nobody_reads_to_its_end_harms_none(self, store: HistoryStore) -> None:
        for _ in range(12):
            blocks = store.blocks("count_up", {"count": 300_000})
            assert next(blocks).row_count
            blocks.close()  # type: ignore[attr-defined]
        assert len(store.query("count_up", {"count": 1})) == 1

    def test_the_highest_version_stands_with_exactly_its_wagers(self, store: HistoryStore) -> None:
        first, second = corrected()
        HistoryWriter(store).write([second, first])  # written in the wrong order, too
        assert store.query("standing_coups").rows() == [
            ("S1/1", EPOCH + 20, "closed", 30_000, 3, LATER_US)
        ]
        assert store.query("standing_wagers").rows() == [
            ("S1/1", EPOCH + 20, number, 19_500, LATER_US) for number in (1, 2, 3)
        ]
        assert store.query("standing_findings").rows() == []

    def test_a_later_version_may_have_fewer_wagers_and_other_dates(
        self, store: HistoryStore
    ) -> None:
        HistoryWriter(store).write([known(a_coup(1, offset=1))])
        HistoryWriter(store).write([known(a_coup(1, offset=2, wagers=(), gaming_date=None))])
        assert [row[1] for row in store.query("standing_coups").rows()] == [EPOCH + 2]
        assert store.query("standing_wagers").rows() == []

    def test_unknown_in_the_version_that_stands_hides_what_was_known(
        self, store: HistoryStore
    ) -> None:
        HistoryWriter(store).write([known(a_coup(1, offset=1))])
        unsure = a_coup(1, offset=2, player_points=None, winner=None, is_determined=False)
        HistoryWriter(store).write([known(unsure)])
        (row,) = store.query("coup_record", coup_key(as_of_us=LATER_US)).dicts()
        assert b'"winner":null' in row["record_bytes"]
        assert row["record_bytes"] == known(unsure).raw

    def test_a_withdrawn_finding_leaves_the_totals_and_stays_in_the_trail(
        self, store: HistoryStore
    ) -> None:
        HistoryWriter(store).write(corrected())
        assert store.query("findings_as_of", {"as_of_us": LATER_US}).rows() == []
        assert store.query("findings_as_of", {"as_of_us": LATER_US - 1}).rows() == [
            ("S1/1", EPOCH + 10, "WAGER_OVERPAID")
        ]
        assert store.query("withdrawn").rows() == [
            ("S1/1", EPOCH + 10, EPOCH + 20, "WAGER_OVERPAID", NOON_US, LATER_US)
        ]

    def test_a_corrected_finding_stands_with_its_residual(self, store: HistoryStore) -> None:
        settled = a_finding("w2", status=FindingStatus.CORRECTED, residual_minor=0)
        first, _ = corrected()
        later = known(a_coup(1, offset=20, findings=(settled,)), LATER_US)
        HistoryWriter(store).write([first, later])
        assert store.query("standing_findings").rows() == [
            ("coup", "S1/1", EPOCH + 20, "WAGER_OVERPAID", 0, LATER_US)
        ]
        assert store.query("withdrawn").rows() == []

    def test_as_of_a_moment_shows_what_was_known_then(self, store: HistoryStore) -> None:
        HistoryWriter(store).write(corrected())
        as_of = {"as_of_us": LATER_US - 1}
        assert store.query("coups_as_of", as_of).rows() == [("S1/1", EPOCH + 10)]
        assert store.query("wagers_as_of", as_of).rows() == [
            ("S1/1", EPOCH + 10, 1, 19_500),
            ("S1/1", EPOCH + 10, 2, 20_000),
        ]
        assert store.query("coups_as_of", {"as_of_us": NOON_US - 1}).rows() == []
        versions = store.query("coup_versions", coup_key()).dicts()
        assert [row["known_at_us"] for row in versions] == [NOON_US, LATER_US]

    def test_a_repeat_keeps_the_time_at_which_it_was_first_known(self, store: HistoryStore) -> None:
        first, _ = corrected()
        again = first._replace(known_at_us=LATER_US)
        for entry in (again, first, again):
            HistoryWriter(store).write([entry])
        assert [row[-1] for row in store.query("standing_coups").rows()] == [NOON_US]
        assert {row[-1] for row in store.query("standing_wagers").rows()} == {NOON_US}
        assert {row[-1] for row in store.query("standing_findings").rows()} == {NOON_US}

    def test_other_subjects_and_checkpoints_stand_alone(self, store: HistoryStore) -> None:
        records = [known(a_gap()), known(a_gap(offset=40, stands=False)), known(a_shoe())]
        checkpoint = known(a_checkpoint())
        HistoryWriter(store).write([*records, checkpoint])
        assert store.query("standing_other_subjects").rows() == [
            ("feed", "SEQUENCE_GAP/7", EPOCH + 40, None, None),
            ("shoe", "S1", EPOCH + 5, "closed", 70),
        ]
        assert store.query("standing_findings").rows() == []
        assert [row[0] for row in store.query("withdrawn").rows()] == ["SEQUENCE_GAP/7"]
        assert store.query("standing_checkpoints").rows() == [
            ("shoe_loaded/S1", EPOCH + 4, checkpoint.record.state_digest)
        ]
        asked = {"table_id": "BAC-03", "log_offset": 10, "limit": 5}
        (row,) = store.query("checkpoints_of_table", asked).dicts()
        assert row["record_bytes"] == checkpoint.raw

    def test_all_of_it_written_twice_changes_nothing_that_stands(self, store: HistoryStore) -> None:
        store.query("stop_merges")
        written = (everything(), heartbeats(5), [a_dead_letter()])
        HistoryWriter(store).write(*written)
        before = standing(store), digests(store)
        HistoryWriter(store).write(*written)
        HistoryWriter(store).write(*written)
        assert (standing(store), digests(store)) == before
        assert len(store.query("whole_table", {"table": "coups"})) == 15
        store.query("start_merges")
        for table in TABLES:
            store.query("merge_table", {"table": table})
        assert (standing(store), digests(store)) == before
        assert len(store.query("whole_table", {"table": "coups"})) == 5

    def test_between_the_inserts_the_earlier_version_stands_whole(
        self, store: HistoryStore
    ) -> None:
        first, second = corrected()
        HistoryWriter(store).write([first])
        before = standing(store)
        order = []
        for table, columns in batch_of([second, known(a_shoe())], (), ()).inserts():
            assert standing(store)[:3] == before[:3]
            assert store.query("incomplete_subjects").rows() == []
            store.insert(table, columns)
            order.append(table)
        assert order == ["wagers", "other_subjects", "coups"]
        assert [row[1] for row in store.query("standing_wagers").rows()] == [EPOCH + 20] * 3

    def test_children_come_before_their_parents_in_every_batch(self, store: HistoryStore) -> None:
        order = [
            table for table, _ in batch_of(everything(), heartbeats(2), [a_dead_letter()]).inserts()
        ]
        assert max(index(order, "wagers", "findings")) < min(index(order, "coups"))
        assert max(index(order, "findings")) < min(index(order, "other_subjects"))
        assert max(index(order, "events", "dead_letters")) < min(index(order, "wagers"))

    def test_a_reader_beside_the_writer_never_sees_half_a_version(
        self, store: HistoryStore
    ) -> None:
        coups, wagers, versions = 4, 3, 15
        stood = tuple(a_wager(number) for number in range(1, wagers + 1))
        stop = threading.Event()
        failed: list[BaseException] = []

        def write() -> None:
            try:
                writer = HistoryWriter(store)
                for version in range(1, versions + 1):
                    writer.write(
                        [
                            known(
                                a_coup(
                                    number,
                                    offset=version,
                                    wagers=stood,
                                    findings=(a_finding(f"{number}"),),
                                )
                            )
                            for number in range(1, coups + 1)
                        ]
                    )
            except BaseException as error:
                failed.append(error)
            finally:
                stop.set()

        HistoryWriter(store).write(
            [known(a_coup(number, offset=0, wagers=stood)) for number in range(1, coups + 1)]
        )
        thread = threading.Thread(target=write)
        thread.start()
        reads = 0
        while not stop.is_set():
            assert store.query("wager_sums").rows() == [(coups * wagers, coups, coups)]
            assert store.query("incomplete_subjects").rows() == []
            reads += 1
        thread.join()
        assert not failed
        assert reads > 1

    def test_raw_events_are_kept_byte_for_byte_and_once(self, store: HistoryStore) -> None:
        events = heartbeats(4)
        late = [event._replace(known_at_us=LATER_US, log_offset=90) for event in events]
        HistoryWriter(store).write(events=[*events, *events])
        HistoryWriter(store).write(events=late)
        rows = store.query("kept_events").dicts()
        assert [row["raw_bytes"] for row in rows] == [event.raw_bytes for event in events]
        assert [row["known_at_us"] for row in rows] == [event.known_at_us for event in events]

    def test_other_bytes_of_the_same_sequence_are_kept_beside(self, store: HistoryStore) -> None:
        event = heartbeats(1)[0]
        other = event._replace(content_hash="f" * 64, raw_bytes=b"{}", known_at_us=LATER_US)
        HistoryWriter(store).write(events=[event, other])
        asked = {"source_id": "BAC-03", "feed_id": "feed1", "first_sequence": 1, "last_sequence": 9}
        rows = store.query("raw_events", asked).dicts()
        assert [row["raw_bytes"] for row in rows] == [event.raw_bytes, b"{}"]
        assert len(store.query("event_sequences", asked)) == 2
        (lost,) = store.query(
            "events_of_log", {"log_partition": 0, "first_offset": 0, "end_offset": 1}
        ).dicts()[:1]
        assert lost["raw_bytes"] == event.raw_bytes

    def test_dead_letters_keep_bytes_that_are_no_text(self, store: HistoryStore) -> None:
        letters = [a_dead_letter(), a_dead_letter(b"x" * 70_000, offset=4), a_dead_letter(b"", 5)]
        HistoryWriter(store).write(dead_letters=letters)
        rows = store.query("kept_dead_letters").dicts()
        assert [row["raw_bytes"] for row in rows] == [b"\xff\xfe{", b"x" * 65_536, b""]
        assert [row["byte_count"] for row in rows] == [3, 70_000, 0]

    def test_two_logs_of_the_same_events_have_the_same_digests(self, store: HistoryStore) -> None:
        HistoryWriter(store).write(everything())
        before = digests(store)
        again = [
            known(
                entry.record.model_copy(
                    update={"offset": entry.record.offset + 1_000, "cause": "amended"}
                ),
                LATER_US,
            )
            for entry in everything()
        ]
        HistoryWriter(store).write(again)
        HistoryWriter(store).write([known(a_gap(99, offset=2_000))])
        assert digests(store) == before

    @pytest.mark.parametrize(
        ("changes", "of"),
        [
            ({"dealer": None}, "coups"),
            ({"state": "voided"}, "coups"),
            ({"wagers": (a_wager(1), a_wager(2, seat="9"))}, "wagers"),
            ({"wagers": (a_wager(1), a_wager(2, interpretations={}))}, "wagers"),
            ({"findings": (a_finding("w2", severity=Severity.NOTICE),)}, "findings"),
            ({"findings": (a_finding("w2", evidence=(3,)),)}, "findings"),
        ],
        ids=["dealer", "state", "seat", "interpretations", "severity", "evidence"],
    )
    def test_another_verdict_has_another_digest(
        self, store: HistoryStore, changes: dict[str, object], of: str
    ) -> None:
        finding = (a_finding("w2"),)
        HistoryWriter(store).write([known(a_coup(1, offset=1, findings=finding))])
        before = digests(store)
        changed = a_coup(1, offset=2, **({"findings": finding} | changes))  # type: ignore[arg-type]
        HistoryWriter(store).write([known(changed)])
        differing = {one.of for one, two in zip(before, digests(store), strict=True) if one != two}
        assert of in differing
        assert "findings" in differing or of != "findings"

    def test_wagers_of_gaming_dates_are_found_through_their_coups(
        self, store: HistoryStore
    ) -> None:
        HistoryWriter(store).write(everything())
        july = datetime.date(2025, 7, 1)
        rows = store.query("wagers_of_dates", {"first_date": july, "last_date": july}).rows()
        assert rows == [("S2/1", 1, july), ("S2/1", 2, july)]

    def test_the_status_counts_what_stands(self, store: HistoryStore) -> None:
        HistoryWriter(store).write(everything(), heartbeats(2))
        status = history_status(store)
        assert (status.coup_count, status.wager_count, status.finding_count) == (4, 7, 4)
        assert status.first_gaming_date == datetime.date(2025, 6, 7)
        assert status.last_gaming_date == datetime.date(2025, 7, 1)
        assert status.first_occurred_at_us == NOON_US
        assert status.schema_version == 4
        assert {table.name: table.row_count for table in status.tables}["coups"] == 5
        assert status.byte_count > 0

    def test_many_months_in_one_batch_are_written_all(self, store: HistoryStore) -> None:
        dates = [f"{2000 + number}-01-01" for number in range(0, 200, 10)] + ["2199-12-31", None]
        records = [
            known(a_coup(number, offset=number, gaming_date=date))
            for number, date in enumerate(dates, 1)
        ]
        assert HistoryWriter(store).write(records)["coups"] == len(dates)
        assert len(store.query("standing_coups")) == len(dates)


def hashable_rows(columns: Columns) -> Iterator[tuple[object, ...]]:
    """Give rows that can be counted, their columns in the order of the names."""
    for row in zip(*(columns[name] for name in sorted(columns)), strict=True):
        yield tuple(hashable(value) for value in row)


def hashable(value: object) -> object:
    """Give a value that can be counted; a word of an enumeration equals the plain word."""
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    return tuple(value) if isinstance(value, list) else value


def standing(store: HistoryStore) -> tuple[object, ...]:
    """Give everything that stands."""
    return tuple(
        store.query(name).rows()
        for name in (
            "standing_coups",
            "standing_wagers",
            "standing_findings",
            "standing_other_subjects",
            "standing_checkpoints",
            "kept_events",
            "kept_dead_letters",
            "withdrawn",
        )
    )


def index(order: list[str], *tables: str) -> Iterator[int]:
    """Give the places of some tables in an order of inserts."""
    return (place for place, table in enumerate(order) if table in tables)


def coup_key(**more: int) -> dict[str, str | int]:
    """Give the key of the first coup, as parameters."""
    return {"table_id": "BAC-03", "coup_id": "S1/1", **more}
