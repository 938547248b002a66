"""A tree without groups: members become gates over independent basic events."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from surefoot.faulttree.groups.priority import with_orders

if TYPE_CHECKING:
    from surefoot.faulttree.model import FaultTree


def expanded(tree: FaultTree) -> FaultTree:
    """The tree with a gate in place of each member of its groups; the same object where there is nothing to do.

    Labels and attributes of the members stay with the gates. The order that a priority gate asks for becomes an event.
    """
    if not tree.groups:
        return with_orders(tree)
    parts = [group.expansion() for group in tree.groups]
    members = {member for group in tree.groups for member in group.members}
    gates, parameters, labels = dict(tree.gates), dict(tree.parameters), dict(tree.labels)
    events = {name: quantity for name, quantity in tree.events.items() if name not in members}
    for part in parts:
        gates.update(part.gates)
        events.update(part.events)
        parameters.update(part.parameters)
        labels.update(part.labels)
    return with_orders(replace(tree, gates=gates, events=events, parameters=parameters, labels=labels, groups=()))
