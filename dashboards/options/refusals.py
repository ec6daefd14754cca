"""Documents that cannot be given, said as one line of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from dashboards.documents.errors import (
    AmbiguousError,
    DocumentError,
    NotThereError,
    OpensNothingError,
    OutsideError,
    TooEarlyError,
)
from dashboards.errors import UsageProblem


@contextmanager
def refusals(hint: str = "", among: str = "", later: str = "", filters: str = "") -> Iterator[None]:
    """Turn what a document cannot give into a usage problem.

    Args:
        hint: What to do where nothing is near to the name, as a clause with its own stop.
        among: The option that tells several of one name apart, such as ``--table``.
        later: The option that names a moment, where one may be before all that is known.
        filters: The options that leave something out, as they were written.

    Raises:
        UsageProblem: Whatever was asked for is not there, or not one thing alone.
    """
    try:
        yield
    except NotThereError as error:
        raise UsageProblem(f"{error}{'' if error.near else hint}") from None
    except OpensNothingError as error:
        raise UsageProblem(f"{error}{hint}") from None
    except OutsideError as error:
        raise UsageProblem(f"{error}: outside {filters}; leave that out to show it") from None
    except TooEarlyError as error:
        raise UsageProblem(f"{error}; name a later {later}") from None
    except AmbiguousError as error:
        which = f"; add {among}, one of {', '.join(error.choices)}" if among else ""
        raise UsageProblem(f"{error}{which}") from None
    except DocumentError as error:
        raise UsageProblem(str(error)) from None
