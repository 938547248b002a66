"""Bounds that hold on average over data sets, carried through functions that are linear in each of their inputs.

Such a bound says of a quantity Q and its limit U, either of which may depend on the data, that E[Q] <= E[U]. Where Q
and U of different inputs come from independent data, and f is linear in each input while the others are held and rises
with it, then E[f(Q)] = f(E[Q]) <= f(E[U]) = E[f(U)]: the function of the limits holds on average too. Three more steps
keep this true:

- An upper confidence limit U at a level g, of a fixed q that is not negative, has E[U] >= g q, so U / g holds on
  average (the step of NRB, Eqn. (13), which adds 1 - g in place of dividing by g).
- Probabilities that rest on the same data are taken for one event: for indicators x and a rising f that is linear in
  each of them, f(x) <= f(0) + sum(x) (f(1) - f(0)), which is linear in their sum, whatever their dependence.
- A limit of a probability above 1 is cut to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from surefoot.core.assumption import Assumption
from surefoot.core.bound import Bound, BoundFamily, Kind, Side
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Point
from surefoot.core.errors import LevelUnavailable
from surefoot.core.estimate import Estimate
from surefoot.core.validate import FloatArray
from surefoot.core.wording import listed

NO_CONFIDENCE = 1.0
USUAL_LEVEL = 0.95
MOST_TOGETHER = 10
"""Sets of inputs on the same data; each doubles the work."""

INDEPENDENT_DATA = Assumption(
    "independent-data", "Inputs whose provenance names no common data were measured on data independent of each other."
)


def fixed_before(level: float) -> Assumption:
    """What lets an upper confidence limit over its level hold on average."""
    text = "What a confidence bound is about was fixed before its data were seen, no threshold chosen on them"
    return Assumption("fixed-quantity", f"{text}, and is at most {level:g}.")


def kinds_of(inputs: Mapping[str, Estimate]) -> set[Kind]:
    """The kinds of all bounds that are not certain."""
    return {family.kind for e in inputs.values() for family in e.bounds} - {"certain"}


def may_hold_on_average(inputs: Mapping[str, Estimate]) -> bool:
    """Whether a bound holds on average, and every other one does or has a confidence."""
    return "expectation" in kinds_of(inputs) <= {"expectation", "confidence"}


def on_average(estimate: Estimate) -> bool:
    """Whether one of its bounds holds on average."""
    return any(family.kind == "expectation" for family in estimate.bounds)


def average_limit(estimate: Estimate, side: Side, level: float) -> float | None:
    """The limit of a side that holds on average; an upper confidence limit is divided by its level."""
    fixed = [f.limit for f in estimate.bounds if isinstance(f, Bound) and (f.side, f.kind) == (side, "certain")]
    try:
        found = [f.limit if isinstance(f, Bound) and f.kind == "expectation" else f.at(level).limit / level
                 for f in _averaged(estimate, side)]  # fmt: skip
    except LevelUnavailable:
        return None
    return (min if side == "upper" else max)([*fixed, *found], default=None)


def _averaged(estimate: Estimate, side: Side) -> list[BoundFamily]:
    """The families behind a limit that varies with the data: those that hold on average, else a confidence."""
    families = [family for family in estimate.bounds if family.side == side]
    averages = [family for family in families if family.kind == "expectation"]
    return averages or [family for family in families if family.kind == "confidence" and side == "upper"]


@dataclass(frozen=True)
class Averaged:
    """Inputs whose bounds pass through a function on average."""

    inputs: Mapping[str, Estimate]
    level: float

    @classmethod
    def of(cls, inputs: Mapping[str, Estimate], level: float | None) -> Averaged:
        """At the level at which confidence limits enter."""
        return cls(inputs, USUAL_LEVEL if level is None else level)

    def obstacle(self, linear: Collection[str]) -> str:
        """Why the bounds do not pass, in words; empty where they do."""
        bent = [name for name, e in self.inputs.items() if _is_random(e) and name not in linear]
        if bent:
            return f"f is not known to be linear in {', '.join(map(repr, bent))}"
        sets = sharing(self.inputs)
        return (
            f"{len(sets)} sets of inputs share data, at most {MOST_TOGETHER} may" if len(sets) > MOST_TOGETHER else ""
        )

    def limits(self, needed: Mapping[str, Side]) -> dict[str, float] | None:
        """Where the inputs stand for one side of the result; None where one of them has no such limit."""
        found = {name: average_limit(e, needed[name], self.level) for name, e in self.inputs.items()}
        known = {name: self._cut(name, limit) for name, limit in found.items() if limit is not None}
        return known if len(known) == len(found) else None

    def bound(self, evaluate: Callable[..., FloatArray], side: Side, needed: Mapping[str, Side]) -> Bound | None:
        """The bound of a side of the result; None where it does not follow, or nothing in it holds on average."""
        limits, varying = self.limits(needed), {n: e for n, e in self.inputs.items() if _averaged(e, needed[n])}
        if limits is None or not any(
            f.kind == "expectation" for n, e in varying.items() for f in _averaged(e, needed[n])
        ):
            return None
        together = sharing(varying)
        if together and (side == "lower" or any(needed[name] == "lower" for names in together for name in names)):
            return None
        corners = np.array(list(product((0.0, 1.0), repeat=len(together))))
        sums = np.minimum([sum(limits[name] for name in names) for names in together], 1.0)
        arguments = {name: np.full(len(corners), limit) for name, limit in limits.items()}
        for names, states in zip(together, corners.T, strict=True):
            arguments |= dict.fromkeys(names, states)
        weights = np.where(corners == 1, sums, 1 - sums).prod(axis=1)
        return Bound(float(weights @ evaluate(arguments, len(corners))), side, NO_CONFIDENCE, "expectation")

    def _cut(self, name: str, limit: float) -> float:
        return min(limit, 1.0) if _is_random(self.inputs[name]) else limit

    @property
    def converted(self) -> list[str]:
        """Inputs whose confidence limits enter divided by their level."""
        return [name for name, e in self.inputs.items() if _is_random(e) and not on_average(e)]

    def assumptions(self) -> tuple[Assumption, ...]:
        """What the bound assumes besides what its inputs do."""
        random = [e for e in self.inputs.values() if _is_random(e)]
        apart = (INDEPENDENT_DATA,) if len(random) > 1 else ()
        return (*apart, *([fixed_before(self.level)] if self.converted else []))

    def caveats(self) -> list[Diagnostic]:
        """What a reader must know of the value and of the limits that were used."""
        found = [plug_in([name for name, e in self.inputs.items() if on_average(e)])]
        if self.converted:
            text = f"The confidence limits of {_listed(self.converted)} at level {self.level:g} entered divided by it."
            found.append(Diagnostic("expectation-only", f"{text} So they hold on average, without a level.", "note"))
        found += [
            Diagnostic(
                "taken-together", f"{_listed(group)} rest on the same data and were taken for one event.", "note"
            )
            for group in sharing(self.inputs)
        ]
        return found


def plug_in(names: Collection[str]) -> Diagnostic:
    """The caveat of a value that has estimates in the place of what they estimate."""
    text = f"The value takes the estimates of {_listed(names)} for the truth; only the bound allows for their error."
    return Diagnostic("plug-in-value", text, hint="Quote the upper bound, not the value.")


def _is_random(estimate: Estimate) -> bool:
    return not isinstance(estimate.dist, Point) and any(f.kind != "certain" for f in estimate.bounds)


def sharing(inputs: Mapping[str, Estimate]) -> tuple[tuple[str, ...], ...]:
    """Sets of two or more inputs that are linked by common data or a common input."""
    groups: list[tuple[set[str], list[str]]] = []
    for name, estimate in inputs.items():
        if not _is_random(estimate):
            continue
        linked = [group for group in groups if group[0] & _marks(estimate)]
        groups = [group for group in groups if group not in linked]
        marks = _marks(estimate).union(*(group[0] for group in linked))
        groups.append((marks, [*(name for group in linked for name in group[1]), name]))
    return tuple(tuple(names) for _, names in groups if len(names) > 1)


def _marks(estimate: Estimate) -> set[str]:
    """What an estimate shares with others that depend on it; a model or a file that is fixed makes none dependent."""
    provenance = estimate.provenance
    measured = (d for n, d in provenance.data.items() if not n.rpartition(".")[2].startswith(("model", "file of")))
    return {estimate.key, *provenance.inputs, *measured}


def _listed(names: Collection[str]) -> str:
    return listed([repr(name) for name in names])
