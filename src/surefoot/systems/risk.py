"""Risk: from what was measured item by item to failure probabilities that fault tree, case and verdict consume.

``failures`` gives one Estimate a condition, ``system_failure`` the whole under a ``Mix`` of conditions, that is an
operational profile over them, and ``system_tree`` modules as basic events with the dependence that was measured. The
rest of Surefoot needs what paper SYS (Wang et al. 2022) leaves open. May import ``core``, ``bounds``, ``faulttree``,
``monitors``, ``systems.data`` and ``systems.tables``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot import bounds
from surefoot.bounds.dependence import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, REPRESENTATIVE, approximate
from surefoot.core import (
    Assumption,
    Empirical,
    Estimate,
    InvalidInput,
    Provenance,
    QuantileBound,
    digest,
    propagate,
    validate,
)
from surefoot.core.canonical import array_digest
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.faulttree import FaultTree, Formula
from surefoot.faulttree.quantities import Measured
from surefoot.monitors.evaluation.bootstrap import Resampled
from surefoot.systems.data import Condition
from surefoot.systems.tables.inference import Measurements, failed, numbered

__all__ = ["Mix", "conditional_probabilities", "failed", "failures", "system_failure", "system_tree"]
WHERE = "system_tree"
Gate = Literal["or", "and"]
Events = Mapping[str, Mapping[Condition, NDArray[np.bool_]]]
"""For each event and condition, the items in which it happened."""
MIX_WHERE = "mix of conditions"
SLACK = 1e-6
QUANTITY = "system failure"
PROBABILITIES_WHERE = "system_failure"
STAND_IN = Assumption(
    "corruptions-stand-for-conditions",
    "Inputs corrupted in the laboratory fail the system as often as inputs met in the condition that they stand for.",
)
STATED_MIX = Assumption("stated-mix", "Operation meets the conditions in the stated shares, and meets no others.")
COUNTED_MIX = Assumption(
    "counted-mix",
    "The conditions counted in operation are independent and drawn like those to come, and no others occur.",
)
PRIOR = 1
"""Tells random numbers of the prior from those of the units drawn."""


@validate.arguments
def failures(
    measured: Measurements, *, limit: float = 0.0, level: float = 0.95, max_group_size: int | None = None
) -> dict[Condition, Estimate]:
    """The probability of failure in each condition: exact for independent items, by betting on units otherwise.

    Parameters
    ----------
    measured
        The system.
    limit
        The largest error that is no failure.
    level
        Of the bounds.
    max_group_size
        The most items that a unit can have in operation; without it the largest unit seen takes its place, and the
        bound is heuristic.

    Returns
    -------
    dict of Condition to Estimate
        One for each condition.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> found = failures(measured, limit=5)
    >>> found[both[0]].value, found[both[1]].value
    (0.045, 0.255)

    """
    how = _How(level, max_group_size)
    validate.at_least_zero(limit, where="failures", name="limit")
    found = {}
    for condition in measured.conditions:
        estimate = _bound(failed(measured, condition, limit=limit), measured.units, how, scope=condition.label)
        found[condition] = estimate if condition.clean else _assuming(estimate, STAND_IN)
    return found


@dataclass(frozen=True)
class _How:
    """At which level, and how many items a unit can have in operation."""

    level: float
    max_group_size: int | None

    def grouped(self, losses: FloatArray, units: NDArray[np.int64], scope: str) -> Estimate:
        size = self.max_group_size
        return bounds.grouped(losses, units, level=self.level, max_group_size=size, quantity=QUANTITY, scope=scope)


def _bound(failing: NDArray[np.bool_], units: NDArray[np.int64] | None, how: _How, *, scope: str) -> Estimate:
    """Of one condition."""
    if units is not None:
        return how.grouped(failing.astype(np.float64), units, scope)
    return bounds.clopper_pearson(int(failing.sum()), failing.size, level=how.level, quantity=QUANTITY, scope=scope)


def _assuming(estimate: Estimate, *assumptions: Assumption) -> Estimate:
    return replace(estimate, assumptions=(*estimate.assumptions, *assumptions))


@validate.arguments
def system_failure(
    measured: Measurements,
    mix: Mix,
    *,
    limit: float = 0.0,
    level: float = 0.95,
    max_group_size: int | None = None,
    scope: str = "",
) -> Estimate:
    """The probability that the system fails on its next input, in operation that meets a mix of conditions.

    Under stated shares each item counts with its failures over all conditions, weighed, so that it does not matter that
    every condition was measured on the same items. Under counted ones the uncertainty of every share and every
    condition is added up, whatever they have to do with each other, which is cautious; a condition that is listed and
    was never seen counts with what its share may still be.

    Parameters
    ----------
    measured, limit, level, max_group_size
        As for ``failures``.
    mix
        How often each condition is met.
    scope
        Of the estimate.

    Returns
    -------
    Estimate
        With its upper and lower bound.

    Examples
    --------
    >>> import numpy as np
    >>> from surefoot.metrics import tasks
    >>> from surefoot.systems import MemoryColumns, Measurements, Score, conditions
    >>> rng, both = np.random.default_rng(0), conditions(["fog"], [3])
    >>> hard = rng.normal(size=(2, 200)) + [[0], [1]]
    >>> statistics = {c: np.column_stack([np.exp(row), np.ones(200)]) for c, row in zip(both, hard)}
    >>> families = {Score("net", "KDE"): "strangeness", Score("net", "VRO"): "uncertainty"}
    >>> scores = {score: dict(zip(both, hard + rng.normal(size=hard.shape))) for score in families}
    >>> measured = Measurements("camera", tasks.mae(), both, families, MemoryColumns(statistics, scores))
    >>> found = system_failure(measured, Mix({"clean": 0.9, "fog 3": 0.1}), limit=5)
    >>> round(found.value, 4)
    0.066

    """
    how = _How(level, max_group_size)
    validate.at_least_zero(limit, where=PROBABILITIES_WHERE, name="limit")
    met = mix.of(measured.conditions)
    stand_in = () if all(condition.clean for condition in met) else (STAND_IN,)
    if mix.counted:
        counts = {condition: int(count) for condition, count in met.items()}
        return _assuming(_added_up(measured, counts, limit, how, scope), COUNTED_MIX, *stand_in)
    return _assuming(_weighed(measured, mix, limit, how, scope), STATED_MIX, *stand_in)


@dataclass(frozen=True)
class Mix:
    """How often each condition is met: an operational profile over conditions.

    Parameters
    ----------
    shares
        By label (``clean``, ``fog 3``) shares that sum to 1, or counts as seen in operation.
    counted
        Whether they are counts: a sample, whose uncertainty enters the result.

    Examples
    --------
    >>> Mix({"clean": 0.9, "fog 3": 0.1}).counted, Mix.of_counts({"clean": 90, "fog 3": 10}).counted
    (False, True)

    """

    shares: Mapping[str, float]
    counted: bool = False

    def __post_init__(self) -> None:
        validate.fields(self)
        for label, share in self.shares.items():
            if self.counted:
                validate.count(share, where=MIX_WHERE, name=label)
            else:
                validate.probability(share, where=MIX_WHERE, name=label)
        total = sum(self.shares.values())
        if self.counted and total == 0:
            raise InvalidInput("no condition was seen", where=MIX_WHERE)
        if not self.counted and abs(total - 1) > SLACK:
            remedy = "Give shares that sum to 1; conditions that do not occur have share 0."
            raise InvalidInput("shares must sum to 1", where=MIX_WHERE, found=f"{total:g}", remedy=remedy)

    @classmethod
    def of_counts(cls, counts: Mapping[str, int]) -> Mix:
        """How often each condition was seen in operation."""
        return cls(dict(counts), counted=True)

    @classmethod
    def equal(cls, conditions: Sequence[Condition]) -> Mix:
        """All conditions alike: an average over what was tested, which is no operational profile."""
        return cls({condition.label: 1 / len(conditions) for condition in conditions})

    def weights(self, conditions: Sequence[Condition]) -> dict[Condition, float]:
        """The share of each condition that occurs; those that were not measured cannot be told."""
        total = sum(self.shares.values())
        return {condition: share / total for condition, share in self.of(conditions).items() if share}

    def of(self, conditions: Sequence[Condition]) -> dict[Condition, float]:
        """Shares or counts as stated, by condition; one that was looked for and never seen may still occur."""
        known = {condition.label: condition for condition in conditions}
        named = [label for label, share in self.shares.items() if share or self.counted]
        unknown = sorted(label for label in named if label not in known)
        if unknown:
            remedy = f"Measurements were {listed(list(known))}."
            raise InvalidInput("a condition was not measured", where=MIX_WHERE, found=", ".join(unknown), remedy=remedy)
        return {known[label]: self.shares[label] for label in named}


def _added_up(measured: Measurements, counts: Mapping[Condition, int], limit: float, how: _How, scope: str) -> Estimate:
    level, total = how.level, sum(counts.values())
    inputs: dict[str, Estimate] = {}
    for condition, seen in counts.items():
        name = condition.label
        inputs[f"share of {name}"] = bounds.clopper_pearson(seen, total, level=level, quantity="share", scope=name)
        inputs[f"failure under {name}"] = _bound(
            failed(measured, condition, limit=limit), measured.units, how, scope=name
        )

    def whole(**values: Any) -> Any:
        names = [condition.label for condition in counts]
        return np.minimum(1, sum(values[f"share of {name}"] * values[f"failure under {name}"] for name in names))

    return propagate(
        whole,
        inputs,
        quantity=QUANTITY,
        unit=PER_DEMAND,
        scope=scope,
        direction=dict.fromkeys(inputs, 1),
        level=level,
    )


def _weighed(measured: Measurements, mix: Mix, limit: float, how: _How, scope: str) -> Estimate:
    """Of the share of each item's failures over all conditions."""
    weights = mix.weights(measured.conditions)
    if len(weights) == 1:
        return _bound(failed(measured, next(iter(weights)), limit=limit), measured.units, how, scope=scope)
    failing = np.array([failed(measured, condition, limit=limit) for condition in weights], dtype=np.float64)
    losses = np.clip(np.array(list(weights.values())) @ failing, 0, 1)
    if measured.units is not None:
        return how.grouped(losses, measured.units, scope)
    return bounds.betting(losses, level=how.level, quantity=QUANTITY, scope=scope)


@validate.arguments
def system_tree(
    events: Events,
    weights: Mapping[Condition, float],
    *,
    gate: Gate = "or",
    top: str = "system fails",
    name: str = "system",
    units: NDArray[np.int64] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> FaultTree:
    """A fault tree whose basic events are modules with the dependence that was measured.

    Parameters
    ----------
    events, weights, units, level, draws, seed
        As for ``conditional_probabilities``.
    gate
        "or": causes of a failure, each enough by itself; "and": redundant modules, all of which must fail.
    top, name
        Of the top event and the tree.

    Returns
    -------
    FaultTree
        One gate over the events.

    Examples
    --------
    >>> from surefoot.systems import CLEAN
    >>> blind, late = np.arange(100) < 10, np.arange(100) < 20
    >>> tree = system_tree({"blind": {CLEAN: blind}, "late": {CLEAN: late}}, {CLEAN: 1})
    >>> round(tree.probability(), 6)
    0.2

    """
    found = conditional_probabilities(events, weights, gate=gate, units=units, level=level, draws=draws, seed=seed)
    labels = {top: f"{top}: {'one of its causes' if gate == 'or' else 'all modules together'}, dependence as measured"}
    quantities = {event: Measured(estimate) for event, estimate in found.items()}
    return FaultTree(top, {top: Formula(gate, tuple(found))}, quantities, name=name, labels=labels)


@validate.arguments
def conditional_probabilities(
    events: Events,
    weights: Mapping[Condition, float],
    *,
    gate: Gate = "or",
    units: NDArray[np.int64] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> dict[str, Estimate]:
    """Each event's probability, given the events before it, as measured.

    For "or": given that none of those before happened; for "and": given that all did. An "or" or "and" gate over them,
    which multiplies as if they were independent, then gives exactly the share of items that was measured, whatever the
    events have to do with each other. Where those before leave no item, events are left out: the gate has its value
    without them. Items, or units of them, are resampled, the same ones for all events. To what is drawn, half a unit is
    added for each event and for none of them, which lets no probability be surely 0: where units are few, the mean of
    the draws lies above what was measured.

    Parameters
    ----------
    events
        For each event and condition, the items in which it happened.
    weights
        How much each condition counts.
    gate
        ``or`` or ``and``.
    units
        Groups of items that are not independent, as numbers.
    level
        Of the bounds.
    draws, seed
        Those of later propagations.

    Returns
    -------
    dict of str to Estimate
        Heuristic bounds from resampling.

    Examples
    --------
    >>> from surefoot.systems import CLEAN
    >>> blind, late = np.arange(100) < 10, np.arange(100) < 20
    >>> found = conditional_probabilities({"blind": {CLEAN: blind}, "late": {CLEAN: late}}, {CLEAN: 1})
    >>> found["blind"].value, round(found["late"].value, 6)
    (0.1, 0.111111)

    """
    validate.choice(gate, ("or", "and"), where=WHERE, name="gate")
    validate.level(level, where=WHERE)
    met = _met(weights)
    rows = _rows(events, met)
    count = len(next(iter(rows.values()))) // len(met)
    weighed = np.repeat(list(met.values()), count)
    if units is not None and len(units) != count:
        raise InvalidInput("units must name one unit an item", where=WHERE, found=f"{len(units)} for {count} items")
    own = np.tile(np.arange(count) if units is None else np.asarray(units), len(met))
    stops = _stops(rows, gate)
    data = {name: array_digest(row) for name, row in rows.items()}
    data |= {"units": array_digest(own), "weights": array_digest(weighed)}
    common = digest({"data": data, "events": list(rows), "gate": gate, "draws": [draws, seed]})
    sample = Sample(np.array([*stops.values()]), weighed, own, draws, seed, common)
    found = {
        name: _estimate(name, sample, place, gate, level, Provenance(WHERE, {"draws": draws}, (common,), data, seed))
        for place, name in enumerate(stops)
    }
    rests_on = (STATED_MIX,) if all(condition.clean for condition in met) else (STATED_MIX, STAND_IN)
    return {name: replace(each, assumptions=(*each.assumptions, *rests_on)) for name, each in found.items()}


def _met(weights: Mapping[Condition, float]) -> dict[Condition, float]:
    """Conditions that occur."""
    if not weights or not all(np.isfinite(weight) and weight >= 0 for weight in weights.values()):
        found = ", ".join(f"{condition.label}: {weight}" for condition, weight in weights.items()) or "none"
        raise InvalidInput("weights must be numbers of at least 0", where=WHERE, found=found)
    met = {condition: float(weight) for condition, weight in weights.items() if weight}
    if not met:
        raise InvalidInput("one weight must be above 0", where=WHERE, found="all 0")
    return met


def _rows(events: Events, met: Mapping[Condition, float]) -> dict[str, NDArray[np.bool_]]:
    """Of each event, whether it happened to each item of one condition after another."""
    if not events:
        raise InvalidInput("needs at least one event", where=WHERE)
    for name, by_condition in events.items():
        missing = [condition.label for condition in met if condition not in by_condition]
        if missing:
            raise InvalidInput(f"{name!r} was not seen in a condition", where=WHERE, found=", ".join(missing))
    lengths = {len(events[name][condition]) for name in events for condition in met}
    if len(lengths) != 1:
        raise InvalidInput("events must be of the same items", where=WHERE, found=f"{sorted(lengths)} items")
    return {
        name: np.concatenate([np.asarray(by_condition[condition], bool) for condition in met])
        for name, by_condition in events.items()
    }


def _stops(rows: Mapping[str, NDArray[np.bool_]], gate: Gate) -> dict[str, NDArray[np.bool_]]:
    """Where each event is the one that settles the gate: the first to happen ("or"), the first not to ("and")."""
    left, found = np.ones(len(next(iter(rows.values()))), bool), {}
    for name, happened in rows.items():
        if not left.any():
            break
        found[name] = left & (happened if gate == "or" else ~happened)
        left = left & ~found[name]
    return found


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows that weigh something, in independent units; each is settled by one of several events, or by none."""

    settles: NDArray[np.bool_]
    """Events x rows; no row by two."""
    weights: FloatArray
    units: NDArray[np.int64]
    draws: int
    seed: int
    key: str
    """Digest of all this: samples that differ must not be drawn by the same random numbers."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.weights.size

    @cached_property
    def count(self) -> int:
        """How many units there are."""
        return len(self._sums)

    def settled(self, event: int) -> tuple[float, FloatArray]:
        """How often an event settles what those before it did not, as measured and as drawn."""
        whole = self._sums.sum(axis=0)
        drawn = self._drawn
        return float(whole[event] / whole[event:].sum()), drawn[:, event] / drawn[:, event:].sum(axis=1)

    @cached_property
    def _sums(self) -> FloatArray:
        """Weight of each event, and of none, in each unit."""
        units = numbered(self.units)
        by_event = [*self.settles, ~self.settles.any(axis=0)]
        return np.column_stack([np.bincount(units, self.weights * some) for some in by_event])

    @cached_property
    def _drawn(self) -> FloatArray:
        """Draws x events, all of the same units, with half a unit of each event and of none: what is unseen may be."""
        own = int(self.key[:12], 16)
        sums = self._sums
        means = Resampled(sums, np.ones(len(sums)), self.draws, own).means
        prior = np.random.default_rng([own, PRIOR]).gamma(0.5, size=means.shape)
        return means + prior * sums.sum() / len(sums) ** 2


def _estimate(name: str, sample: Sample, place: int, gate: Gate, level: float, made: Provenance) -> Estimate:
    value, drawn = sample.settled(place)
    if gate == "and":
        value, drawn = 1 - value, 1 - drawn
    dist = Empirical(tuple(np.clip(drawn, 0.0, 1.0).tolist()), f"{sample.seed}/{sample.draws}")
    return Estimate(
        name,
        value,
        PER_DEMAND,
        name,
        (QuantileBound(dist, "upper", "heuristic"), QuantileBound(dist, "lower", "heuristic")),
        dist,
        assumptions=(INDEPENDENT_GROUPS, FIXED_SIZE, REPRESENTATIVE),
        caveats=(approximate("Resampling", "Collect more independent units."),),
        details={"level": level, "n": sample.rows, "groups": sample.count},
        provenance=made,
    )
