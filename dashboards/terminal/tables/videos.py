"""Recordings as lines of text; a link stands whole on its own line, so that it can be copied."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from dashboards.documents.history.videos import ShownVideo
from dashboards.terminal.console import write_line


def write_videos(console: Console, videos: Sequence[ShownVideo], zone: datetime.tzinfo) -> None:
    """Write where recordings are.

    Args:
        console: Where to.
        videos: The recordings, in their order.
        zone: The property's time zone.
    """
    for video in videos:
        write_line(console, video.line(zone), hang=2)
        if video.link is not None:
            console.print(Text(f"  {video.link}"), soft_wrap=True)
