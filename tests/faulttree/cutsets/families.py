"""Small families and functions as diagrams, built from their definitions, and families with modules expanded."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from surefoot.faulttree.logic import Diagram


@dataclass(frozen=True)
class Part:
    minimal: Diagram | None = None
    diagram: Diagram | None = None


@dataclass(frozen=True)
class Compiled:
    events: tuple[str, ...]
    parts: tuple[Part, ...]
    negated: bool = False


def compiled_sets(events, families):
    """A compiled tree whose parts have the given families of sets of columns."""
    return Compiled(tuple(events), tuple(Part(minimal=zero_suppressed(family)) for family in families))


def compiled_functions(events, functions):
    """A compiled tree whose parts have the given functions: pairs of columns and a truth table over them."""
    return Compiled(tuple(events), tuple(Part(diagram=reduced(*function)) for function in functions))


def zero_suppressed(family):
    """The diagram of a family of sets of columns, columns asked in rising order."""
    columns = sorted({column for found in family for column in found})

    def children(level, item):
        with_column = frozenset(found - {columns[level]} for found in item if columns[level] in found)
        return frozenset(found for found in item if columns[level] not in found), with_column

    return _diagram(columns, frozenset(map(frozenset, family)), children, _family_ends, lambda low, high: high == 0)


def reduced(columns, table):
    """The diagram of a truth table with one axis a column, the first column on top."""

    def children(level, item):
        half = len(item) // 2
        return item[:half], item[half:]

    flat = tuple(bool(v) for v in np.ravel(table))
    return _diagram(list(columns), flat, children, lambda item: int(item[0]), lambda low, high: low == high)


def _family_ends(item):
    return int(bool(item))


def _diagram(columns, item, children, ends, redundant):
    """Level by level from the top, then numbered from the bottom."""
    known = {}

    def build(level, item):
        if level == len(columns):
            return ends(item)
        if (level, item) not in known:
            low, high = (build(level + 1, child) for child in children(level, item))
            known[level, item] = low if redundant(low, high) else nodes.setdefault((level, low, high), len(nodes) + 2)
        return known[level, item]

    nodes = {}
    root = build(0, item)
    rows = sorted(((level, low, high, old) for (level, low, high), old in nodes.items()), key=lambda row: -row[0])
    place = {0: 0, 1: 1, **{old: new for new, (*_, old) in enumerate(rows, start=2)}}
    table = [(-1, 0, 0), (-1, 1, 1), *((columns[row[0]], place[row[1]], place[row[2]]) for row in rows)]
    column, low, high = np.array(table, dtype=np.int64).T.copy()
    return Diagram(column, low, high, place[root])


def expanded(events, families):
    """All sets of the last family, with the columns beyond the events replaced by sets of earlier families."""
    done = []
    for family in families:
        done.append({found for item in family for found in _replaced(item, events, done)})
    return done[-1]


def _replaced(item, events, done):
    plain = frozenset(events[column] for column in item if column < len(events))
    choices = [done[column - len(events)] for column in item if column >= len(events)]
    return [plain.union(*choice) for choice in product(*choices)]


def random_families(seed, *, events=9, parts=3, sets=7):
    """Antichains over disjoint events, each but the first with a column for the part before it."""
    rng = np.random.default_rng(seed)
    names = [f"e{i}" for i in rng.permutation(events * parts)]
    found = []
    for part in range(parts):
        columns = [*range(part * events, (part + 1) * events), *([len(names) + part - 1] if part else [])]
        drawn = {frozenset(rng.choice(columns, rng.integers(1, 5), replace=False).tolist()) for _ in range(sets)}
        found.append({item for item in drawn if not any(other < item for other in drawn)})
        if part and not any(columns[-1] in item for item in found[-1]):
            found[-1].add(frozenset({columns[-1]}))
            found[-1] = {item for item in found[-1] if not any(other < item for other in found[-1])}
    return names, found


def choices(groups, size):
    """One event of each group: ``size ** groups`` sets."""
    nodes, below = [(-1, 0, 0), (-1, 1, 1)], 1
    for group in range(groups):
        low = 0
        for member in range(size):
            nodes.append(((groups - group) * size - member - 1, low, below))
            low = len(nodes) - 1
        below = low
    column, low, high = np.array(nodes, dtype=np.int64).T.copy()
    return Compiled(tuple(f"e{i}" for i in range(groups * size)), (Part(Diagram(column, low, high, below)),))
