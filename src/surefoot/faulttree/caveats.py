"""What a reader must be told of the numbers that enter a tree, besides what they assume."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from surefoot.core.assumption import Assumption
from surefoot.core.diagnostics import Diagnostic
from surefoot.faulttree.gate_problems import listed
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import DEFAULT_MISSION_TIME, MISSION_TIME, Measured, aliases
from surefoot.faulttree.quantities.evaluation import owned

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
