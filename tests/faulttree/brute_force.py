"""The truth about small fault trees, from a table of all states of their basic events.

States are numbered: bit ``i`` of the number says whether event ``i`` happens. Trees must be free of common-cause groups
(expand them first) and of priority gates with an order other than 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from surefoot.faulttree import Formula

MOST_EVENTS = 14


@dataclass(frozen=True, eq=False)
class Table:
    """Which states of the events make something true."""

    events: tuple[str, ...]
    true: np.ndarray

    @classmethod
    def of(cls, tree, what=None):
        """The table of the top event, or of another gate, event or formula."""
        assert len(tree.events) <= MOST_EVENTS
        assert not tree.groups
        return cls(tuple(tree.events), _Truth(tree).of(tree.top if what is None else what))

    def probability(self, p):
        """Of events that happen with probabilities ``p``, a mapping."""
        return float(state_probabilities([p[name] for name in self.events])[self.true].sum())

    def birnbaum(self, p, event):
        """P(true | event) - P(true | not event)."""
        return self.probability({**p, event: 1.0}) - self.probability({**p, event: 0.0})

    def joint(self, p, first, second):
        """The second mixed difference: how the Birnbaum importance of one event depends on the other."""
        return self.birnbaum({**p, second: 1.0}, first) - self.birnbaum({**p, second: 0.0}, first)

    @cached_property
    def minimal_cut_sets(self):
        """The minimal sets of events that make it true while all others are absent (Rauzy 1993)."""
        minimal = self.true.copy()
        states = np.arange(len(self.true))
        for bit in self._bits:
            has = (states & bit) > 0
            minimal[has] &= ~self._somewhere_below[states[has] ^ bit]
        return frozenset(self._names(state) for state in np.flatnonzero(minimal))

    @cached_property
    def prime_implicants(self):
        """The conjunctions that imply it and cease to when any literal is left out: sets of (event, happens)."""
        implied = self._implied_by_literals()
        prime = implied.copy()
        for axis in range(prime.ndim):
            view, wider = np.moveaxis(prime, axis, 0), np.moveaxis(implied, axis, 0)[2]
            view[:2] &= ~wider
        found = np.argwhere(prime)
        # Axis 0 of the table is the last event.
        named = self.events[::-1]
        return frozenset(
            frozenset((name, bool(v)) for name, v in zip(named, row, strict=True) if v < 2) for row in found
        )

    @cached_property
    def directions(self):
        """+1 where an event only ever helps, -1 where it only ever hinders, 0 where it does both or neither."""
        return {name: self._direction(bit) for name, bit in zip(self.events, self._bits, strict=True)}

    @property
    def relevant(self):
        """The events on which it depends."""
        states = np.arange(len(self.true))
        return frozenset(
            name
            for name, bit in zip(self.events, self._bits, strict=True)
            if (self.true != self.true[states ^ bit]).any()
        )

    @property
    def _bits(self):
        return [1 << i for i in range(len(self.events))]

    @cached_property
    def _somewhere_below(self):
        """Whether the state or one with fewer events is true."""
        below = self.true.copy()
        states = np.arange(len(below))
        for bit in self._bits:
            has = states[(states & bit) > 0]
            below[has] |= below[has ^ bit]
        return below

    def _implied_by_literals(self):
        """A table with three entries an event: absent, present, either."""
        table = self.true.reshape((2,) * len(self.events))
        for axis in range(table.ndim):
            both = np.logical_and(*np.moveaxis(table, axis, 0))
            table = np.concatenate([table, np.expand_dims(both, axis)], axis=axis)
        return table

    def _direction(self, bit):
        without = np.arange(len(self.true))[(np.arange(len(self.true)) & bit) == 0]
        rises = (self.true[without | bit] & ~self.true[without]).any()
        falls = (self.true[without] & ~self.true[without | bit]).any()
        return int(rises) - int(falls)

    def _names(self, state):
        return frozenset(name for name, bit in zip(self.events, self._bits, strict=True) if state & bit)


def state_probabilities(p):
    """The probability of each state of independent events."""
    states = np.ones(1)
    for value in p:
        states = np.concatenate([states * (1 - value), states * value])
    return states


class _Truth:
    """Evaluates formulas over all states at once."""

    def __init__(self, tree):
        self.tree, self.states = tree, np.arange(2 ** len(tree.events))
        self.known = {name: (self.states >> i) & 1 == 1 for i, name in enumerate(tree.events)}

    def of(self, item):
        if isinstance(item, bool):
            return np.full(len(self.states), item)
        if isinstance(item, Formula):
            return _combined(item, np.array([self.of(inner) for inner in item.inputs]))
        if item in self.tree.houses:
            return self.of(self.tree.houses[item])
        if item not in self.known:
            self.known[item] = self.of(self.tree.gates[item])
        return self.known[item]


def _combined(formula, values):
    assert formula.order in (None, 1.0)
    count = values.sum(axis=0)
    every, some = count == len(values), count > 0
    match formula.kind:
        case "pass" | "and" | "inhibit" | "pand":
            return every
        case "or":
            return some
        case "not" | "nand":
            return ~every
        case "nor":
            return ~some
        case "xor":
            return count % 2 == 1
        case "iff":
            return values[0] == values[1]
        case "imply":
            return ~values[0] | values[1]
        case "atleast":
            return count >= formula.minimum
        case "cardinality":
            return (count >= formula.minimum) & (count <= formula.maximum)
    raise AssertionError(formula.kind)
