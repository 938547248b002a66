"""The range of the top event while its inputs range over intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from surefoot.core import validate
from surefoot.core.estimate import Estimate
from surefoot.core.propagation import limit_at
from surefoot.core.validate import FloatArray
from surefoot.faulttree import quantities
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.uncertainty import directions, relevant_inputs

if TYPE_CHECKING:
    from surefoot.faulttree.logic.compiled import Compiled

Range = tuple[float, float]
Value = float | FloatArray


def interval_bounds(tree: FaultTree, level: float = 0.95) -> Range:
    """Least and largest probability of the top event while each input lies in its own interval at ``level``.

    Exact where the top event only rises or only falls with each input; otherwise the range is certain to contain
    all values but may be wider (interval arithmetic on the decision diagram; Moore 1966). All intervals hold together
    less often than each: this answers "what if", and ``top_event`` "how likely".
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
