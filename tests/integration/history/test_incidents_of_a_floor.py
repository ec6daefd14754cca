"""What a simulated floor suffers comes out as one line a cause."""

from auditors.incidents import Incident, incidents_of, told_of
from schemas.records import Record
from streams.host.event_folding import EventFolder
from streams.simulator.floor import Floor, FloorConfig
from streams.simulator.placing import PlantRequest
from streams.simulator.truths import Truth


def incidents(*plants: str, coups: int, tables: int = 1) -> tuple[list[Truth], list[Incident]]:
    """Play a floor with faults and group what is found."""
    truths: list[Truth] = []
    requests = tuple(PlantRequest(name) for name in plants)
    config = FloorConfig(tables=tables, seed=7, coups=coups, plants=requests)
    lines = [event.raw for event in Floor(config, truths.append).events()]
    folder = EventFolder(lines.__getitem__)
    records: dict[tuple[str, str, str], Record] = {}
    for offset, raw in enumerate(lines):
        records |= {one.key: one for one in folder.take(offset, offset, raw).records}
    for folded in folder.finish():
        records |= {one.key: one for one in folded.records}
    return truths, [one for table in told_of(records.values()) for one in incidents_of(table)]


def test_parx_one_missing_card_over_400_coups_is_one_line_with_coups_and_money() -> None:
    truths, found = incidents("missing_card", coups=500)
    (one,) = found
    assert len(truths) > 3
    assert len(one.coup_ids) > 400
    assert one.title.startswith(
        f"1 card missing from the shoe (9C) in {len(truths)} consecutive shoes, "
        f"{len(one.coup_ids)} coups, "
    )
    assert one.title.endswith(" staked")
    assert one.staked_minor > 0


def test_each_single_fault_is_one_incident() -> None:
    plants = (
        "banker_overpaid",
        "bet_capping",
        "correction_unauthorised",
        "hollywood_removed_card",
        "tie_takes_player_and_banker",
        "winner_misannounced",
    )
    truths, found = incidents(*plants, coups=240, tables=2)
    assert sum(len(one.codes) for one in truths) == sum(len(one.finding_ids) for one in found)
    assert len(found) == len(plants)
