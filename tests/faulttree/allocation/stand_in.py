"""Allocations on small trees, with their top events by enumeration of all states."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from surefoot.faulttree import FaultTree, Fixed, Formula

NAMES = "abcdefghi"


class Asked:
    """Requirements for the events of a tree that is the union of some cut sets, sets of event numbers."""

    def __init__(self, cuts, today, target, *, low=None, relax=False):
        self.today, self.target, self.relax = np.array(today, dtype=float), target, relax
        self.low = np.zeros(len(self.today)) if low is None else np.array(low, dtype=float)
        self.high = np.ones(len(self.today)) if relax else self.today
        self.names = NAMES[: len(self.today)]
        self.states = np.array(list(product([0, 1], repeat=len(self.today))))
        self.true = np.array([any(all(state[i] for i in cut) for cut in cuts) for state in self.states])
        gate = Formula("or", tuple(Formula("and", tuple(self.names[i] for i in sorted(cut))) for cut in cuts))
        events = {name: Fixed(value) for name, value in zip(self.names, self.today.tolist(), strict=True)}
        self.tree = FaultTree("top", {"top": gate}, events)

    def by(self, method, costs=None):
        """The requirements, in the order of the events; an event without influence stays as it is."""
        matter = self.tree.compiled.events
        lowest = {name: low for name, low in zip(self.names, self.low.tolist(), strict=True) if name in matter}
        priced = (
            {} if costs is None else {"costs": {n: c for n, c in zip(self.names, costs, strict=True) if n in matter}}
        )
        found = self.tree.allocate(self.target, method=method, lowest=lowest, relax=self.relax, **priced).requirements
        return np.array([found.get(name, value) for name, value in zip(self.names, self.today, strict=True)])

    def top(self, p):
        """The probability of the top event; ``p`` may hold columns."""
        p = np.asarray(p, dtype=float)
        rows = p.reshape(len(p), 1, -1)
        chances = np.where(self.states.T[:, :, None] == 1, rows, 1 - rows)
        return chances.prod(axis=0)[self.true].sum(axis=0).reshape(p.shape[1:])

    def slope(self, p):
        """Its derivatives."""
        ends = [[np.where(np.arange(len(p)) == i, end, p) for end in (0.0, 1.0)] for i in range(len(p))]
        return np.array([self.top(always) - self.top(never) for never, always in ends])


def series(today, target, **options):
    """Each event is enough."""
    return Asked([{i} for i in range(len(today))], today, target, **options)


def parallel(today, target, **options):
    """All events are needed."""
    return Asked([set(range(len(today)))], today, target, **options)


@st.composite
def coherent(draw, count):
    """Cut sets in which every event occurs."""
    sets = draw(st.lists(st.sets(st.integers(0, count - 1), min_size=1), min_size=1, max_size=4))
    rest = set(range(count)) - set().union(*sets)
    return [*sets, *([rest] if rest else [])]
