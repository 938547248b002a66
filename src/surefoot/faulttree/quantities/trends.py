"""Whether an event's probability rises or falls with each uncertain input, and in which power it enters, by rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

import numpy as np

from surefoot.faulttree.quantities.arithmetic import Operation
from surefoot.faulttree.quantities.base import Quantity, Range, leaf_names
from surefoot.faulttree.quantities.evaluation import Numbers, aliases, owned, parameter_owner
from surefoot.faulttree.quantities.leaves import DEFAULT_MISSION_TIME, MISSION_TIME

SUMS = ("add", "sub", "mean", "neg")
Powers = Mapping[str, float]


@dataclass(frozen=True)
class Trend:
    """Where a value can lie, and how it moves with each input: +1 rises, -1 falls, 0 unknown."""

    range: Range
    signs: Mapping[str, int] = field(default_factory=dict)


def signs(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, dict[str, int]]:
    """For each event, the inputs that its probability depends on: +1 rises with it, -1 falls, 0 unknown."""
    names = aliases(tree)
    owners = {parameter_owner(tree, name): name for name in tree.parameters}
    known = {MISSION_TIME: Trend((DEFAULT_MISSION_TIME, DEFAULT_MISSION_TIME))}
    found = {}
    with np.errstate(all="ignore"):
        for owner, quantity in owned(tree, events).items():
            trend = _trend(quantity, leaf_names(owner), names, known)
            if owner in owners:
                known[owners[owner]] = trend
            else:
                found[owner] = dict(trend.signs)
    return found


def _trend(node: Quantity, leaves: Iterator[str], aliases_: Mapping[str, str], known: Mapping[str, Trend]) -> Trend:
    referred = node.named()
    if referred:
        return known[referred[0]]
    own = next(leaves) if node.uncertain else None
    below = [_trend(argument, leaves, aliases_, known) for argument in node.arguments]
    ranges = [trend.range for trend in below]
    moved: dict[str, int] = {} if own is None else {aliases_.get(own, own): int(node.rises_with_draw(*ranges))}
    for direction, trend in zip(node.directions(*ranges), below, strict=True):
        for name, sign in trend.signs.items():
            effect = direction * sign
            moved[name] = effect if moved.get(name, effect) == effect else 0
    return Trend(node.reach(*ranges), moved)


def powers(tree: Numbers, *, events: Iterable[str] | None = None) -> dict[str, Powers]:
    """For each event, the highest power in which an input enters it; infinite where it enters otherwise."""
    names = aliases(tree)
    owners = {parameter_owner(tree, name): name for name in tree.parameters}
    known, found = dict[str, Powers](), dict[str, Powers]()
    for owner, quantity in owned(tree, events).items():
        powers_ = _powers(quantity, leaf_names(owner), names, known)
        if owner in owners:
            known[owners[owner]] = powers_
        else:
            found[owner] = powers_
    return found


def _powers(node: Quantity, leaves: Iterator[str], aliases_: Mapping[str, str], known: Mapping[str, Powers]) -> Powers:
    referred = node.named()
    if referred:
        return known.get(referred[0], {})
    own = next(leaves) if node.uncertain else None
    below = [_powers(argument, leaves, aliases_, known) for argument in node.arguments]
    if own is not None and not below:
        return {aliases_.get(own, own): 1}
    names = dict.fromkeys(name for part in below for name in part)
    operation = node.name if isinstance(node, Operation) else ""
    if operation == "mul" or (operation == "div" and not any(below[1:])):
        return {name: sum(part.get(name, 0) for part in below) for name in names}
    if operation in SUMS:
        return {name: max(part.get(name, 0) for part in below) for name in names}
    return dict.fromkeys([*names, *([] if own is None else [aliases_.get(own, own)])], inf)
