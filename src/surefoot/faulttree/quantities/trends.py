"""Whether an event's probability rises or falls with each of the uncertain inputs, by rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from surefoot.faulttree.quantities.base import Quantity, Range, leaf_names
from surefoot.faulttree.quantities.evaluation import Numbers, aliases, owned, parameter_owner
from surefoot.faulttree.quantities.leaves import DEFAULT_MISSION_TIME, MISSION_TIME


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
