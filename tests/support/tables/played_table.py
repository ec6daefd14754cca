"""A table that plays whole coups, as messages: Banker 8 to 5, 100.00 on Banker at seat 4."""

from pathlib import Path

from schemas import events as said
from tests.support.tables.table_script import TableScript


def opened_table(source_id: str = "BAC-01", shoe_id: str = "S1") -> TableScript:
    """Open a table and load a shoe with its burn."""
    return with_shoe(TableScript(source_id).open(), shoe_id)


def with_shoe(script: TableScript, shoe_id: str) -> TableScript:
    """Load a shoe with its burn."""
    script.shoe(shoe_id)
    return script.say(said.CardsBurned, shoe_id=shoe_id, exposed_card="3H", burned_count=3)


def play(script: TableScript, paid_minor: int = 19_500) -> TableScript:
    """Play a coup; 19,500 are due."""
    script.coup()
    wager_id = script.wager("banker", 10_000, "4")
    # Other cards each time, or their order would repeat.
    suit = "SHDC"[len(script.messages) // 10 % 4]
    zero = "TJQK"[len(script.messages) // 40 % 4]
    script.close_bets().deal(f"2{suit} 3H {zero}D", f"AC 2{suit} 5H").result("banker", 5, 8)
    script.settle(
        wager_id,
        paid_minor,
        stake_collected_minor=0,
        vigorish_taken_minor=20_000 - paid_minor,
    )
    return script.close()


def correct(script: TableScript, settlement_id: str = "T-W1") -> TableScript:
    """Take 5.00 back in the coup in progress."""
    return script.of_coup(
        said.PayoutCorrected,
        correction_id=f"C-{settlement_id}",
        settlement_id=settlement_id,
        paid_change_minor=-500,
        vigorish_taken_change_minor=500,
        reason="overpaid",
        authorised_by="P9",
    )


def written(folder: Path, messages: list[bytes], name: str = "events.jsonl") -> Path:
    """Write messages as the lines of a file."""
    path = folder / name
    path.write_bytes(b"".join(raw + b"\n" for raw in messages))
    return path
