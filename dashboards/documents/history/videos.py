"""Recordings of coups as data: camera, true time, and the link where the house makes links."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass

from auditors.clock import instant_of
from schemas.events.fields import format_instant
from schemas.records import VideoRow
from streams.process.video_links import VideoLinks, link_of


@dataclass(frozen=True, slots=True)
class ShownVideo:
    """One recording as it is shown."""

    coup: str | None
    """The coup that it shows; None where it is about a stretch of time only."""
    camera: str
    begins_at: datetime.datetime
    ends_at: datetime.datetime
    """True time, UTC: the clock of the table is put right as the table told it."""
    recording: str | None
    link: str | None
    """None where no template is set, or where it gives no link for this recording."""

    def as_json(self) -> dict[str, object]:
        """Give one entry of ``videos``."""
        return {
            "coup": self.coup,
            "camera": self.camera,
            "from": format_instant(self.begins_at),
            "until": format_instant(self.ends_at),
            "recording": self.recording,
            "link": self.link,
        }

    def line(self, zone: datetime.tzinfo) -> str:
        """Say where the recording is, without the link.

        Args:
            zone: The property's time zone.
        """
        begin, end = (one.astimezone(zone) for one in (self.begins_at, self.ends_at))
        last = f"{end:%H:%M:%S}" if begin.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
        what = f" of coup {self.coup}" if self.coup else ""
        named = f", recording {self.recording}" if self.recording else ""
        return f"video{what}: camera {self.camera}, {begin:%Y-%m-%d %H:%M:%S} to {last}{named}"


def shown_videos(videos: Iterable[VideoRow], links: VideoLinks | None) -> tuple[ShownVideo, ...]:
    """Give recordings in the order of their times, each once.

    Args:
        videos: As the table told them.
        links: How the house makes links; None where it makes none.
    """
    distinct = dict.fromkeys(
        ShownVideo(
            coup=one.coup_id,
            camera=one.camera_id,
            begins_at=instant_of(one.from_us + one.clock_offset_us),
            ends_at=instant_of(one.until_us + one.clock_offset_us),
            recording=one.recording,
            link=link_of(links, one) if links is not None else None,
        )
        for one in videos
    )
    return tuple(sorted(distinct, key=lambda one: (one.begins_at, one.ends_at, one.camera)))
