"""How the uncertainty of basic events becomes that of the top event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from surefoot.core.assumption import Assumption, union
from surefoot.core.averaging import may_hold_on_average
from surefoot.core.bound import Side, certain
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import PER_DEMAND, Estimate
from surefoot.core.identity import function_identity
from surefoot.core.propagation import Proven, propagate
from surefoot.core.provenance import Provenance
from surefoot.core.validate import FloatArray
from surefoot.faulttree import averages, quantities
from surefoot.faulttree.caveats import cut_caveats, default_mission_time, input_caveats
from surefoot.faulttree.counted import INDEPENDENT_TESTS, CountedInputs
from surefoot.faulttree.left_out import told_as_read
from surefoot.faulttree.model import FaultTree

QUANTITY = "top event probability"
MOST_VALUES = 2_000_000
"""Event probabilities held at once, 16 MB of them."""

INDEPENDENT = Assumption(
    "independent-basic-events",
    "Basic events happen independently of each other, given their probabilities; the tree states every common cause.",
)
COMPLETE = Assumption("complete-logic", "The gates of the tree say everything that leads to the top event.")
ORDERED = Assumption(
    "order-of-events",
    "The inputs of a priority gate come in the order it asks with the stated probability, whatever the order at other "
    "gates, or always where none is; always is the safe side where the top event rises with the gate.",
)


def top_event(
    tree: FaultTree,
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    quantity: str = QUANTITY,
    unit: str = PER_DEMAND,
    mix: bool = False,
    anytime: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Estimate:
    """The probability of the top event with everything that is uncertain about it.

    Where events of a coherent tree were counted and the others have confidence bounds or are known, the counts speak
    together and the bounds are ones of confidence (``counted``). Otherwise, where every uncertain input has a
    distribution, this is the credible view; where some have bounds only, alpha is shared out among the inputs, which
    needs a top event that rises or falls with each of them. Bounds that hold on average pass through exactly, and the
    bound of the top event then holds on average. ``mix`` allows kinds that do not combine and makes the result
    heuristic. ``anytime`` says that testing may have stopped at any time, by what was counted so far: the counts then
    speak through e-values, which is wider. ``progress`` gets the draws done and all draws.
    """
    counted = counted_inputs(tree, anytime=anytime)
    if anytime and counted is None:
        raise InvalidInput(
            "only counted events of a coherent tree have bounds that hold at any time",
            where=f"top event {tree.top!r}",
            remedy="Give counts, or estimates whose own bounds hold at any time.",
        )
    if counted is not None:
        return _of_counts(tree, counted, level=level, quantity=quantity, unit=unit)
    return drawn_top_event(
        tree, level=level, draws=draws, seed=seed, quantity=quantity, unit=unit, mix=mix, progress=progress
    )


def counted_inputs(tree: FaultTree, *, anytime: bool = False) -> CountedInputs | None:
    """The inputs of a tree whose counts can speak together, None where they cannot."""
    return CountedInputs.of(tree, relevant_inputs(tree), directions(tree), TopEvent(tree).at, anytime=anytime)


def bound_of_counts(tree: FaultTree, alpha: float, side: Side = "upper") -> float:
    """The limit of the top event at one level only, which is faster than all of ``top_event``."""
    counted = counted_inputs(tree)
    return counted.limit(alpha, side) if counted is not None else top_event(tree).bound(side, 1 - alpha).limit


def tightening(tree: FaultTree, level: float) -> dict[str, float]:
    """By how much one more test of each counted input, without a failure, would lower the upper bound."""
    counted = counted_inputs(tree)
    return {} if counted is None else counted.tightening(1 - level)


@told_as_read
def _of_counts(tree: FaultTree, counted: CountedInputs, *, level: float, quantity: str, unit: str) -> Estimate:
    inputs = relevant_inputs(tree)
    apart = (INDEPENDENT_TESTS,) if len(counted.counts) > 1 else ()
    caveats = [*input_caveats(tree, unit), *(c for e in inputs.values() for c in e.caveats if not _of_prior(c))]
    return Estimate(
        quantity,
        counted.value,
        unit,
        tree.name,
        counted.bounds(level),
        assumptions=tuple(
            each
            for each in union(assumptions(tree), apart, *(e.assumptions for e in inputs.values()))
            if not (counted.anytime and each.id == "fixed-size")
        ),
        caveats=tuple(dict.fromkeys(caveats)),
        details={"level": level, **counted.details()},
        provenance=Provenance(
            "counted top event",
            {"tree": TopEvent(tree).to_dict(), "level": level, "anytime": counted.anytime},
            inputs=tuple(dict.fromkeys(k for e in inputs.values() for k in (e.key, *e.provenance.inputs))),
            data={f"{name}.{k}": v for name, e in inputs.items() for k, v in e.provenance.data.items()},
        ),
    )


def _of_prior(caveat: Diagnostic) -> bool:
    """Whether it is about a posterior that the counts make unnecessary."""
    return caveat.code == "approximate-coverage"


@told_as_read
def drawn_top_event(
    tree: FaultTree,
    *,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    quantity: str = QUANTITY,
    unit: str = PER_DEMAND,
    mix: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Estimate:
    """The top event by ``propagate``: from joint draws, a shared input drawn once, or by sharing alpha."""
    inputs = relevant_inputs(tree)
    top = TopEvent(tree, progress)
    function = partial(_evaluated, top)
    if not inputs:
        return _certain(tree, function, quantity, unit)
    about: dict[str, Any] = {"quantity": quantity, "unit": unit, "scope": tree.name, "assumptions": assumptions(tree)}
    if may_hold_on_average(inputs):
        try:
            found = averages.carried(tree, inputs, top.to_dict(), level=level, **about)
            units = (caveat for caveat in input_caveats(tree, unit) if caveat.code != "same-input")
            return replace(found, caveats=(*units, *found.caveats))
        except (MixedKinds, LevelUnavailable):
            if not mix:
                raise
    sampled = all(e.dist is not None for e in inputs.values())
    found = propagate(
        function,
        inputs,
        direction=_known_directions(tree, inputs) if sampled else Proven(_required_directions(tree, inputs)),
        level=level,
        draws=draws,
        seed=seed,
        mix=mix,
        **about,
    )
    more = (*input_caveats(tree, unit), *(cut_caveats(top.cut, draws) if sampled else ()))
    return replace(found, caveats=(*more, *found.caveats))


def relevant_inputs(tree: FaultTree) -> dict[str, Estimate]:
    """The uncertain inputs on which the top event depends."""
    return quantities.inputs(tree.expanded, events=tree.compiled.events)


def directions(tree: FaultTree) -> dict[str, int]:
    """Whether the top event rises (+1) or falls (-1) with an input; 0 where it does both or nobody knows."""
    logic, found = tree.compiled.directions, dict[str, set[int]]()
    for event, signs in quantities.signs(tree.expanded).items():
        if event in logic:
            for name, sign in signs.items():
                found.setdefault(name, set()).add(logic[event] * sign)
    return {name: signs.copy().pop() if len(signs) == 1 else 0 for name, signs in found.items()}


def assumptions(tree: FaultTree) -> tuple[Assumption, ...]:
    """What every number of the top event rests on, besides what its inputs assume."""
    priority = any(inner.kind == "pand" for formula in tree.gates.values() for inner in formula.formulas())
    own = (INDEPENDENT, COMPLETE, *((ORDERED,) if priority else ()), *default_mission_time(tree))
    return union(own, *(group.assumptions() for group in tree.groups))


@dataclass(frozen=True, eq=False)
class TopEvent:
    """The exact probability of the top event as a function of the uncertain inputs."""

    tree: FaultTree
    progress: Callable[[int, int], None] | None = None
    cut: Counter[str] = field(default_factory=Counter)
    """How many draws of each event lay outside 0 to 1, at the first evaluation."""
    _evaluations: list[int] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """What determines the numbers, for the record of where they come from."""
        tree = self.tree
        return {
            "top": tree.top,
            "gates": {name: repr(formula) for name, formula in tree.gates.items()},
            "houses": dict(tree.houses),
            "groups": [group.to_dict() for group in tree.groups],
            "events": {name: None if q is None else q.to_dict() for name, q in tree.events.items()},
            "parameters": {name: q.to_dict() for name, q in tree.parameters.items()},
        }

    def at(self, drawn: Mapping[str, FloatArray], size: int) -> FloatArray:
        """One probability for each of ``size`` joint values of the inputs, computed in blocks."""
        result, first = np.empty(size), not self._evaluations
        for block in _blocks(size, len(self.tree.compiled.events)):
            part = {name: values[block] for name, values in drawn.items()}
            p = event_matrix(self.tree, part, block.stop - block.start, cut=self.cut if first else None)
            result[block] = self.tree.compiled.probability(p)
            if self.progress and first:
                self.progress(block.stop, size)
        self._evaluations.append(size)
        return result


def event_matrix(
    tree: FaultTree, drawn: Mapping[str, FloatArray], size: int, *, cut: Counter[str] | None = None
) -> FloatArray:
    """Probabilities of the events of the compiled tree, one row each, one column a joint value of the inputs."""
    known = quantities.probabilities(tree.expanded, drawn, events=tree.compiled.events, cut=cut)
    matrix = np.empty((len(tree.compiled.events), size))
    for row, event in zip(matrix, tree.compiled.events, strict=True):
        row[:] = known[event]
    return matrix


def _evaluated(top: TopEvent, /, **drawn: FloatArray) -> FloatArray:
    size = next((len(values) for values in drawn.values()), 1)
    return top.at(drawn, size)


def _blocks(size: int, rows: int) -> Iterator[slice]:
    step = max(1, MOST_VALUES // max(rows, 1))
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def _certain(tree: FaultTree, function: Callable[..., FloatArray], quantity: str, unit: str) -> Estimate:
    value = float(function()[0])
    return Estimate(
        quantity,
        value,
        unit,
        tree.name,
        bounds=(certain(value, "upper"), certain(value, "lower")),
        dist=Point(value),
        assumptions=assumptions(tree),
        provenance=Provenance("fault tree", {"function": function_identity(function)}),
    )


def _known_directions(tree: FaultTree, inputs: Mapping[str, Estimate]) -> dict[str, int]:
    return {name: sign for name, sign in directions(tree).items() if sign and name in inputs}


def _required_directions(tree: FaultTree, inputs: Mapping[str, Estimate]) -> dict[str, int]:
    known = directions(tree)
    found = {name: 1 if isinstance(e.dist, Point) else known[name] for name, e in inputs.items()}
    unknown = [name for name, sign in found.items() if sign == 0]
    if unknown:
        bounded = [name for name, e in inputs.items() if e.dist is None]
        raise InvalidInput(
            f"{', '.join(bounded)} have bounds but no distribution, and the top event neither only rises nor only "
            f"falls with {', '.join(unknown)}",
            where=f"top event {tree.top!r}",
            remedy="Give these estimates distributions (counts, for example), or ask for interval_bounds.",
        )
    return found
