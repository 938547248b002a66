"""The largest probability of a top event while its events share a budget, certified from above.

Each event has a curve: the largest probability it can have for a share b of the budget, on a grid 0 = b_0 < ... < b_K.
The answer is the same kind of curve for the top event. Shares are rounded up to the grid, so it lies above the true
maximum whatever the shape of the curves:

- gates over disjoint inputs, pair by pair: max over j of op(V1(b_{j+1}), V2(b_{k-j}));
- everything else by Shannon's expansion f = p f_1 + (1 - p) f_0 with both branches given all of what is left. How much
  is given twice depends on the event that is expanded first, so several are tried and the smallest answer counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.core.exact_inversion import Count
from surefoot.core.validate import FloatArray
from surefoot.faulttree.logic.decision_diagram import FALSE, TRUE, Diagram

if TYPE_CHECKING:
    from surefoot.faulttree.logic.decision_diagram import Compiled, Part


ALMOST_ONE = 1 - 1e-16
MOST_SETS, FIRST_EVENTS = 60, 4
Sets = frozenset[frozenset[int]]


def certified_maximum(compiled: Compiled, curves: FloatArray, convex: NDArray[np.bool_]) -> FloatArray:
    """The curve of the top event of a coherent tree from those of its events, one row each.

    ``convex`` marks the events whose -log(1 - p) is known to be convex in the budget, and 0 without any.
    """
    columns, known = list(curves), [*convex.tolist(), *[False] * len(compiled.parts)]
    for part in compiled.parts:
        columns.append(_module(part, columns, known))
    return np.minimum(columns[-1], 1.0)


def _module(part: Part, columns: Sequence[FloatArray], convex: Sequence[bool]) -> FloatArray:
    diagram = part.diagram
    asked = [column for column, _ in diagram.levels]
    if len(asked) == diagram.size and (diagram.high[2:] == TRUE).all():
        return _disjunction([columns[c] for c in asked], [convex[c] for c in asked])
    if len(asked) == diagram.size and (diagram.low[2:] == FALSE).all():
        return _pairwise([columns[c] for c in asked], np.multiply)
    found = _node_by_node(diagram, columns)
    sets = _few_sets(part)
    if sets is not None:
        for first in _often(sets)[:FIRST_EVENTS]:
            np.minimum(found, _Expansion(columns, convex).of(sets, first), out=found)
    return found


class _Expansion:
    """Shannon's expansion of a function that is given by its minimal sets, apart where they share nothing."""

    def __init__(self, columns: Sequence[FloatArray], convex: Sequence[bool]) -> None:
        self.columns, self.convex = columns, convex
        self.known: dict[Sets, FloatArray] = {}

    def of(self, sets: Sets, first: int | None = None) -> FloatArray:
        """The curve; ``first`` is the event that is expanded before the others."""
        if not sets:
            return np.zeros_like(self.columns[0])
        if frozenset() in sets:
            return np.ones_like(self.columns[0])
        if sets not in self.known:
            self.known[sets] = self._found(sets, first)
        return self.known[sets]

    def _found(self, sets: Sets, first: int | None) -> FloatArray:
        common = frozenset.intersection(*sets)
        if common:
            rest = self.of(frozenset(each - common for each in sets))
            return _pairwise([*(self.columns[event] for event in common), rest], np.multiply)
        apart = list(_apart(sets))
        if len(apart) > 1:
            return _disjunction([self.of(part) for part in apart], [self._is_convex(part) for part in apart])
        event = _often(sets)[0] if first is None else first
        low = self.of(frozenset(each for each in sets if event not in each))
        high = self.of(_minimal(each - {event} for each in sets))
        return _expanded(self.columns[event], low, high)

    def _is_convex(self, sets: Sets) -> bool:
        """Whether they are a single event that is known to be."""
        (some, *others) = sets
        return not others and len(some) == 1 and all(self.convex[event] for event in some)


def _few_sets(part: Part) -> Sets | None:
    """The minimal sets of a module, None where they are many."""
    diagram, found = part.minimal, list[frozenset[int]]()
    waiting: list[tuple[int, frozenset[int]]] = [(diagram.root, frozenset())]
    while waiting and len(found) <= MOST_SETS:
        node, chosen = waiting.pop()
        if node == TRUE:
            found.append(chosen)
        elif node != FALSE:
            waiting += [
                (int(diagram.low[node]), chosen),
                (int(diagram.high[node]), chosen | {int(diagram.column[node])}),
            ]
    return frozenset(found) if len(found) <= MOST_SETS else None


def _often(sets: Sets) -> list[int]:
    """The events, those in most sets first."""
    return [event for event, _ in Counter(event for each in sorted(map(sorted, sets)) for event in each).most_common()]


def _apart(sets: Sets) -> Iterator[Sets]:
    """Groups of sets that have no event in common with those of another group."""
    waiting = set(sets)
    while waiting:
        group = {waiting.pop()}
        events = set().union(*group)
        while grown := {each for each in waiting if not events.isdisjoint(each)}:
            waiting -= grown
            group |= grown
            events = events.union(*grown)
        yield frozenset(group)


def _minimal(sets: Iterable[frozenset[int]]) -> Sets:
    kept: list[frozenset[int]] = []
    for each in sorted(set(sets), key=len):
        if not any(smaller <= each for smaller in kept):
            kept.append(each)
    return frozenset(kept)


def _disjunction(curves: list[FloatArray], convex: list[bool]) -> FloatArray:
    """In -log(1 - p) a disjunction is a sum; of convex terms, all of the budget goes to one."""
    hazards = [-np.log1p(-np.minimum(curve, ALMOST_ONE)) for curve in curves]
    alone = [h for h, known in zip(hazards, convex, strict=True) if known]
    rest = [h for h, known in zip(hazards, convex, strict=True) if not known]
    return -np.expm1(-_pairwise(([np.max(alone, axis=0)] if alone else []) + rest, np.add))


def _pairwise(curves: list[FloatArray], operation: Callable[..., FloatArray]) -> FloatArray:
    """Neighbours are combined first, so that few roundings lie on any path; constants cost none."""
    constants, waiting = [c for c in curves if c[-1] == c[0]], [c for c in curves if c[-1] > c[0]]
    while len(waiting) > 1:
        pairs = zip(waiting[::2], waiting[1::2], strict=False)
        waiting = [_shared(a, b, operation) for a, b in pairs] + ([waiting[-1]] if len(waiting) % 2 else [])
    result = waiting[0] if waiting else constants.pop()
    for constant in constants:
        result = operation(result, constant)
    return result


def _shared(first: FloatArray, second: FloatArray, operation: Callable[..., FloatArray]) -> FloatArray:
    """The best split of each budget between two curves: a share between two grid points counts as the upper one."""
    cells = len(first) - 1
    best = np.full(cells + 1, operation(first[0], second[0]))
    for own in range(cells):
        np.maximum(best[own + 1 :], operation(first[own + 1], second[1 : cells - own + 1]), out=best[own + 1 :])
    return best


def _expanded(curve: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Max of p(own) high(left) + (1 - p(own)) low(left), for one node or a row of them each."""
    rise = high - low
    best = low + curve[0] * rise
    if curve[-1] == curve[0]:
        return best
    cells = len(curve) - 1
    best[..., 1:] = 0
    for own in range(cells):
        left = slice(1, cells - own + 1)
        found = low[..., left] + curve[own + 1] * rise[..., left]
        np.maximum(best[..., own + 1 :], found, out=best[..., own + 1 :])
    return best


def _node_by_node(diagram: Diagram, columns: Sequence[FloatArray]) -> FloatArray:
    """The expansion in the order of the diagram."""
    values = np.zeros((len(diagram.column), len(columns[0])))
    values[TRUE] = 1
    for column, nodes in diagram.levels:
        values[nodes] = _expanded(columns[column], values[diagram.low[nodes]], values[diagram.high[nodes]])
    return values[diagram.root]


# Evidence against probabilities from counts that may have been looked at and stopped at any time.
#
# Q(x), a mixture of the likelihoods of the counts over probabilities that were fixed beforehand, divided by the
# likelihood L(p) of the true ones, is a martingale that starts at 1. It exceeds 1 / alpha at any time with probability
# at most alpha (Ville 1939), so that the truth stays inside {p: L(p) >= alpha Q(x)} whenever testing stops, for each
# count by itself (Vovk and Wang 2021, Annals of Statistics 49(3), on e-values and how they merge).

RATES = np.geomspace(1e-12, 1e3, 301)
CENTRE, SPREAD = 1e-3, 2.0
"""Probabilities and rates of the mixture, and where its weights peak: the same for all data."""
NEVER, TOGETHER, APART = np.log([0.5, 0.25, 0.25])
BISECTIONS = 80


def evidence_budget(counts: Sequence[Count], alpha: float) -> float:
    """By how much the logarithm of the likelihood may lie below its largest value."""
    best = sum(float(_log_likelihood(count, _observed(count))) for count in counts)
    return best - (np.log(alpha) + _log_mixture(counts))


def largest_within(count: Count, budgets: FloatArray) -> FloatArray:
    """The largest quantity whose likelihood lies below the best one by at most each budget."""
    peak = _observed(count)
    best = float(_log_likelihood(count, peak))
    most = count.events + 10 * (budgets.max() + np.sqrt(budgets.max() * (count.events + 1)) + 1)
    top = most / count.exposure if count.poisson else 1.0
    low, high = np.full(budgets.shape, peak), np.full(budgets.shape, float(top))
    for _ in range(BISECTIONS):
        middle = low + (high - low) / 2
        inside = best - _log_likelihood(count, middle) <= budgets
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return count.after_steps(high)


def _log_mixture(counts: Sequence[Count]) -> float:
    """No event ever, one probability for all, or for each either no event or a probability of its own."""
    cauchy = 1 / (1 + (np.log(RATES / CENTRE) / SPREAD) ** 2)
    weights = np.log(cauchy / cauchy.sum())
    common = sum(_log_likelihood(count, _within(count, RATES)) for count in counts)
    each = [special.logsumexp(weights + _log_likelihood(c, _within(c, RATES))) for c in counts]
    apart = sum(np.logaddexp(np.log(0.5) + own, np.log(0.5) + _silent(c)) for own, c in zip(each, counts, strict=True))
    parts = [
        NEVER + sum(_silent(count) for count in counts),
        TOGETHER + special.logsumexp(weights + common),
        APART + apart,
    ]
    return float(special.logsumexp(parts))


def _silent(count: Count) -> float:
    """Logarithm of the likelihood of a probability of 0."""
    return 0.0 if count.events == 0 else -np.inf


def _within(count: Count, rates: FloatArray) -> FloatArray:
    return rates if count.poisson else np.minimum(rates, 1 - 1e-9)


def _observed(count: Count) -> float:
    return count.events / count.exposure


def _log_likelihood(count: Count, rate: float | FloatArray) -> FloatArray:
    """Of the very sequence that was seen."""
    k, n = count.events, count.exposure
    if count.poisson:
        return special.xlogy(k, rate) - np.asarray(rate) * n
    return special.xlogy(k, rate) + special.xlog1py(n - k, -np.asarray(rate))
