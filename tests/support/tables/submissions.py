"""Filings to start a test from."""

from __future__ import annotations

from schemas.rules_submission import RulesSubmission

MAIN = ("player", "banker", "tie")


def a_submission(
    *extra_wagers: object, game: str = "minibaccarat", **fields: object
) -> RulesSubmission:
    """Build a filing without defects, with further wagers (ids or tables) and other fields.

    Args:
        extra_wagers: Ids, or tables of an offered wager.
        game: Its main wagers are offered.
        fields: Fields of the submission; ``wagers`` replaces all wagers.
    """
    wagers = [{"id": f"{game}.{code}"} for code in MAIN]
    wagers += [{"id": one} if isinstance(one, str) else one for one in extra_wagers]
    filed = {
        "id": "RS-7",
        "game": game,
        "commission": {"form": "standard"},
        "wagers": wagers,
        **fields,
    }
    return RulesSubmission.model_validate(filed)


def a_wager(id_: str, paytable: str | None = None, **fields: object) -> dict[str, object]:
    """Build the table of an offered wager."""
    return {"id": id_, "paytable": paytable, **fields}


def a_progressive(wager: str = "harmony_mini", **fields: object) -> dict[str, object]:
    """Build the table of a progressive without defects under paytable A."""
    return {
        "id": "P-1",
        "wager": wager,
        "unit": "5.00",
        "base": "10000.00",
        "reset": "10000.00",
        "increment_rate": "15%",
        "reserve_rate": "3%",
        **fields,
    }
