"""Top events given by their truth tables: what an allocation asks of a compiled tree, by enumeration."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from surefoot.faulttree.allocation.problem import Problem


class TruthTable:
    """Probability and gradient of a Boolean function of a few events, by summing over all states."""

    def __init__(self, function, count):
        self.states = np.array(list(product([0, 1], repeat=count)))
        self.true = np.array([bool(function(*state)) for state in self.states.tolist()])

    def probability(self, p):
        p = np.asarray(p, dtype=float)
        rows = p.reshape(len(p), 1, -1)
        chances = np.where(self.states.T[:, :, None] == 1, rows, 1 - rows)
        return chances.prod(axis=0)[self.true].sum(axis=0).reshape(p.shape[1:])

    def gradient(self, p):
        p = np.asarray(p, dtype=float)
        return np.array([self._at(p, column, 1.0) - self._at(p, column, 0.0) for column in range(len(p))])

    def _at(self, p, column, value):
        p = p.copy()
        p[column] = value
        return self.probability(p)


def problem(function, today, target, *, chosen=None, low=None, high=None):
    """An allocation for a Boolean function of as many events as there are values of today."""
    base = np.array(today, dtype=float)
    columns = np.arange(len(base)) if chosen is None else np.array(chosen)
    low = np.zeros(len(columns)) if low is None else np.array(low, dtype=float)
    high = base[columns] if high is None else np.array(high, dtype=float)
    return Problem(TruthTable(function, len(base)), base, columns, low, high, target)


def series(*events):
    return any(events)


def parallel(*events):
    return all(events)


@st.composite
def coherent_functions(draw, count):
    """A monotone function that depends on every event: the union of some cut sets."""
    sets = draw(st.lists(st.sets(st.integers(0, count - 1), min_size=1), min_size=1, max_size=4))
    rest = set(range(count)) - set().union(*sets)
    cuts = [frozenset(cut) for cut in [*sets, *([rest] if rest else [])]]
    return lambda *events: any(all(events[i] for i in cut) for cut in cuts)
