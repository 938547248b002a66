"""The chapter on iterations: what each changed, what that did, and how the last one compares with the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.core import Table
from surefoot.project.iterations import Iteration, Judged, Measured, last_two
from surefoot.project.result import Result
from surefoot.report.trend import trend_picture

MOST_PICTURES = 4
MOST_CHANGES = 12
MOST_BOUNDS = 12
FEWEST = 2


@dataclass(frozen=True)
class Line:
    """One iteration as a row of the table."""

    number: int
    date: str
    this: bool
    changed: tuple[str, ...]
    bounds: tuple[Measured | Judged, ...]
    tops: tuple[Measured, ...]
    targets: tuple[Judged, ...]

    @classmethod
    def of(cls, iteration: Iteration) -> Line:
        """The row of an iteration; long lists end with a count."""
        date = iteration.created.partition("T")[0]
        changed = cut(iteration.changed)
        return cls(
            iteration.number,
            date,
            iteration.this,
            changed,
            iteration.component_bounds[:MOST_BOUNDS],
            iteration.tops,
            iteration.targets,
        )


@dataclass(frozen=True)
class Chapter:
    """Everything the chapter shows."""

    lines: tuple[Line, ...]
    earlier: int
    """How many iterations the store has before the first that is shown."""
    left_out: int
    """The most component bounds that a row leaves out."""
    has_tops: bool
    sentences: tuple[str, ...]
    compared: Table | None
    caveats: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]
    """Name of each target, and its picture."""

    @property
    def present(self) -> bool:
        """Whether the result of the page is one of the iterations."""
        return any(line.this for line in self.lines)


def chapter(result: Result) -> Chapter | None:
    """What to show; None where there is nothing to compare yet."""
    iterations = result.iterations
    if len(iterations) < FEWEST:
        return None
    compared = last_two(iterations)
    return Chapter(
        lines=tuple(map(Line.of, iterations)),
        earlier=max(0, iterations[0].number - 1),
        left_out=max(0, max(len(each.component_bounds) for each in iterations) - MOST_BOUNDS),
        has_tops=any(each.tops for each in iterations),
        sentences=compared.sentences() if compared else (),
        compared=compared.table() if compared else None,
        caveats=compared.caveats() if compared else (),
        pictures=tuple(_pictures(iterations)),
    )


def cut(texts: Sequence[str]) -> tuple[str, ...]:
    """The first texts, and how many are left out."""
    more = len(texts) - MOST_CHANGES
    return (*texts[:MOST_CHANGES], *([f"{more} more"] if more > 0 else []))


def _pictures(iterations: Sequence[Iteration]) -> list[tuple[str, str]]:
    names = [target.name for target in iterations[-1].targets][:MOST_PICTURES]
    return [(name, trend_picture(iterations, name, f"iterations-{place}")) for place, name in enumerate(names, start=1)]
