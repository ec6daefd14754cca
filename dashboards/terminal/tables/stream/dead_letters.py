"""Dead letters for people."""

from __future__ import annotations

from typing import Final

from dashboards.documents.stream.dead_letters import LetterList, put_aside_at
from dashboards.documents.texts import escaped
from dashboards.terminal.console import add_row, plain_table, table_console, write_line
from schemas.words.counting import counted
from streams.operating.dead_letter_replay import source_of


def dump_lines(raw: bytes) -> list[str]:
    """Write bytes as offset, hexadecimal and printable ASCII, 16 a line."""
    lines = []
    for start in range(0, len(raw), _ROW_BYTES):
        row = raw[start : start + _ROW_BYTES]
        text = "".join(chr(one) if 0x20 <= one < 0x7F else "." for one in row)
        lines.append(f"{start:06x}  {row.hex(' '):47}  {text}")
    return lines


def print_letters(listed: LetterList) -> None:
    """Write counts by source, then the letters, latest first."""
    found, counts = listed.letters, listed.counts
    console = table_console()
    if not counts:
        write_line(console, "No dead letters.")
        return
    table = plain_table("source", "reason", "count")
    for one in counts:
        add_row(table, escaped(one.source) or "(none)", one.reason, f"{one.count:,}")
    console.print(table)
    write_line(console)
    for letter in found:
        write_line(
            console,
            f"{put_aside_at(letter.known_at_us)}  {letter.letter.letter_id}  "
            f"{escaped(source_of(letter.letter)) or '(no source)'}  {letter.letter.reason}"
            f"{f'  replayed to {letter.replayed_to}' if letter.replayed_to else ''}",
        )
        write_line(console, escaped(letter.letter.detail)[:_DETAIL_MAX], indent=4, style="dim")
    write_line(console)
    total = sum(one.count for one in counts)
    write_line(console, f"{len(found):,} of {counted(total, 'dead letter')} listed.")


_ROW_BYTES: Final = 16


_DETAIL_MAX: Final = 200
