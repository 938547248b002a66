"""Which module the error of a system comes from: over all items, and item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.metrics.tasks import Metric, as_metric
from surefoot.systems.data import Condition, Items
from surefoot.systems.graph.module import module_of
from surefoot.systems.graph.system import System, Trace
from surefoot.systems.records.recording import statistics_of
from surefoot.systems.tables.inference import Figured, PairedRuns, cells_of, few_units_notes, heads_of

ON_CLEAN = "fails on clean inputs"
ELSEWHERE = "corruption that no single module mends"
WHERE = "blame"
Blamed = dict[str, dict[Condition, NDArray[np.bool_]]]
MOST_MODULES = 8
"""All 2^m sets of modules are run."""
LOCALISATION_WHERE = "localise"
Modules = frozenset[str]
Progress = Callable[[int, int], None]
Truths = Mapping[str, Sequence[Any]]
"""By place, the true output of each item."""


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
) -> Localisation:
    """How much of the error that a condition adds comes through each module.

    A set of modules is hit when all others give their reference output: what they give on clean inputs, or the
    ``truths`` of their places where these are known (then clean itself may be a condition, and what is divided is all
    error above that of true outputs). In a pure chain corruption enters at the first module and the clean output of any
    later one mends it as well, so shares tell least there and most where ways part.

    Parameters
    ----------
    system, items, conditions, metric
        What is run on what, and what judges it.
    modules
        Those to be told apart, by default all but the one whose output is the system's, since replacing that one mends
        everything.
    truths
        By place the true output of each item.
    level, draws, seed
        Of the intervals.
    batch
        Items at a time.
    progress
        Is told how many parts are done, and how many there are.

    Returns
    -------
    Localisation
        A row for each condition and module.

    References
    ----------
    Wang et al. (2022), SYS, section 5; Shapley (1953) for the shares.

    Examples
    --------
    >>> from surefoot.systems import Module
    >>> eyes = [Module(name, lambda v: v.reshape(len(v), -1).mean(axis=1), {"v": "photo"}, gives="number")
    ...         for name in ("left", "right")]
    >>> head = Module("head", lambda a, b: (a + b) / 2, {"a": "left", "b": "right"}, gives="number")
    >>> system = System([*eyes, head], inputs={"photo": "image"})
    >>> light = np.linspace(0.2, 0.6, 20)
    >>> items = Items({"photo": np.broadcast_to(light[:, None, None, None], (20, 4, 4, 1))}, truth=light)
    >>> brighter = Condition("brightness", 5)
    >>> found = localise(system, items, [brighter], "mae", draws=100)
    >>> [cause.module for cause in found.causes]
    ['left', 'right']

    """
    judge, chosen = as_metric(metric), modules_with_truth(system, modules, truths, where=LOCALISATION_WHERE)
    items.require_truth(where=LOCALISATION_WHERE)
    require_truths(system, chosen, truths, len(items), where=LOCALISATION_WHERE)
    validate.count(batch, where=LOCALISATION_WHERE, name="batch", at_least=1)
    if len(chosen) > MOST_MODULES:
        remedy = "Name those to be told apart with modules=."
        raise InvalidInput(
            f"tells {MOST_MODULES} modules apart at most",
            where=LOCALISATION_WHERE,
            found=str(len(chosen)),
            remedy=remedy,
        )
    hit = [frozenset(some) for count in range(len(chosen) + 1) for some in combinations(chosen, count)]
    worse = [condition for condition in conditions if truths is not None or not condition.clean]
    if not worse:
        raise InvalidInput(
            "needs a condition that is not clean", where=LOCALISATION_WHERE, remedy="Say truths= to divide clean error."
        )
    causes: list[Cause] = []
    left_out = units = 0
    for number, condition in enumerate(worse):
        tell = None if progress is None else partial(_told, progress, number, len(worse))
        statistics = _statistics(system, items, condition, judge, chosen, truths, hit, seed, batch, tell)
        runs = PairedRuns.of(
            [statistics[some] for some in hit], items.units, draws=draws, seed=seed, where=LOCALISATION_WHERE
        )
        left_out, units = max(left_out, runs.left_out), runs.units
        causes += _localisation_causes(condition, judge, chosen, hit, runs, level)
    return Localisation(
        system.name, judge, "clean" if truths is None else "true", tuple(causes), level, left_out, units
    )


@dataclass(frozen=True, eq=False)
class Localisation:
    """The causes of a system's error: each module's share of what a condition adds.

    Parameters
    ----------
    system, metric, reference
        What was run and judged, and what stood for unhit modules: ``clean`` or ``true`` outputs.
    causes
        One for each condition and module.
    level, left_out, units
        Of the intervals, items without an answer that counts, and independent units.

    See Also
    --------
    localise

    """

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


def reference(
    system: System,
    inputs: Mapping[str, Any],
    chosen: list[str],
    truths: Truths | None,
    part: slice,
) -> dict[str, list[Any]]:
    """What the modules that are told apart should give."""
    if truths is not None:
        return {place: list(values[part]) for place, values in truths.items() if module_of(place) in chosen}
    trace = system.run(inputs)
    return {place: values for place, values in trace.outputs.items() if module_of(place) in chosen}


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


def modules_with_truth(
    system: System, modules: Sequence[str] | None, truths: Truths | None, *, where: str
) -> list[str]:
    """``chosen_modules``; where none are named and truths are given, of those whose truth is known."""
    if modules is not None or truths is None:
        return chosen_modules(system, modules, where=where)
    known = {module_of(place) for place in truths}
    usual = [name for name in chosen_modules(system, None, where=where) if name in known]
    return usual or chosen_modules(system, sorted(known), where=where)


def chosen_modules(system: System, modules: Sequence[str] | None, *, where: str) -> list[str]:
    """The modules that are told apart: all but the one whose output is the system's, unless they are named."""
    if modules is None:
        last = module_of(system.output)
        return [name for name in system.modules if name != last] or [last]
    chosen = [validate.choice(name, system.modules, where=where, name="module") for name in modules]
    if not chosen or len(set(chosen)) != len(chosen):
        raise InvalidInput("modules must be named, each once", where=where, found=", ".join(chosen) or "none")
    return chosen


def require_truths(system: System, chosen: Sequence[str], truths: Truths | None, count: int, *, where: str) -> None:
    """Truths are of places, one value an item, and of every module that is told apart."""
    if truths is None:
        return
    for place, values in truths.items():
        validate.choice(place, system.places, where=where, name="place")
        if len(values) != count:
            found = f"{len(values)} of {place!r} for {count} items"
            raise InvalidInput("truths need one value an item", where=where, found=found)
    unknown = [name for name in chosen if not any(place in truths for place in system.modules[name].places)]
    if unknown:
        raise InvalidInput("a module has no truth", where=where, found=", ".join(unknown), remedy="Name others.")


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


def judged(system: System, trace: Trace, items: Items, metric: Metric) -> FloatArray:
    """Statistics of the metric of what a system gave; NaN where an item has no answer that counts."""
    return statistics_of(metric, trace.outputs[system.output], items.read_truth())


def _localisation_causes(
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


def blame(
    system: System,
    items: Items,
    conditions: Sequence[Condition],
    metric: str | Metric,
    *,
    limit: float = 0.0,
    modules: Sequence[str] | None = None,
    seed: int = 0,
    batch: int = 256,
    progress: Progress | None = None,
) -> Blamed:
    """For every failed item of every condition one cause: a partition, which ``system_tree`` makes events of.

    An item that fails on clean inputs is blamed on that. Any other is blamed on the first module, in the order of the
    system, whose clean output alone mends it, or on none. An item fails whose error is above ``limit``, or that has no
    answer.

    Parameters
    ----------
    system, items, conditions, metric, modules, seed, batch, progress
        As for ``localise``.
    limit
        The largest error that is no failure.

    Returns
    -------
    dict of str to dict of Condition to ndarray of bool
        For each cause and condition its items.

    Examples
    --------
    >>> from surefoot.systems import Module
    >>> eyes = [Module(name, lambda v: v.reshape(len(v), -1).mean(axis=1), {"v": "photo"}, gives="number")
    ...         for name in ("left", "right")]
    >>> head = Module("head", lambda a, b: (a + b) / 2, {"a": "left", "b": "right"}, gives="number")
    >>> system = System([*eyes, head], inputs={"photo": "image"})
    >>> light = np.linspace(0.2, 0.6, 20)
    >>> items = Items({"photo": np.broadcast_to(light[:, None, None, None], (20, 4, 4, 1))}, truth=light)
    >>> brighter = Condition("brightness", 5)
    >>> found = blame(system, items, [brighter], "mae", limit=0.1)
    >>> list(found)[0], {cause: int(of[brighter].sum()) for cause, of in found.items()}["fails on clean inputs"]
    ('fails on clean inputs', 0)

    """
    judge, names = as_metric(metric), chosen_modules(system, modules, where=WHERE)
    items.require_truth(where=WHERE)
    validate.count(batch, where=WHERE, name="batch", at_least=1)
    validate.at_least_zero(limit, where=WHERE, name="limit")
    found: Blamed = {
        cause: {condition: np.zeros(len(items), bool) for condition in conditions}
        for cause in (ON_CLEAN, *(f"corruption through {name}" for name in names), ELSEWHERE)
    }
    starts = range(0, len(items), batch)
    for done, start in enumerate(starts, start=1):
        part = items.part(start, min(start + batch, len(items)))
        place = slice(start, start + len(part))
        for condition, causes in _causes(system, part, conditions, judge, names, limit, seed, start).items():
            for cause, mask in zip(found, causes, strict=True):
                found[cause][condition][place] = mask
        if progress is not None:
            progress(done, len(starts))
    return found


def _causes(
    system: System,
    part: Items,
    conditions: Sequence[Condition],
    metric: Metric,
    names: Sequence[str],
    limit: float,
    seed: int,
    start: int,
) -> dict[Condition, list[NDArray[np.bool_]]]:
    """For each condition a mask of items for each cause, in order, that do not overlap."""
    inputs = part.read()
    usual = system.run(inputs)
    clean = _fails(metric, judged(system, usual, part, metric), limit)
    found = {}
    for condition in conditions:
        if condition.clean:
            found[condition] = [clean, *(np.zeros_like(clean) for _ in (*names, ELSEWHERE))]
            continue
        worse = condition.applied(inputs, system.inputs, seed=seed, first=start)
        left = _fails(metric, judged(system, system.run(worse), part, metric), limit)
        masks = [left & clean]
        left = left & ~clean
        for name in names:
            own = {place: v for place, v in usual.outputs.items() if module_of(place) == name}
            mended = left & ~_fails(metric, judged(system, system.run(worse, substitute=own), part, metric), limit)
            masks.append(mended)
            left = left & ~mended
        found[condition] = [*masks, left]
    return found


def _fails(metric: Metric, statistics: FloatArray, limit: float) -> NDArray[np.bool_]:
    # An item without an answer has no error, which is not below the limit.
    return ~(np.asarray(metric.error(statistics)) <= limit)
