"""The option that names a Rules Submission; it reads no file, so rules and help start quickly."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SubmissionOption = Annotated[
    Path | None, typer.Option("--submission", help="Rules Submission (TOML) that was filed.")
]
