"""The events that an allocation does not change: at their value, or on the safe side of what is known."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.core.validate import FloatArray
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import inputs
from surefoot.faulttree.ranges import event_ranges, input_interval
from surefoot.faulttree.uncertainty import event_matrix, relevant_inputs

WHERE = "allocate"


def held_inputs(tree: FaultTree, chosen: Collection[str]) -> tuple[str, ...]:
    """The uncertain inputs of the events that are not chosen."""
    held = [name for name in tree.compiled.events if name not in set(chosen)]
    known = [name for name in held if tree.expanded.events[name] is not None]
    found = inputs(tree.expanded, events=known)
    return tuple(name for name, estimate in found.items() if not _is_known(estimate))


def _is_known(estimate: Estimate) -> bool:
    return all(family.kind == "certain" for family in estimate.bounds)


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
    both_sides, held = 2 * level - 1, set(held_inputs(tree, chosen))
    box = {
        name: input_interval(estimate, both_sides) if name in held else (estimate.value, estimate.value)
        for name, estimate in relevant_inputs(tree).items()
    }
    ranges, signs = event_ranges(tree, box), tree.compiled.directions
    unclear = [n for n in tree.compiled.events if not signs[n] and n not in chosen and ranges[n][0] < ranges[n][1]]
    if unclear:
        raise InvalidInput(
            "neither end of the range of an uncertain event is the worse one",
            where=WHERE,
            found=", ".join(unclear),
            remedy="Give these events fixed values.",
        )
    return np.array([ranges[name][0 if signs[name] < 0 else 1] for name in tree.compiled.events])
