"""How the uncertainty of basic events becomes that of the top event.

``top_event`` says how likely it is, ``interval_bounds`` what is possible while every input keeps to its own interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from surefoot.core import validate
from surefoot.core.assumption import Assumption, union
from surefoot.core.bound import Side, certain
from surefoot.core.canonical import function_identity
from surefoot.core.diagnostics import Diagnostic
from surefoot.core.distributions import Point
from surefoot.core.errors import InvalidInput, LevelUnavailable, MixedKinds
from surefoot.core.estimate import PER_DEMAND, Estimate, Provenance
from surefoot.core.propagation import Proven, limit_at, may_hold_on_average, propagate
from surefoot.core.validate import FloatArray
from surefoot.faulttree import averages, quantities
from surefoot.faulttree.counted import INDEPENDENT_TESTS, CountedInputs
from surefoot.faulttree.formula import listed, told_as_read
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import DEFAULT_MISSION_TIME, MISSION_TIME, Measured, aliases
from surefoot.faulttree.quantities.evaluation import owned

if TYPE_CHECKING:
    from surefoot.faulttree.logic.decision_diagram import Compiled


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


@validate.arguments
def bound_of_counts(tree: FaultTree, alpha: float, side: Side = "upper") -> float:
    """The limit of the top event at one level only, which is faster than all of ``FaultTree.analyse``.

    Parameters
    ----------
    tree
        A coherent tree with counted events.
    alpha
        Probability with which the limit may be missed.
    side
        ``"upper"`` or ``"lower"``.

    Returns
    -------
    float
        The limit.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Counts, Formula
    >>> tree = sf.FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Counts(0, 1000), "b": Counts(0, 1000)})
    >>> round(sf.faulttree.bound_of_counts(tree, alpha=0.05), 6)
    0.002997

    """
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
    caveats = [
        *input_caveats(tree, unit),
        *(c for e in inputs.values() for c in e.caveats if c.code != "approximate-coverage"),
    ]
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


# The range of the top event while its inputs range over intervals.

Range = tuple[float, float]
Value = float | FloatArray


@validate.arguments
def interval_bounds(tree: FaultTree, level: float = 0.95) -> Range:
    """Least and largest probability of the top event while each input lies in its own interval at ``level``.

    Exact where the top event only rises or only falls with each input; otherwise the range is certain to contain
    all values but may be wider (interval arithmetic on the decision diagram). All intervals hold together less often
    than each: this answers "what if", and ``FaultTree.analyse`` "how likely".

    Parameters
    ----------
    tree
        With bounds or distributions for its inputs.
    level
        Of the interval of each input.

    Returns
    -------
    tuple
        Least and largest probability.

    References
    ----------
    Moore (1966), Interval Analysis.

    Examples
    --------
    >>> import surefoot as sf
    >>> from surefoot.faulttree import Counts, Formula
    >>> tree = sf.FaultTree("top", {"top": Formula("and", ("a", "b"))}, {"a": Counts(1, 100), "b": Counts(2, 100)})
    >>> low, high = sf.faulttree.interval_bounds(tree)
    >>> 0 < low < tree.probability() < high
    True

    """
    level = validate.level(level, where="interval bounds")
    box = {name: input_interval(estimate, level) for name, estimate in relevant_inputs(tree).items()}
    signs = directions(tree)
    return _side(tree, box, signs, -1), _side(tree, box, signs, +1)


def input_interval(estimate: Estimate, level: float) -> Range:
    """The interval of an input; one that has no lower bound reaches down to 0, and one on average up to its limit."""
    upper = limit_at(estimate, "upper", 1 - (1 - level) / 2)
    if all(family.side == "upper" for family in estimate.bounds) and estimate.value >= 0:
        return 0.0, upper
    return estimate.interval(level)[0], upper


def event_ranges(tree: FaultTree, box: Mapping[str, Range]) -> dict[str, Range]:
    """Least and largest probability of each event while the inputs lie in the box; 0 to 1 where nobody knows."""
    plain = tree.expanded
    signs, ends = quantities.signs(plain), _ends(plain, box, tree.compiled.events)
    return {event: _event_range(plain, event, signs.get(event, {}), box, ends) for event in tree.compiled.events}


def _ends(
    plain: FaultTree, box: Mapping[str, Range], events: tuple[str, ...]
) -> tuple[Mapping[str, Value], Mapping[str, Value]]:
    """Event probabilities with all inputs at their lower and at their upper ends."""
    lower, upper = ({name: ends[side] for name, ends in box.items()} for side in (0, 1))
    return quantities.probabilities(plain, lower, events=events), quantities.probabilities(plain, upper, events=events)


def _event_range(
    plain: FaultTree,
    event: str,
    signs: Mapping[str, int],
    box: Mapping[str, Range],
    ends: tuple[Mapping[str, Value], Mapping[str, Value]],
) -> Range:
    own = {name: sign for name, sign in signs.items() if name in box}
    if 0 in own.values():
        return 0.0, 1.0
    if len(set(own.values())) < 2:
        lower, upper = sorted(float(end[event]) for end in ends)
        return lower, upper
    corners = (quantities.probabilities(plain, _corner(box, own, side), events=[event])[event] for side in (-1, 1))
    lower, upper = map(float, corners)
    return lower, upper


def enclosure(compiled: Compiled, low: FloatArray, high: FloatArray) -> Range:
    """An interval that contains the top event for all event probabilities from ``low`` to ``high``."""
    ends = np.stack([low, high])
    for part in compiled.parts:
        diagram = part.diagram
        values = np.zeros((2, len(diagram.column)))
        values[:, 1] = 1
        for column, nodes in diagram.levels:
            without, grown = values[:, diagram.low[nodes]], values[:, diagram.high[nodes]]
            # Linear in the probability of the column, so that the extremes are at its ends.
            either = without + ends[:, column][:, None, None] * (grown - without)
            values[0, nodes] = either[:, 0].min(axis=0)
            values[1, nodes] = either[:, 1].max(axis=0)
        ends = np.column_stack([ends, values[:, diagram.root]])
    lower, upper = ends[:, -1].tolist()
    return (1 - upper, 1 - lower) if compiled.negated else (lower, upper)


def _side(tree: FaultTree, box: Mapping[str, Range], signs: Mapping[str, int], side: int) -> float:
    """Inputs that the top event follows stand at their end; the others, and what they feed, keep their range."""
    narrowed = dict(box)
    for name, value in _corner(box, {name: signs[name] for name in box if signs[name]}, side).items():
        narrowed[name] = (value, value)
    ranges, logic = event_ranges(tree, narrowed), tree.compiled.directions
    ends = [_followed(ranges[event], logic[event] * side) for event in tree.compiled.events]
    low, high = np.array(ends, dtype=float).reshape(-1, 2).T
    if (low == high).all():
        return float(tree.compiled.probability(low))
    return enclosure(tree.compiled, low, high)[0 if side < 0 else 1]


def _followed(ends: Range, side: int) -> Range:
    if side == 0:
        return ends
    end = ends[0] if side < 0 else ends[1]
    return end, end


def _corner(box: Mapping[str, Range], signs: Mapping[str, int], side: int) -> dict[str, float]:
    return {name: box[name][1 if sign * side > 0 else 0] for name, sign in signs.items()}


# What a reader must be told of the numbers that enter a tree, besides what they assume.

NOTICEABLE = 0.01
"""From this share of cut draws on, the mean moves enough to warn."""

DEFAULT_TIME = Assumption(
    MISSION_TIME, f"The mission lasts {DEFAULT_MISSION_TIME:g} hours: the tree gives no mission time."
)


def input_caveats(tree: FaultTree, unit: str) -> Iterator[Diagnostic]:
    """Events that are one input, and estimates that are no probability of the unit of the result."""
    for same in _drawn_together(tree):
        hint = "Give the estimates different scopes if they are about different things."
        yield Diagnostic("same-input", f"{listed(same)} are one input and were drawn once.", "note", hint=hint)
    yield from _foreign_units(tree, unit)


def _drawn_together(tree: FaultTree) -> Iterator[list[str]]:
    """Names of inputs that are one, as far as the top event depends on them."""
    stand_ins = aliases(tree.expanded)
    if not stand_ins:
        return
    found: dict[str, list[str]] = {}
    for owner, quantity in owned(tree.expanded, tree.compiled.events).items():
        for name in quantity.leaves(owner):
            found.setdefault(stand_ins.get(name, name), []).append(name)
    yield from (same for same in found.values() if len(same) > 1)


def _foreign_units(tree: FaultTree, unit: str) -> Iterator[Diagnostic]:
    for event in tree.compiled.events:
        known = tree.expanded.events[event]
        if isinstance(known, Measured) and known.estimate.unit not in ("", unit):
            text = f"{event!r} was given {known.estimate.value:.4g} {known.estimate.unit} and is taken as {unit}."
            yield Diagnostic("tree-probability", text, where=f"event {event!r}", hint="Convert the exposure first.")


def cut_caveats(cut: Mapping[str, int], draws: int) -> Iterator[Diagnostic]:
    """Events whose draws left the range of probabilities, with the share that was cut."""
    for event, times in cut.items():
        share = times / draws
        text = f"{100 * share:.2g}% of the draws of {event!r} lay outside 0 to 1 and were cut, which moves its mean."
        hint = "State a distribution that stays between 0 and 1, such as a beta."
        yield Diagnostic("tree-probability", text, "warning" if share >= NOTICEABLE else "note", hint=hint)


def default_mission_time(tree: FaultTree) -> tuple[Assumption, ...]:
    """The mission time that is taken where an event needs one and the tree gives none."""
    plain = tree.expanded
    if MISSION_TIME in plain.parameters:
        return ()
    stated = [quantity for quantity in (*plain.events.values(), *plain.parameters.values()) if quantity is not None]
    return (DEFAULT_TIME,) if any(MISSION_TIME in quantity.references() for quantity in stated) else ()
