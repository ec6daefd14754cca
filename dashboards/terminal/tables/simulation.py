"""Simulated floors for people: their profile, and the faults that can be planted."""

from __future__ import annotations

import sys
from typing import Final

from rich.console import Console

from dashboards.terminal.console import TABLE_WIDTH, add_row, plain_table, table_console, write_line
from streams.simulator.plants import PLANTS
from streams.simulator.profile import P_LEAST, Profile

_NOTHING: Final = "nothing"


def print_plants() -> None:
    """List name, codes and description of every plant."""
    console = table_console()
    for plant in PLANTS.values():
        codes = " ".join(code.value for code in plant.codes) or _NOTHING
        write_line(console, f"{plant.name}: {codes}")
        write_line(console, plant.description, indent=4)


def print_profile(profile: Profile, *, to_stderr: bool = False) -> None:
    """Say pace, seats, penetration, count of every wager, and the fit to the exact odds.

    Args:
        profile: What was counted.
        to_stderr: Write to standard error, because events go to standard output.
    """
    console = table_console()
    if to_stderr:
        console = Console(file=sys.stderr, width=TABLE_WIDTH, highlight=False, markup=False)
    write_line(console, "SIMULATED floor")
    write_line(console, f"coups             {profile.coups:,}")
    write_line(console, f"coups an hour     {profile.coups_an_hour:.1f} a table")
    write_line(console, f"seats a coup      {profile.seats_a_coup:.2f}")
    reached = profile.penetration
    shown = "no shoe was dealt out" if reached is None else f"{100 * reached:.1f} %"
    write_line(console, f"penetration       {shown}")
    write_line(console)
    _print_wagers(console, profile)
    write_line(console)
    _print_fits(console, profile)


def _print_wagers(console: Console, profile: Profile) -> None:
    table = plain_table("wager", "paytable", "commission or tie", "wagers")
    never = []
    for kind, count in profile.counts():
        name = f"{kind.wager}@{kind.hand}" if kind.hand else kind.wager
        add_row(table, name, kind.letter, kind.form, f"{count:,}")
        if not count:
            never.append(" ".join(one for one in (name, kind.letter, kind.form) if one))
    console.print(table)
    if never:
        write_line(console, f"never placed in this time: {', '.join(never)}")


def _print_fits(console: Console, profile: Profile) -> None:
    fits = profile.fits()
    table = plain_table("outcomes of", "decks", "coups", "chi square", "degrees", "p")
    for one in fits:
        add_row(
            table,
            one.wager,
            str(one.decks),
            f"{one.coups:,}",
            f"{one.fit.chi_square:.2f}",
            str(one.fit.degrees),
            f"{one.fit.p_value:.4f}",
        )
    console.print(table)
    if not fits:
        return
    verdict = "fit" if profile.fits_well(fits) else "do NOT fit"
    write_line(
        console,
        f"The coups {verdict} the exact odds: the least p of {len(fits)} tests, times {len(fits)}, "
        f"is {min(1.0, min(one.fit.p_value for one in fits) * len(fits)):.4f} (limit {P_LEAST}).",
    )
