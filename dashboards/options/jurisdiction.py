"""The option that names whose law is asked for."""

from __future__ import annotations

from typing import Annotated

import typer

from auditors.law import Law, UnknownJurisdictionError, load_law
from dashboards.documents.texts import quoted
from dashboards.errors import UsageProblem

JurisdictionOption = Annotated[
    str, typer.Option("--jurisdiction", metavar="NAME", help="Whose law; a folder of law data.")
]


def law_named(jurisdiction: str) -> Law:
    """Give the law of a jurisdiction that a person named.

    Raises:
        UsageProblem: None of that name is held, with the near miss.
    """
    try:
        return load_law(jurisdiction)
    except UnknownJurisdictionError as error:
        raise UsageProblem(f"--jurisdiction {quoted(jurisdiction)}: {error}") from None
