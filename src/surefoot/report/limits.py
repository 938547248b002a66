"""How large a page may be, and what it leaves out to stay so: pictures first, then rows of tables.

Verdicts, case, assumptions and the page to sign are never cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from surefoot.case.templates.results import Results
from surefoot.project.result import Result
from surefoot.report.figures import OMITTED, Figures, Shown
from surefoot.report.outside import Outside

MOST_PICTURES = 12
MOST_BYTES = 1_000_000
BYTES_A_NODE = 1_000
FEWER_ROWS = (20, 5)

Picture = tuple[str, str]
"""Names of a step and of its figure."""


def most_bytes(result: Result) -> int:
    """How large the page of a result may be."""
    return MOST_BYTES + BYTES_A_NODE * len(result.case)


def few_pictures(result: Result, outside: Outside) -> Outside:
    """What there is outside the data, with the most important pictures and no others."""
    return replace(outside, figures=_only(outside.figures, ranked(result, outside.figures)[:MOST_PICTURES]))


def smaller(result: Result, outside: Outside, excess: int) -> Iterator[Outside]:
    """Less and less outside the data, for a page that is too large by so many bytes."""
    kept = ranked(result, outside.figures)
    while kept and excess > 0:
        step, name = kept.pop()
        excess -= len(outside.figures[step][name].markup.encode())
    outside = replace(outside, figures=_only(outside.figures, kept))
    yield outside
    if kept:
        outside = replace(outside, figures=_only(outside.figures, ()))
    for rows in FEWER_ROWS:
        yield replace(outside, most_rows=rows)


def ranked(result: Result, figures: Figures) -> list[Picture]:
    """Pictures that can be shown, the important ones first.

    The first picture of each step comes before the second of any; what targets ask about before what is behind it, and
    that before the rest.
    """
    asked = {answer.reference: None for answer in result.answers}
    direct = {reference.partition(".")[0] for reference in asked}
    behind = {reference.partition(".")[0] for reference in Results(result.evidence).behind(asked)}
    found = [
        (place, 0 if step in direct else 1 if step in behind else 2, (step, name))
        for step, pictures in figures.items()
        for place, name in enumerate(name for name, picture in pictures.items() if picture.markup)
    ]
    return [picture for *_, picture in sorted(found, key=lambda each: each[:2])]


def _only(figures: Figures, kept: Collection[Picture]) -> Figures:
    return {
        step: {
            name: picture if not picture.markup or (step, name) in kept else Shown(note=OMITTED)
            for name, picture in pictures.items()
        }
        for step, pictures in figures.items()
    }
