"""Bounds that hold on average in a fault tree, and values that are only estimates of what they stand for.

While the other events are held, the probability of the top event is linear in that of each basic event. So bounds of
events that hold on average over independent data pass through exactly (``core.propagation``). What an event is computed
from must enter it linearly too: the expected value of 1 - exp(-rate time) does not follow from a bound of the expected
rate in this way, because the limit varies as well.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core.assumption import union
from surefoot.core.bound import Bound, Side, certain
from surefoot.core.distributions import Point
from surefoot.core.errors import MixedKinds
from surefoot.core.estimate import PER_DEMAND, Estimate, Provenance
from surefoot.core.propagation import (
    NO_CONFIDENCE,
    USUAL_LEVEL,
    Averaged,
    Proven,
    average_limit,
    fixed_before,
    on_average,
    propagate,
    sharing,
)
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.faulttree import quantities
from surefoot.faulttree.quantities import Measured, Quantity

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


class PlugInValue(UserWarning):
    """A number was computed with estimates in the place of the truth, although bounds of them are known.

    See Also
    --------
    FaultTree.probability : Warns so.
    FaultTree.analyse : Uses the bounds.

    """


def carried(
    tree: FaultTree, inputs: Mapping[str, Estimate], described: Mapping[str, Any], *, level: float, **about: Any
) -> Estimate:
    """The top event with a bound that holds on average; raises ``MixedKinds`` where the bounds do not pass."""
    uncertain = _uncertain_events(tree, inputs, level)
    problems = [problem for event in uncertain if (problem := event.obstacle())]
    events = {} if problems else {event.name: event.estimate() for event in uncertain}
    if problems or (rest := Averaged.of(events, level).obstacle(events)):
        raise MixedKinds(
            f"bounds that hold on average do not pass: {'; '.join(problems) or rest}",
            where=f"top event {tree.top!r}",
            remedy="Use estimates with a stated confidence, or pass mix=True and accept a heuristic result.",
        )
    signs = Proven({name: tree.compiled.directions[name] for name in events})
    function = partial(_at, _Top(tree, described))
    return propagate(function, events, direction=signs, linear=list(events), level=level, **about)


def warn_of_plug_ins(tree: FaultTree) -> None:
    """Warn of values that are estimates, where bounds of their error are known and would not be looked at."""
    found = quantities.inputs(tree.expanded, events=tree.compiled.events)
    bounded = {name: e for name, e in found.items() if e.dist is None and any(f.kind != "certain" for f in e.bounds)}
    if bounded:
        told = [f"{name!r} {e.value:.4g}{_limit_told(e)}" for name, e in bounded.items()]
        text = f"the probability takes estimates for the truth: {listed(told)}. Use analyse() for the bound."
        warnings.warn(text, PlugInValue, stacklevel=3)


def _limit_told(estimate: Estimate) -> str:
    limit = average_limit(estimate, "upper", USUAL_LEVEL) if on_average(estimate) else None
    return "" if limit is None else f" (bound {limit:.4g})"


@dataclass(frozen=True, eq=False)
class _Event:
    """A basic event whose probability depends on estimates that are uncertain."""

    tree: FaultTree
    name: str
    inputs: Mapping[str, Estimate]
    signs: Mapping[str, int]
    powers: Mapping[str, float]
    level: float

    @property
    def quantity(self) -> Quantity:
        found = self.tree.expanded.events[self.name]
        assert found is not None
        return found

    @property
    def falls(self) -> bool:
        """Whether the top event falls with this one."""
        return self.tree.compiled.directions[self.name] < 0

    def obstacle(self) -> str:
        """Why bounds of its inputs do not pass through it, in words."""
        if self.tree.compiled.directions[self.name] == 0:
            return f"the top event neither only rises nor only falls with {self.name!r}"
        if isinstance(self.quantity, Measured):
            return ""
        bent = [name for name in self.inputs if self.powers[name] > 1 or self.signs[name] == 0]
        if bent:
            return f"{self.name!r} is not linear in {', '.join(map(repr, bent))} ({self.quantity})"
        if sharing(self.inputs):
            return f"{self.name!r} is made from estimates on the same data"
        return ""

    def estimate(self) -> Estimate:
        """Its probability; 0, which is certain, stands for a lower limit that nobody knows."""
        if isinstance(self.quantity, Measured):
            (found,) = self.inputs.values()
        else:
            found = self._computed()
        known = any((f.side, f.kind) == ("lower", "certain") for f in found.bounds)
        return replace(found, bounds=(*found.bounds, certain(0.0, "lower"))) if self.falls and not known else found

    def _computed(self) -> Estimate:
        limits: dict[Side, float | None] = {"upper": self._limit("upper"), "lower": self._limit("lower")}
        given = self.inputs.values()
        converted = [fixed_before(self.level)] if not all(map(on_average, given)) else []
        return Estimate(
            "event probability",
            self._at({name: e.value for name, e in self.inputs.items()}),
            PER_DEMAND,
            self.name,
            tuple(Bound(x, side, NO_CONFIDENCE, "expectation") for side, x in limits.items() if x is not None),
            assumptions=union(converted, *(e.assumptions for e in given)),
            caveats=tuple(dict.fromkeys(c for e in given for c in e.caveats)),
            provenance=Provenance(
                "fault tree event",
                {"event": self.name, "quantity": self.quantity.to_dict()},
                inputs=tuple(dict.fromkeys(k for e in given for k in (e.key, *e.provenance.inputs))),
                data={f"{name}.{k}": v for name, e in self.inputs.items() for k, v in e.provenance.data.items()},
            ),
        )

    def _limit(self, side: Side) -> float | None:
        other: Side = "lower" if side == "upper" else "upper"
        found = {n: average_limit(e, side if self.signs[n] > 0 else other, self.level) for n, e in self.inputs.items()}
        known = {name: limit for name, limit in found.items() if limit is not None}
        return self._at(known) if len(known) == len(found) else None

    def _at(self, values: Mapping[str, float]) -> float:
        return float(quantities.probabilities(self.tree.expanded, values, events=[self.name])[self.name])


@dataclass(frozen=True, eq=False)
class _Top:
    """The top event as a function of some of its events, the others at what is known of them."""

    tree: FaultTree
    described: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """What determines the numbers, for the record of where they come from."""
        return dict(self.described)


def _at(top: _Top, /, **events: FloatArray) -> FloatArray:
    compiled = top.tree.compiled
    size = next((len(values) for values in events.values()), 1)
    fixed = [name for name in compiled.events if name not in events]
    known = {**quantities.probabilities(top.tree.expanded, events=fixed), **events}
    matrix = np.empty((len(compiled.events), size))
    for row, name in zip(matrix, compiled.events, strict=True):
        row[:] = known[name]
    return compiled.probability(matrix)


def _uncertain_events(tree: FaultTree, inputs: Mapping[str, Estimate], level: float) -> list[_Event]:
    """Events on which the top event depends and that depend on inputs that are not known exactly."""
    powers = quantities.powers(tree.expanded, events=tree.compiled.events)
    found = []
    for name, signs in quantities.signs(tree.expanded, events=tree.compiled.events).items():
        own = {n: inputs[n] for n in signs if not isinstance(inputs[n].dist, Point)}
        found += [_Event(tree, name, own, signs, powers[name], level)] if own else []
    return found
