"""``ladderman schema``: the published event schema, and bytes to compare with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import orjson
import typer

from dashboards.commands.help import HelpGroup
from dashboards.errors import UsageProblem
from schemas.wire.json_schema import event_json_schema
from schemas.wire.vectors import CHECKSUM_FILE, checksum_lines, event_vectors

_EXAMPLE = "Example: ladderman schema > events.schema.json"
_VECTORS_EXAMPLE = "Example: ladderman schema vectors --out vectors"
_FEED_FILE = "feed.jsonl"


def register(app: typer.Typer) -> None:
    """Add the command."""
    schema = typer.Typer(
        cls=HelpGroup,
        name="schema",
        help="Print the JSON Schema of all events; write exact bytes.",
        epilog=_EXAMPLE,
        invoke_without_command=True,
    )

    @schema.callback()
    def print_schema(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            document = orjson.dumps(event_json_schema(), option=orjson.OPT_INDENT_2)
            sys.stdout.write(document.decode() + "\n")

    @schema.command(epilog=_VECTORS_EXAMPLE)
    def vectors(
        out: Annotated[
            Path, typer.Option("--out", help="Directory to write to; made where it is missing.")
        ] = Path("event-vectors"),
    ) -> None:
        """Write 20 events of one chained feed, byte for byte, with their SHA-256."""
        write_vectors(out)
        count = len(event_vectors())
        typer.echo(f"{count} events of one feed written to {out}")
        typer.echo(f"Check them there: sha256sum -c {CHECKSUM_FILE}")

    app.add_typer(schema)


def write_vectors(directory: Path) -> None:
    """Write the event vectors, their hashes and the feed as lines into a directory.

    Args:
        directory: Made where it is missing; files of other content in it are never overwritten.

    Raises:
        UsageProblem: The directory cannot be written, or a file of that name has other content.
    """
    files = {vector.name: vector.raw for vector in event_vectors()}
    files[_FEED_FILE] = b"".join(vector.raw + b"\n" for vector in event_vectors())
    files[CHECKSUM_FILE] = checksum_lines().encode()
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _refuse_other_content(directory / name, content)
        for name, content in files.items():
            (directory / name).write_bytes(content)
    except OSError as error:
        problem = error.strerror or str(error)
        raise UsageProblem(
            f"--out {directory}: {problem}; name a directory that can be written"
        ) from None


def _refuse_other_content(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() != content:
        raise UsageProblem(f"--out: {path} has other content; name an empty directory")
