"""Where the error comes from: a module's output replaced by its clean or its true one (causal share of the error)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import factorial

import numpy as np

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.systems.data.conditions import Condition
from surefoot.systems.data.items import Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System
from surefoot.systems.repair.paired import Figured, PairedRuns, cells_of, heads_of
from surefoot.systems.repair.references import (
    Truths,
    judged,
    modules_with_truth,
    reference,
    require_truth,
    require_truths,
)
from surefoot.systems.tables.resampling import few_units_notes

MOST_MODULES = 8
"""All 2^m sets of modules are run."""
WHERE = "localise"
Modules = frozenset[str]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Cause:
    """A module in one condition.

    ``removed``: the share of the added error that goes when this module alone gives its reference output. ``brought``:
    the share that comes when this module alone is hit. ``share``: its Shapley value, which divides the added error
    among the modules without rest.
    """

    condition: Condition
    module: str
    added: Figured
    removed: Figured
    brought: Figured
    share: Figured


@dataclass(frozen=True, eq=False)
class Localised:
    """The causes of a system's error."""

    system: str
    metric: Metric
    reference: str
    causes: tuple[Cause, ...]
    level: float
    left_out: int
    units: int

    @property
    def table(self) -> Table:
        """One row a condition and module."""
        heads = heads_of("added error", "removed", "brought", "share")
        rows = [
            (*c.condition.corruption_and_severity, c.module, *cells_of(c.added, c.removed, c.brought, c.share))
            for c in self.causes
        ]
        return Table(("corruption", "severity", "module", *heads), tuple(rows))

    def __str__(self) -> str:
        said = f"Reference: {self.reference} outputs. Left out: {self.left_out} items."
        return "\n".join([str(self.table), said, *few_units_notes(self.units)])


def localise(
    system: System,
    items: Items,
    conditions: Sequence[Condition],
    metric: str | Metric,
    *,
    modules: Sequence[str] | None = None,
    truths: Truths | None = None,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
    batch: int = 256,
    progress: Progress | None = None,
) -> Localised:
    """How much of the error that a condition adds comes through each module.

    A set of modules is hit when all others give their reference output: what they give on clean inputs, or the
    ``truths`` of their places where these are known (then clean itself may be a condition, and what is divided is all
    error above that of true outputs). ``modules`` are those to be told apart, by default all but the one whose output
    is the system's, since replacing that one mends everything. In a pure chain corruption enters at the first module
    and the clean output of any later one mends it as well, so shares tell least there and most where ways part.
    """
    judge, chosen = as_metric(metric), modules_with_truth(system, modules, truths, where=WHERE)
    require_truth(items, where=WHERE)
    require_truths(system, chosen, truths, len(items), where=WHERE)
    validate.count(batch, where=WHERE, name="batch", at_least=1)
    if len(chosen) > MOST_MODULES:
        remedy = "Name those to be told apart with modules=."
        raise InvalidInput(
            f"tells {MOST_MODULES} modules apart at most", where=WHERE, found=str(len(chosen)), remedy=remedy
        )
    hit = [frozenset(some) for count in range(len(chosen) + 1) for some in combinations(chosen, count)]
    worse = [condition for condition in conditions if truths is not None or not condition.clean]
    if not worse:
        raise InvalidInput(
            "needs a condition that is not clean", where=WHERE, remedy="Say truths= to divide clean error."
        )
    causes: list[Cause] = []
    left_out = units = 0
    for number, condition in enumerate(worse):
        tell = None if progress is None else partial(_told, progress, number, len(worse))
        statistics = _statistics(system, items, condition, judge, chosen, truths, hit, seed, batch, tell)
        runs = PairedRuns.of([statistics[some] for some in hit], items.units, draws=draws, seed=seed, where=WHERE)
        left_out, units = max(left_out, runs.left_out), runs.units
        causes += _causes(condition, judge, chosen, hit, runs, level)
    return Localised(system.name, judge, "clean" if truths is None else "true", tuple(causes), level, left_out, units)


def _told(progress: Progress, number: int, conditions: int, done: int, total: int) -> None:
    progress(number * total + done, conditions * total)


def _statistics(
    system: System,
    items: Items,
    condition: Condition,
    metric: Metric,
    chosen: list[str],
    truths: Truths | None,
    hit: list[Modules],
    seed: int,
    batch: int,
    tell: Progress | None,
) -> dict[Modules, FloatArray]:
    """Statistics of every set of modules that are hit."""
    found: dict[Modules, list[FloatArray]] = {some: [] for some in hit}
    starts = range(0, len(items), batch)
    for done, start in enumerate(starts, start=1):
        part = items.part(start, min(start + batch, len(items)))
        inputs = part.read()
        worse = condition.applied(inputs, system.inputs, seed=seed, first=start)
        kept = reference(system, inputs, chosen, truths, slice(start, start + len(part)))
        for some in hit:
            mended = {place: values for place, values in kept.items() if module_of(place) not in some}
            found[some].append(judged(system, system.run(worse, substitute=mended), part, metric))
        if tell is not None:
            tell(done, len(starts))
    return {some: np.concatenate(blocks) for some, blocks in found.items()}


def _causes(
    condition: Condition, metric: Metric, chosen: list[str], hit: list[Modules], runs: PairedRuns, level: float
) -> Iterator[Cause]:
    place = {some: number for number, some in enumerate(hit)}
    sign = 1.0 if metric.better == "lower" else -1.0
    nothing, everything = place[frozenset()], place[frozenset(chosen)]

    def worth(sums: FloatArray) -> FloatArray:
        return sign * np.asarray(metric.value(sums))

    def added(sums: FloatArray) -> FloatArray:
        values = worth(sums)
        return values[..., everything] - values[..., nothing]

    def share(weights: FloatArray, sums: FloatArray) -> FloatArray:
        whole = added(sums)
        # A share of nothing, or of a gain, is no share.
        return np.divide(worth(sums) @ weights, whole, out=np.full(whole.shape, np.nan), where=whole > 0)

    total = runs.figure(added, level=level)
    for module in chosen:
        removed, brought, shapley = np.zeros((3, len(hit)))
        removed[everything] += 1
        removed[place[frozenset(chosen) - {module}]] -= 1
        brought[place[frozenset({module})]] += 1
        brought[nothing] -= 1
        for some in hit:
            if module in some:
                weight = factorial(len(some) - 1) * factorial(len(chosen) - len(some)) / factorial(len(chosen))
                shapley[place[some]] += weight
                shapley[place[some - {module}]] -= weight
        shares = [runs.figure(partial(share, weights), level=level) for weights in (removed, brought, shapley)]
        yield Cause(condition, module, total, *shares)
