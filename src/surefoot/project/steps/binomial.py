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
    overall = counting.bound(np.ones(len(chosen), dtype=bool), scope_of(chosen, of))
    parts = [counting.line(name, mask, scope_of(chosen, of, name)) for name, mask in counting.parts(by, of)]
    checks = {"identical-distribution": drift(failed.astype(float), chosen.labels)}
    if groups == "check":
        checks["independent-trials"] = independence(chosen, failed)
    estimates = [overall, *(line.estimate for line in parts if by)]
    lines = [Line(of or "all rows", int(failed.sum()), len(chosen), overall), *parts]
    return Evidence(
        tuple(examined(estimate, checks, also=[IDENTICAL]) for estimate in estimates),
        tables={"answers": tables.answers(chosen), "failures": tables.failures(lines, level)},
        artefacts={
            "failure probability": _intervals(lines, level) if parts or groups != "check" else counting.growth()
        },
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
        return Line(name, int(self.failed[mask].sum()), int(mask.sum()), self.bound(mask, scope))

    def parts(self, by: str | None, of: str | None) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Masks by true class or by value of an attribute; without ``by``, the classes that fail most, to be shown."""
        labels, classes = self.tested.labels, self.tested.classes
        if by not in (None, "class"):
            yield from self._values(by)
        elif by and of:
            raise InvalidInput(
                "of: names one class, so by: class has nothing to tell apart", where=self.tested.component
            )
        elif len(present := np.unique(labels)) > 1 and (by or self.groups == "check"):
            shares = np.bincount(labels, self.failed) / np.maximum(np.bincount(labels), 1)
            worst = present[np.argsort(-shares[present], kind="stable")][: tables.MOST_LINES]
            yield from ((classes[number], labels == number) for number in (present if by else np.sort(worst)))

    def _values(self, attribute: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        known = ("class", *self.tested.attributes)
        where = self.tested.component
        chosen = self.tested.attributes[validate.choice(attribute, known, where=where, name="attribute")]
        column = plain_array(chosen, where=where, name=f"attribute {attribute!r}")
        if column.dtype.kind == "f":
            validate.numbers(column, where=where, name=f"attribute {attribute!r}")
        values = np.unique(column)
        if values.size > MOST_VALUES:
            raise InvalidInput(
                f"{attribute!r} has more than {MOST_VALUES} values",
                where=self.tested.component,
                found=f"{values.size}",
                remedy="Sort its values into a few ranges first.",
            )
        yield from ((f"{attribute} = {value}", column == value) for value in values)

    def growth(self) -> Artefact:
        """The bound as rows come in."""
        rows = self.failed.size
        sizes = np.unique(np.geomspace(max(rows / GROWTH, 1), rows, GROWTH_POINTS).astype(int))
        counts = np.cumsum(self.failed)[sizes - 1].tolist()
        found = [clopper_pearson(k, n, level=self.level) for k, n in zip(counts, sizes.tolist(), strict=True)]
        limits = np.array([(e.value, e.lower(self.level), e.upper(self.level)) for e in found])
        return figures.growth(sizes, *limits.T)


def _intervals(lines: list[Line], level: float) -> Artefact:
    label = f"failure probability, with bounds at level {level:g}"
    return figures.intervals([_interval(line.name, line.estimate, level) for line in lines], label)


def _interval(name: str, estimate: Estimate, level: float) -> figures.Interval:
    lower, upper = limit(estimate, "lower", level), limit(estimate, "upper", level)
    return name, 0.0 if lower is None else lower, estimate.value, 1.0 if upper is None else upper
