"""The step that counts failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds import clopper_pearson, grouped, jeffreys, wilson
from surefoot.bounds.checks import IDENTICAL
from surefoot.bounds.plain import plain_array
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.core import Artefact, Estimate, Evidence, InvalidInput, validate
from surefoot.project.steps import figures, tables
from surefoot.project.steps.checks import drift, examined, independence
from surefoot.project.steps.parameters import By, CountMethod, GroupsOrTrials, Level, MaxGroupSize, OfClass, Undesired
from surefoot.project.steps.rows import failures, known_groups, scope_of
from surefoot.project.steps.tables import Line, limit

METHODS = {"clopper_pearson": clopper_pearson, "jeffreys": jeffreys, "wilson": wilson}
MOST_VALUES = 100
GROWTH, GROWTH_POINTS = 100, 60


def binomial_bound(
    tested: Tested,
    *,
    level: Level = 0.95,
    of: OfClass = None,
    undesired: Undesired = None,
    method: CountMethod = "clopper_pearson",
    by: By = None,
    groups: GroupsOrTrials = "check",
    max_group_size: MaxGroupSize = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the failure probability from counted failures.

    A row fails when its answer is wrong, or is undesired where undesired answers are named; a tie for the highest score
    is a failure. Gives `failure probability`.
    """
    chosen = tested.of_class(of)
    failed = failures(chosen, undesired)
    counting = _Counting(chosen, failed, level, method, groups, max_group_size, seed)
    overall = counting.line(of or "all rows", np.ones(len(chosen), dtype=bool), scope_of(chosen, of))
    parts = [counting.line(name, mask, scope_of(chosen, of, name)) for name, mask in counting.parts(by, of)]
    checks = {"identical-distribution": drift(failed.astype(float), chosen.labels)}
    if groups == "check":
        checks["independent-trials"] = independence(chosen, failed)
    figure = _intervals([overall, *parts], level) if parts or groups != "check" else counting.growth()
    return Evidence(
        tuple(examined(line.estimate, checks, also=[IDENTICAL]) for line in (overall, *(parts if by else ()))),
        tables={"answers": tables.answers(chosen), "failures": tables.failures([overall, *parts], level)},
        artefacts={"failure probability": figure},
    )


@dataclass(frozen=True, eq=False)
class _Counting:
    """Failures of rows, and how to bound their probability in a part of the rows."""

    tested: Tested
    failed: NDArray[np.bool_]
    level: float
    method: str
    groups: str
    max_group_size: int | None
    seed: int

    def __post_init__(self) -> None:
        where = f"binomial_bound of {self.tested.component}"
        validate.choice(self.method, METHODS, where=where, name="method")
        validate.choice(self.groups, ("check", "use", "trial"), where=where, name="use of groups")
        if self.groups != "check" and self.method != "clopper_pearson":
            raise InvalidInput(f"groups: {self.groups} has its own method", where=where, found=self.method)

    def bound(self, mask: NDArray[np.bool_], scope: str) -> Estimate:
        failed = self.failed[mask]
        if self.groups == "check":
            return METHODS[self.method](int(failed.sum()), failed.size, level=self.level, scope=scope)
        return self._by_group(failed, known_groups(self.tested)[mask], scope)

    def _by_group(self, failed: NDArray[np.bool_], groups: NDArray[Any], scope: str) -> Estimate:
        found = grouped(
            failed.astype(float),
            groups,
            level=self.level,
            max_group_size=self.max_group_size,
            per="input" if self.groups == "use" else "group",
            seed=self.seed,
            quantity=FAILURE_PROBABILITY,
            scope=scope,
        )
        if self.groups == "use":
            return found
        trials = found.details["groups"]
        return replace(found, details={**found.details, "failures": round(found.value * trials), "trials": trials})

    def line(self, name: str, mask: NDArray[np.bool_], scope: str) -> Line:
        """The bound in a part of the rows, and what was counted for it: rows, or groups where they are the trials."""
        found = self.bound(mask, scope)
        if self.groups == "trial":
            return Line(name, found.details["failures"], found.details["trials"], found)
        return Line(name, int(self.failed[mask].sum()), int(mask.sum()), found)

    def parts(self, by: str | None, of: str | None) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Masks by true class or by value of an attribute; without ``by``, the classes that fail most, to be shown."""
        if by == "class" and of:
            problem = "of: names one class, so by: class has nothing to tell apart"
            raise InvalidInput(problem, where=self.tested.component)
        if by is None:
            yield from self._worst_classes() if self.groups == "check" else ()
        else:
            column = self._column(by)
            names = self.tested.classes if by == "class" else None
            for value in self._few_values(by, column):
                yield names[value] if names else f"{by} = {value}", column == value

    def _worst_classes(self) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        labels = self.tested.labels
        present = np.unique(labels)
        shares = np.bincount(labels, self.failed)[present] / np.bincount(labels)[present]
        worst = present[np.sort(np.argsort(-shares, kind="stable")[: tables.MOST_LINES])]
        yield from ((self.tested.classes[number], labels == number) for number in worst if present.size > 1)

    def _column(self, by: str) -> NDArray[Any]:
        where, name = self.tested.component, f"attribute {by!r}"
        columns = {**self.tested.attributes, "class": self.tested.labels}
        column = plain_array(
            columns[validate.choice(by, columns, where=where, name="attribute")], where=where, name=name
        )
        return validate.numbers(column, where=where, name=name) if column.dtype.kind == "f" else column

    def _few_values(self, by: str, column: NDArray[Any]) -> list[Any]:
        values = np.unique(column).tolist()
        if len(values) > MOST_VALUES:
            raise InvalidInput(
                f"{by!r} has more than {MOST_VALUES} values",
                where=self.tested.component,
                found=f"{len(values)}",
                remedy="Sort its values into a few ranges first.",
            )
        return values

    def growth(self) -> Artefact:
        """The bound as rows come in."""
        rows = self.failed.size
        sizes = np.unique(np.geomspace(max(rows / GROWTH, 1), rows, GROWTH_POINTS).astype(int))
        counts = np.cumsum(self.failed)[sizes - 1].tolist()
        found = [clopper_pearson(k, n, level=self.level) for k, n in zip(counts, sizes.tolist(), strict=True)]
        limits = np.array([(e.value, e.lower(self.level), e.upper(self.level)) for e in found])
        return figures.growth(sizes, *limits.T)


def _intervals(lines: list[Line], level: float) -> Artefact:
    """All rows and the worst parts."""
    worst = sorted(lines[1:], key=lambda line: line.estimate.value, reverse=True)[: tables.MOST_LINES]
    shown = [lines[0], *(line for line in lines[1:] if line in worst)]
    label = f"failure probability, with bounds at level {level:g}"
    return figures.intervals([_interval(line.name, line.estimate, level) for line in shown], label)


def _interval(name: str, estimate: Estimate, level: float) -> figures.Interval:
    lower, upper = limit(estimate, "lower", level), limit(estimate, "upper", level)
    return name, 0.0 if lower is None else lower, estimate.value, 1.0 if upper is None else upper
