"""A tree with some of its numbers or truths changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.estimate import Estimate
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.model import FaultTree
from surefoot.faulttree.quantities import Fixed, Quantity, as_quantity

Change = float | bool | Estimate | Quantity
KINDS = ("parameter", "house", "gate", "event")


def changed(tree: FaultTree, changes: Mapping[str, Change], *, where: str) -> FaultTree:
    """The tree with other values.

    An event or parameter takes a number, an estimate or a quantity. ``True`` makes an event or gate certain and
    ``False`` impossible, and sets a house event. Members and events of common-cause groups can be named too; the
    groups are then written out.
    """
    kinds = _kinds(tree)
    if not set(changes) <= set(kinds):
        tree = tree.expanded
        kinds = _kinds(tree)
    for name, change in changes.items():
        validate.choice(name, kinds, where=where, name="event, gate or parameter")
        _check(name, change, kinds[name], where)
    new = {kind: {n: c for n, c in changes.items() if kinds[n] == kind} for kind in KINDS}
    other = replace(
        tree,
        events={**tree.events, **{n: _quantity(c) for n, c in new["event"].items()}},
        parameters={**tree.parameters, **{n: as_quantity(c) for n, c in new["parameter"].items()}},
        houses={**tree.houses, **{n: bool(c) for n, c in new["house"].items()}},
        gates={**tree.gates, **{n: Formula("pass", (bool(c),)) for n, c in new["gate"].items()}},
    )
    if "compiled" in tree.__dict__ and not new["house"] and not new["gate"]:
        # Numbers do not touch the logic, which can take long to compile.
        other.__dict__["compiled"] = tree.compiled
    return other


def _kinds(tree: FaultTree) -> dict[str, str]:
    """What each name is; where an event and a parameter share one, it is the event."""
    named = (tree.parameters, tree.houses, tree.gates, tree.events)
    return {name: kind for kind, names in zip(KINDS, named, strict=True) for name in names}


def _check(name: str, change: Change, kind: str, where: str) -> None:
    if isinstance(change, bool) == (kind == "parameter") or (
        kind in ("house", "gate") and not isinstance(change, bool)
    ):
        wanted = {"parameter": "a number, an estimate or a quantity", "event": ""}.get(kind, "True or False")
        if wanted:
            raise InvalidInput(f"the {kind} {name!r} takes {wanted}", where=where, found=repr(change))


def _quantity(change: Change) -> Quantity:
    return Fixed(float(change)) if isinstance(change, bool) else as_quantity(change)
