"""The settings of a command, from one option; a problem with them is one line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dashboards.errors import UsageProblem
from streams.process.settings import Settings, load_settings
from streams.process.settings_errors import SettingsError
from streams.process.video_links import VideoLinks

SettingsOption = Annotated[
    Path | None,
    typer.Option(
        "--settings",
        metavar="FILE",
        help="Settings file; default LADDERMAN_SETTINGS, else ladderman.toml. "
        "LADDERMAN_ variables win over it.",
    ),
]


def settings_from(path: Path | None) -> Settings:
    """Read the settings.

    Raises:
        UsageProblem: A setting that cannot be.
    """
    try:
        return load_settings(path)
    except SettingsError as error:
        raise UsageProblem(str(error)) from None


def links_from(path: Path | None) -> VideoLinks | None:
    """Read how links to recordings are made; None where the house makes none.

    Raises:
        UsageProblem: A setting that cannot be.
    """
    return settings_from(path).video.links
