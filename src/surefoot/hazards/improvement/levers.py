"""Which events can be improved by themselves, and what is uncertain about each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from surefoot.faulttree import quantities
from surefoot.faulttree.quantities import Measured, Parameter
from surefoot.hazards.improvement.ground import Ground


@dataclass(frozen=True)
class Lever:
    """Events that are one thing: one event, or all that rest on one measured estimate or one parameter.

    ``inputs`` are what is uncertain about them, ``own_inputs`` those that nothing else uses.
    """

    events: tuple[str, ...]
    rows: tuple[int, ...]
    inputs: frozenset[str]
    own_inputs: frozenset[str]
    direction: int

    @property
    def linear(self) -> bool:
        """Whether it is one event with inputs of its own: the top event is a straight line in its probability."""
        return len(self.rows) == 1 and self.inputs == self.own_inputs


def levers(ground: Ground) -> list[Lever]:
    """All that the top event depends on, in the order of the diagram."""
    compiled, plain = ground.tree.compiled, ground.tree.expanded
    uncertain = {
        event: frozenset(signs) & ground.uncertain
        for event, signs in quantities.signs(plain).items()
        if event in compiled.directions
    }
    users = Counter(name for names in uncertain.values() for name in names)
    together: dict[tuple[str, str], list[int]] = {}
    for row, key in enumerate(_identities(ground)):
        together.setdefault(key, []).append(row)
    return [_lever(ground, rows, uncertain, users) for rows in together.values()]


def _lever(ground: Ground, rows: list[int], uncertain: dict[str, frozenset[str]], users: Counter[str]) -> Lever:
    compiled = ground.tree.compiled
    events = tuple(compiled.events[row] for row in rows)
    inputs = frozenset[str]().union(*(uncertain.get(event, frozenset()) for event in events))
    signs = {compiled.directions[event] for event in events}
    own = Counter(name for event in events for name in uncertain.get(event, ()))
    own_inputs = frozenset(name for name in inputs if users[name] == own[name])
    return Lever(events, tuple(rows), inputs, own_inputs, signs.pop() if len(signs) == 1 else 0)


def _identities(ground: Ground) -> list[tuple[str, str]]:
    """What each event of the diagram is, so that two with one identity improve together."""
    plain = ground.tree.expanded
    stand_ins = quantities.aliases(plain)
    found = []
    for event in ground.tree.compiled.events:
        quantity = plain.events[event]
        if isinstance(quantity, Parameter):
            found.append(("parameter", quantity.name))
        else:
            name = stand_ins.get(event, event) if isinstance(quantity, Measured) else event
            found.append(("event", name))
    return found
