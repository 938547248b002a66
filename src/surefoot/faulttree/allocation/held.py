"""The events that an allocation does not change: at their value, or on the safe side of what is known."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.ranges import event_ranges, input_interval
from surefoot.faulttree.uncertainty import event_matrix, relevant_inputs

WHERE = "allocate"


def held_values(tree: FaultTree, chosen: Collection[str], level: float | None) -> FloatArray:
    """Probabilities of all events of the compiled tree; those of chosen events that nobody knows are 1."""
    known = _with_known(tree, chosen)
    return event_matrix(known, {}, 1)[:, 0] if level is None else _safe_side(known, chosen, level)


def _with_known(tree: FaultTree, chosen: Collection[str]) -> FaultTree:
    quantities = tree.expanded.events
    unknown = [name for name in tree.compiled.events if quantities[name] is None]
    held = [name for name in unknown if name not in chosen]
    if held:
        raise InvalidInput(
            "an event that is not chosen needs a probability",
            where=WHERE,
            found=", ".join(held),
            remedy="Give it one, or choose it.",
        )
    return tree.with_events(dict.fromkeys(unknown, 1.0)) if unknown else tree


def _safe_side(tree: FaultTree, chosen: Collection[str], level: float) -> FloatArray:
    """Each event at the end of its range that is worse for the top event."""
    if validate.level(level, where=WHERE) <= 0.5:
        raise InvalidInput("the level of an upper bound must exceed 0.5", where=WHERE, found=f"{level:g}")
    both_sides = 2 * level - 1
    box = {name: input_interval(estimate, both_sides) for name, estimate in relevant_inputs(tree).items()}
    ranges, signs = event_ranges(tree, box), tree.compiled.directions
    unclear = [n for n in tree.compiled.events if not signs[n] and n not in chosen and ranges[n][0] < ranges[n][1]]
    if unclear:
        raise InvalidInput(
            "neither end of the range of an uncertain event is the worse one",
            where=WHERE,
            found=", ".join(unclear),
            remedy="Leave out the level, or give these events fixed values.",
        )
    return np.array([ranges[name][0 if signs[name] < 0 else 1] for name in tree.compiled.events])
