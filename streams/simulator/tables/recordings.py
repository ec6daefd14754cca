"""References to the recordings of simulated coups, where the floor is asked for them."""

from __future__ import annotations

from schemas.events import VideoReference
from streams.simulator.feed import Draft, instant
from streams.simulator.tables.playing import PlayingTable


def video_drafts(table: PlayingTable, coup_id: str, began_us: int) -> list[Draft]:
    """Tell where the recording of the coup that was just played is, if one is due.

    It takes no time and no chance, so that the floor plays on as it would have without it.

    Args:
        table: The table.
        coup_id: The coup.
        began_us: When it began.
    """
    every = table.run.video_every
    if not every or table.coup_count % every:
        return []
    ended_us, shift_us = table.pace.at_us, table.writer.shift_us
    fields: dict[str, object] = {
        "camera_id": f"cam-{table.number + 1}-2",
        "recorded_from": instant(began_us + shift_us),
        "recorded_until": instant(ended_us + shift_us),
        "recording": f"{table.source_id}/vr{table.coup_count}",
        "coup_id": coup_id,
    }
    return [Draft(VideoReference, ended_us, fields)]
