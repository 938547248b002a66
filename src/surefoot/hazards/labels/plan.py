"""Which inputs to label next, and what their labels promise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.allocation import Expected, path, shared
from surefoot.hazards.labels.asked import Asked
from surefoot.hazards.labels.choice import drawn
from surefoot.hazards.labels.outlook import Outlook
from surefoot.hazards.labels.sheet import write_sheet

TopEvent = Callable[[Mapping[str, float]], float]


@dataclass(frozen=True)
class PlannedRow:
    """One operational row to label."""

    component: str
    data: str
    digest: str
    row: int
    answer: str
    score: float
    stratum: str
    share: float
    identifier: str = ""
    same_as: int | None = None
    """A row above that is the same input, and so has the same label."""


@dataclass(frozen=True, eq=False)
class Part:
    """The labels of one failure probability."""

    asked: Asked
    added: NDArray[np.int64]
    chosen: NDArray[np.intp]
    outlook: Outlook

    @cached_property
    def rows(self) -> tuple[PlannedRow, ...]:
        """The rows to label, in the order of the data."""
        return tuple(self._row(row) for row in self.chosen.tolist())

    def _row(self, row: int) -> PlannedRow:
        asked, stratum = self.asked, int(self.asked.stratum[row])
        return PlannedRow(
            asked.component,
            asked.data,
            asked.digest,
            row,
            asked.classes[asked.answers[row]],
            float(asked.scores[row]),
            asked.tally.names[stratum],
            float(asked.tally.shares[stratum]),
            "" if asked.identifiers is None else str(asked.identifiers[row]),
            self._first_of.get(row),
        )

    @cached_property
    def _first_of(self) -> dict[int, int]:
        """For rows that repeat an input: the first row that is chosen with it."""
        if self.asked.marks is None:
            return {}
        _, first, which = np.unique(self.asked.marks[self.chosen], return_index=True, return_inverse=True)
        firsts = self.chosen[first[which]]
        return {int(row): int(same) for row, same in zip(self.chosen, firsts, strict=True) if row != same}


@dataclass(frozen=True, eq=False)
class LabelPlan:
    """Rows to label, how they share among strata, and what they promise."""

    parts: tuple[Part, ...]
    level: float
    top: tuple[float, float] | None = None
    """The top event with all bounds as they are, and as they are expected to be."""
    notes: tuple[str, ...] = field(default=())

    @property
    def rows(self) -> tuple[PlannedRow, ...]:
        """All rows to label."""
        return tuple(row for part in self.parts for row in part.rows)

    def table(self) -> Table:
        """Strata with their labels so far and to add."""
        head = ("step", "stratum", "share of operation", "labelled so far", "failures", "labels to add")
        return Table(head, tuple(line for part in self.parts for line in _strata(part)))

    def outlook(self) -> Table:
        """What the labels promise for each step, and for the top event."""
        head = ("step", "labels to add", "bound today", "expected then", "with as many labels at random")
        rows: list[tuple[Any, ...]] = [(p.asked.title, int(p.added.sum()), *p.outlook.figures) for p in self.parts]
        if self.top is not None:
            rows.append(
                ("top event, these at their bounds", sum(int(p.added.sum()) for p in self.parts), *self.top, None)
            )
        return Table(head, tuple(rows))

    def write(self, path: str | Path) -> None:
        """Write the sheet to fill in, as CSV."""
        write_sheet(self.rows, path)


def plan_labels(
    asked: Sequence[Asked], *, labels: int, level: float = 0.95, seed: int = 0, top: TopEvent | None = None
) -> LabelPlan:
    """Spend a number of labels where they tighten the top event most.

    Inside a failure probability labels go to the stratum whose next label lowers the expected upper limit most, which
    comes close to Neyman's allocation (1934, JRSS 97) where failures are many and to a proportional one where they are
    few; among several, to where the limit times ``weight`` falls most. ``top`` gives the top event from bounds by name.
    """
    labels = validate.count(labels, where="plan_labels", name="labels", at_least=1)
    level = validate.level(level, where="plan_labels")
    paths = [_path(each, labels, level) for each in asked]
    values = [_values(each, route, level) for each, route in zip(asked, paths, strict=True)]
    numbers = shared(values, labels)
    seeds = np.random.SeedSequence(validate.seed(seed, where="plan_labels")).spawn(len(asked))
    parts = []
    for each, route, number, stream in zip(asked, paths, numbers, seeds, strict=True):
        added = np.bincount(route[:number], minlength=len(each.tally.names))
        chosen = drawn(each.stratum, each.free, added.tolist(), stream)
        parts.append(Part(each, added, chosen, Outlook.of(each.tally, added, _after(each), each.bound, level)))
    return LabelPlan(tuple(parts), level, None if top is None else _top(parts, top), tuple(_in_vain(parts)))


def _path(asked: Asked, labels: int, level: float) -> NDArray[np.intp]:
    tally = asked.tally
    total = float(tally.trials.sum()) + labels
    expected = Expected.before_outcomes(tally.shares, asked.failing, asked.counting, total)
    return path(expected, tally.trials, asked.room, labels, level)


def _values(asked: Asked, route: NDArray[np.intp], level: float) -> FloatArray:
    """What is left of the top event after each label, as far as this failure probability goes."""
    steps = np.zeros((route.size + 1, len(asked.tally.names)))
    steps[np.arange(1, route.size + 1), route] = 1
    trials = asked.tally.trials + np.cumsum(steps, axis=0)
    return abs(asked.weight) * _after(asked).limits(trials, level)


def _after(asked: Asked) -> Expected:
    """What is expected of a label now that outcomes are known; the model's forecasts weigh as much as two labels."""
    tally = asked.tally
    forecast = Expected.before_outcomes(tally.shares, asked.failing, asked.counting, float(tally.trials.sum()))
    factor = (tally.failures.sum() + 0.5) / (float(tally.trials @ forecast.failing) + 0.5)
    prior = np.minimum(factor * forecast.failing, 0.9)
    failing = (tally.failures + 2 * prior) / (tally.trials + 2)
    counting = (tally.counted + 2 * np.maximum(forecast.counting, prior)) / (tally.trials + 2)
    return Expected(tally.shares, failing, np.minimum(np.maximum(counting, failing), 1.0))


def _top(parts: Sequence[Part], top: TopEvent) -> tuple[float, float]:
    before = {part.asked.name: part.outlook.today for part in parts}
    return top(before), top({part.asked.name: min(part.outlook.then, before[part.asked.name]) for part in parts})


def _in_vain(parts: Sequence[Part]) -> Iterator[str]:
    """What is not expected to get better, which a larger number alone would leave to the reader."""
    for part in parts:
        before, then = part.outlook.today, part.outlook.then
        if part.added.sum() and then >= before:
            yield (
                f"{part.asked.title}: these labels are not expected to lower the bound, which is {before:.4g} today "
                f"and about {then:.4g} then: they are too few, or the method of today's bound gives a lower one."
            )


def _strata(part: Part) -> list[tuple[Any, ...]]:
    tally = part.asked.tally
    counts = zip(tally.names, tally.shares, tally.trials, tally.failures, part.added, strict=True)
    return [(part.asked.title, name, float(w), int(n), int(k), int(add)) for name, w, n, k, add in counts]
