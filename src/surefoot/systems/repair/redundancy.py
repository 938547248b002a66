"""Which configurations fail on different inputs, and what running several of them would give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.systems.data.conditions import Condition
from surefoot.systems.repair.paired import Figure, Figured, PairedRuns, cells_of, heads_of
from surefoot.systems.tables.measured import Measured, failed
from surefoot.systems.tables.resampling import few_units_notes

WHERE = "advise"
MOST = 8
"""Configurations that are combined in every way."""


@dataclass(frozen=True)
class Combination:
    """Configurations run beside each other: how often too many of them fail together.

    ``all_fail``: no answer is right. ``most_fail``: half of them or more fail, so that a vote may be lost. ``factor``:
    how many times more often all fail than if they failed independently.
    """

    members: tuple[str, ...]
    all_fail: Figured
    most_fail: Figured
    factor: Figured
    best_alone: float

    @property
    def name(self) -> str:
        """The members."""
        return " + ".join(self.members)


@dataclass(frozen=True, eq=False)
class Advice:
    """Combinations, those that fail together least often first."""

    alone: Mapping[str, Figured]
    combinations: tuple[Combination, ...]
    limit: float
    level: float
    items: int
    units: int

    @property
    def table(self) -> Table:
        """One row a combination."""
        heads = heads_of("all fail", "half or more fail", "dependence")
        rows = [
            (c.name, len(c.members), *cells_of(c.all_fail, c.most_fail, c.factor), c.best_alone)
            for c in self.combinations
        ]
        return Table(("configurations", "number", *heads, "best alone"), tuple(rows))

    def __str__(self) -> str:
        return "\n".join([str(self.table), *few_units_notes(self.units)])


def advise(
    systems: Mapping[str, Measured],
    *,
    limit: float = 0.0,
    weights: Mapping[Condition, float] | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> Advice:
    """Every combination of configurations measured on the same items: how often its members fail together.

    A configuration fails an item whose error is above ``limit``, or on which a module raised. Conditions count by
    ``weights``, by default equally. What a vote of their answers really gives is for ``vote`` and the metric to say.
    Where right answers are all alike, or numbers within ``limit``, how often half or more fail is the most a vote can
    lose; texts that differ although their errors are within ``limit`` may be outvoted more often.
    """
    names = list(systems)
    if not 2 <= len(names) <= MOST:
        raise InvalidInput(f"combines 2 to {MOST} configurations", where=WHERE, found=str(len(names)))
    validate.at_least_zero(limit, where=WHERE, name="limit")
    first = systems[names[0]]
    shares = _shares(first, weights)
    failing = _failing(systems, shares, limit)
    everyone = [tuple(some) for count in range(2, len(names) + 1) for some in combinations(range(len(names)), count)]
    columns = _columns(failing, shares, everyone)
    runs = PairedRuns.of([columns], first.units, draws=draws, seed=seed, where=WHERE)
    alone = {name: runs.figure(_share(place), level=level) for place, name in enumerate(names)}
    found = [_combination(names, everyone, number, runs, alone, level) for number in range(len(everyone))]
    ordered = sorted(found, key=lambda c: (c.all_fail.value or 0, c.most_fail.value or 0, len(c.members)))
    return Advice(alone, tuple(ordered), limit, level, runs.items, runs.units)


def _shares(measured: Measured, weights: Mapping[Condition, float] | None) -> dict[Condition, float]:
    given = dict.fromkeys(measured.conditions, 1.0) if weights is None else dict(weights)
    total = sum(given.values())
    if not total > 0 or min(given.values()) < 0 or not set(given) <= set(measured.conditions):
        found = ", ".join(f"{condition.label}: {weight}" for condition, weight in given.items()) or "none"
        raise InvalidInput(
            "weights must be of measured conditions, none negative and not all 0", where=WHERE, found=found
        )
    return {condition: weight / total for condition, weight in given.items() if weight}


def _failing(
    systems: Mapping[str, Measured], shares: Mapping[Condition, float], limit: float
) -> dict[Condition, NDArray[np.bool_]]:
    """For each condition, configurations x items."""
    found = {}
    for name, each in systems.items():
        missing = [condition.label for condition in shares if condition not in each.conditions]
        if missing:
            raise InvalidInput(f"{name!r} was not measured in a condition", where=WHERE, found=", ".join(missing))
    for condition in shares:
        rows = [failed(each, condition, limit=limit) for each in systems.values()]
        if len({len(row) for row in rows}) != 1:
            raise InvalidInput("configurations must have the same items", where=WHERE, found=condition.label)
        found[condition] = np.array(rows)
    return found


def _columns(
    failing: Mapping[Condition, NDArray[np.bool_]],
    shares: Mapping[Condition, float],
    everyone: Sequence[tuple[int, ...]],
) -> FloatArray:
    """For each item, weighed over conditions: each fails; all of a set fail; half or more of a set fail; and 1."""
    configurations, count = next(iter(failing.values())).shape
    whole = np.zeros((count, configurations + 2 * len(everyone) + 1))
    for condition, rows in failing.items():
        together = [rows[list(some)].all(axis=0) for some in everyone]
        half = [2 * rows[list(some)].sum(axis=0) >= len(some) for some in everyone]
        whole += shares[condition] * np.column_stack([*rows, *together, *half, np.ones(count, bool)])
    return whole


def _share(place: int) -> Figure:
    def figure(sums: FloatArray) -> FloatArray:
        return np.asarray(sums[..., 0, place] / sums[..., 0, -1])

    return figure


def _combination(
    names: Sequence[str],
    everyone: Sequence[tuple[int, ...]],
    number: int,
    runs: PairedRuns,
    alone: Mapping[str, Figured],
    level: float,
) -> Combination:
    some = everyone[number]
    together, half = len(names) + number, len(names) + len(everyone) + number

    def factor(sums: FloatArray) -> FloatArray:
        rates = sums[..., 0, list(some)] / sums[..., 0, -1:]
        apart = rates.prod(axis=-1)
        joint = sums[..., 0, together] / sums[..., 0, -1]
        return np.divide(joint, apart, out=np.full(apart.shape, np.nan), where=apart > 0)

    members = tuple(names[place] for place in some)
    all_fail, most_fail, more_often = (
        runs.figure(figure, level=level) for figure in (_share(together), _share(half), factor)
    )
    return Combination(members, all_fail, most_fail, more_often, min(alone[name].value or 0.0 for name in members))
