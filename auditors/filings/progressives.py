"""Conditions of filed progressives: system, unit, rates and limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from auditors.filings.filing import Defect, Filing, listed, percent
from auditors.law.interpretations import VoidedContribution
from schemas.odds import parse_rate
from schemas.rules_submission import FiledProgressive, OfferedWager
from schemas.words.suggestions import near_miss


def check_progressives(filing: Filing) -> Iterator[Defect]:
    """Check that each progressive wager runs on one progressive, filed as printed."""
    for filed, section, wager in filing.offered():
        if section.progressive is None:
            continue
        running = [
            progressive
            for progressive in filing.submission.progressives
            if progressive.wager == filed.id
        ]
        if not running:
            yield Defect(
                "progressives",
                f"none is filed for {filed.id}; {wager.title} needs a progressive table game "
                "system",
                section.citation(section.offering.progressive_system),
                filed.id,
            )
        elif len(running) > 1:
            ids = listed([progressive.meter for progressive in running])
            yield Defect(
                "progressives", f"{filed.id} runs on {ids} at once; file one", None, filed.id
            )
    for meter, count in Counter(
        progressive.meter for progressive in filing.submission.progressives
    ).items():
        if count > 1:
            yield Defect(
                "progressives",
                f"{meter} is filed {count} times; each needs its own id, or its own level",
            )
    for progressive in filing.submission.progressives:
        yield from _check_progressive(filing, progressive)


def _check_progressive(filing: Filing, one: FiledProgressive) -> Iterator[Defect]:
    where = f"progressives[{one.meter}]"
    yield from _check_meter(filing, where, one)
    if one.wager not in filing.law.wagers:
        known = [id_ for id_, (section, _) in filing.law.wagers.items() if section.progressive]
        yield Defect(f"{where}.wager", f"no wager {one.wager!r}{near_miss(one.wager, known)}")
        return
    section, wager = filing.law.wagers[one.wager]
    if section.progressive is None:
        yield Defect(f"{where}.wager", f"{wager.title} is paid from no meter", None, one.wager)
        return
    filed = filing.submission.offered(one.wager)
    if filed is None:
        yield Defect(
            f"{where}.wager", f"{one.wager} is not among the wagers offered", None, one.wager
        )
    if not one.system:
        linked = filing.law.jurisdiction.citations.linked_system or ""
        cite = section.offering.progressive_system + (linked if one.linked else "")
        tables = "linked tables need" if one.linked else f"{wager.title} needs"
        yield Defect(
            f"{where}.system",
            f"no system is filed; {tables} a progressive table game system with seat devices and "
            "a lock-out",
            section.citation(cite),
            one.wager,
        )
    if filed is not None:
        yield from _check_unit(filing, where, one, filed)
        yield from _check_rates(filing, where, one, filing.letter(filed))


def _check_meter(filing: Filing, where: str, one: FiledProgressive) -> Iterator[Defect]:
    if filing.minor(one.unit) == 0:
        yield Defect(f"{where}.unit", "the permitted stake is filed as nothing", None, one.wager)
    for name, amount in (("base", one.base), ("reset", one.reset)):
        if one.limit is not None and filing.minor(amount) > filing.minor(one.limit):
            yield Defect(
                f"{where}.{name}",
                f"{filing.money(amount)} is above the limit {filing.money(one.limit)}",
                None,
                one.wager,
            )
    policy = filing.submission.readings.get(VoidedContribution.ID, one.void_policy)
    if policy != one.void_policy:
        yield Defect(
            f"{where}.void_policy",
            f"{one.void_policy} is filed here and {policy} as reading {VoidedContribution.ID}; "
            "file one of them",
            None,
            one.wager,
            {VoidedContribution.ID: policy},
        )


def _check_unit(
    filing: Filing, where: str, one: FiledProgressive, filed: OfferedWager
) -> Iterator[Defect]:
    unit, least, most = filing.minor(one.unit), filed.minimum, filed.maximum
    if least is not None and unit < filing.minor(least):
        beyond = f"below the minimum {filing.money(least)}"
    elif most is not None and unit > filing.minor(most):
        beyond = f"above the maximum {filing.money(most)}"
    else:
        return
    yield Defect(
        f"{where}.unit", f"{filing.money(one.unit)} is {beyond} of {filed.id}", None, filed.id
    )


def _check_rates(
    filing: Filing, where: str, one: FiledProgressive, letter: str | None
) -> Iterator[Defect]:
    rates = filing.law.wagers[one.wager][0].progressive
    if rates is None or letter is None:
        return
    for name, filed, printed in (
        ("increment_rate", one.increment_rate, rates.increment[letter]),
        ("reserve_rate", one.reserve_rate, rates.reserve[letter]),
    ):
        if filed is not None and parse_rate(filed) != parse_rate(printed):
            yield Defect(
                f"{where}.{name}",
                f"{percent(filed)} is filed; paytable {letter} is printed with {percent(printed)}",
                filing.law.wagers[one.wager][0].citation(rates.cite),
                one.wager,
            )
