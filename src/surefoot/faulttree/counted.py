"""Confidence bounds of a top event whose events were counted: one budget of failures instead of shares of alpha.

Sharing alpha among m events asks each of them for a bound at 1 - alpha/m, which for twenty events without a failure
is thirty times what the tests say together. Here the counts speak together: the top event is at most the largest h(p)
with sum c_i n_i p_i <= L(t), where t = sum c_i x_i is what was counted and the weights c come from the tree and the
numbers of tests alone. Without any failure the constraint is exact, prod (1 - p_i)^n_i >= alpha; one count has its
exact limit, two or three are inverted exactly (``core.exact_inversion``). Which of these is used is decided before an
outcome is looked at. Inputs that were not counted, or were counted on data of another, have bounds of their own, each
at its share of alpha.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core.assumption import Assumption
from surefoot.core.bound import BoundFamily, Side, TabulatedBound
from surefoot.core.distributions import Point
from surefoot.core.errors import LevelUnavailable
from surefoot.core.estimate import Estimate
from surefoot.core.exact_inversion import Count, count_of, exact_limit, largest_mean, smallest_mean
from surefoot.core.monotone_maps import AtLeastOnce, EventWithin
from surefoot.core.validate import FloatArray
from surefoot.faulttree import quantities
from surefoot.faulttree.count_budget import certified_maximum, evidence_budget, largest_within
from surefoot.faulttree.model import FaultTree

Method = Literal["exact limit", "exact inversion", "count budget", "e-values"]
LEVELS = (0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 0.9999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12)
USUAL = 0.999
"""Up to this level two counts are inverted at every level of the table."""
REFERENCE_FAILURES = 2
MOST_SETS = 2000
POWERS = (0.0, 0.25, 0.5, 0.75, 1.0)
ASCENT, MOST_STARTS = 30, 8
ALIKE = 0.75
"""Weights above this are made 1, because totals of whole numbers have the sharper limit."""
CELLS_BY_NODES = ((80, 800), (400, 400), (4000, 160))
FEWEST_CELLS, COARSE = 60, 0.5

INDEPENDENT_TESTS = Assumption(
    "independent-tests", "The tests of one event are others than those of the next, and their outcomes independent."
)
TopAt = Callable[[Mapping[str, FloatArray], int], FloatArray]


@dataclass(frozen=True, eq=False)
class CountedInputs:
    """The uncertain inputs of a coherent tree: counts that speak together, and the others, with bounds of their own."""

    tree: FaultTree
    counts: Mapping[str, Count]
    others: Mapping[str, Estimate]
    signs: Mapping[str, int]
    top: TopAt
    anytime: bool = False
    _shared: dict[int, dict[str, float]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        tree: FaultTree,
        inputs: Mapping[str, Estimate],
        signs: Mapping[str, int],
        top: TopAt,
        *,
        anytime: bool = False,
    ) -> CountedInputs | None:
        """None where no input was counted, an input has bounds of another kind, or the tree is not coherent."""
        if not tree.compiled.coherent:
            return None
        uncertain = {name: e for name, e in inputs.items() if not isinstance(e.dist, Point)}
        counts = {name: count for name, e in uncertain.items() if (count := count_of(e)) is not None}
        rest = {name: e for name, e in uncertain.items() if name not in counts}
        if not counts or any(signs[name] == 0 for name in uncertain) or not all(map(_has_confidence, rest.values())):
            return None
        if anytime and any(not is_certain(estimate) for estimate in rest.values()):
            return None
        together = dict(_apart(counts, uncertain, signs))
        return cls(tree, together, {n: e for n, e in uncertain.items() if n not in together}, signs, top, anytime)

    @property
    def shares(self) -> int:
        """Among how many alpha is shared: the counts together are one."""
        return 1 + sum(not is_certain(estimate) for estimate in self.others.values())

    @cached_property
    def method(self) -> Method:
        """Chosen by the tree and the numbers of tests alone."""
        if self.anytime:
            return "e-values"
        if len(self.counts) == 1:
            return "exact limit"
        if len(self.counts) == 2:
            return "exact inversion"
        alike = len({count.exposure for count in self.counts.values()}) == 1
        if len(self.counts) == 3 and not (alike and self._every_event_alone):
            return "exact inversion"
        return "count budget"

    @property
    def why(self) -> str:
        """The reason for the method, in words."""
        return {
            "exact limit": "one input was counted",
            "exact inversion": f"{len(self.counts)} inputs were counted, few enough for an exact inversion",
            "count budget": f"{len(self.counts)} inputs were counted, so their failures share one budget",
            "e-values": "testing may have stopped at any time",
        }[self.method]

    @property
    def value(self) -> float:
        """The top event with what was counted at its share of failures and the rest at its value."""
        return float(self.top({name: np.array([count.share]) for name, count in self._every_count.items()}, 1)[0])

    @property
    def _every_count(self) -> dict[str, Count]:
        more = {name: count for name, e in self.others.items() if (count := count_of(e)) is not None}
        return {**self.counts, **more}

    def bounds(self, level: float) -> tuple[BoundFamily, ...]:
        """Upper and lower limits, tabulated at usual levels and at ``level``."""
        found = (self._family(side, level) for side in ("upper", "lower"))
        return tuple(family for family in found if family is not None)

    def details(self) -> dict[str, Any]:
        """What was used and why, for the record."""
        weights = dict(zip(self.counts, self.weights.tolist(), strict=True)) if self.method == "count budget" else {}
        counted = {
            name: {"failures": c.events, "trials": c.exposure} | ({"weight": weights[name]} if weights else {})
            for name, c in self.counts.items()
        }
        return {"method": self.method, "because": self.why, "counted together": counted, "alone": sorted(self.others)}

    def _family(self, side: Side, level: float) -> BoundFamily | None:
        """Closely at the level and at that of an interval's end; a lower level has the limit of ``level``."""
        fine = (level, (1 + level) / 2)
        rows = []
        for asked in sorted({*fine, *(other for other in LEVELS if other > level)}):
            try:
                rows.append((asked, self.limit(1 - asked, side, fine=asked in fine)))
            except LevelUnavailable:
                continue
        if not rows:
            return None
        levels, limits = zip(*rows, strict=True)
        return TabulatedBound.widened(levels, limits, side, "confidence")

    def limit(self, alpha: float, side: Side, *, fine: bool = True) -> float:
        """The limit that is missed with probability at most ``alpha``."""
        share = alpha / self.shares
        held = {name: self._held(name, share, side) for name in self.others}
        if self.method == "e-values":
            return self._by_evidence(share, held, side, fine)
        if self.method == "exact limit":
            ((name, count),) = self.counts.items()
            return self._at({name: np.array([count.limit(share, side)])}, held)
        if self._inverted(alpha, side, fine):
            order = self._function(self._design_values) if self.others else None
            return exact_limit(list(self.counts.values()), self._function(held), share, side, order=order)
        return self._within_budget(share, held, fine) if side == "upper" else self._lower(alpha, share)

    def _by_evidence(self, alpha: float, held: Mapping[str, float], side: Side, fine: bool) -> float:
        """Within what the likelihood leaves at any time; nothing is said from below."""
        if side == "lower":
            return self._at({name: np.zeros(1) for name in self.counts}, held)
        cells = self._cells(fine)
        grid = np.linspace(0.0, evidence_budget(list(self.counts.values()), alpha), cells + 1)
        values = {name: largest_within(count, self._uses[name] * grid) for name, count in self.counts.items()}
        return float(self._top_curve({**values, **_repeated(held, cells + 1)}, np.zeros_like(self._convex))[-1])

    def _function(self, held: Mapping[str, float]) -> Callable[[FloatArray], FloatArray]:
        """The top event as a function of the counted probabilities, one row each."""
        names, events = list(self.counts), self.tree.compiled.events
        if not all(self._convex[events.index(e)] for name in names for e in self._feeds[name]):
            return lambda p: self.top(dict(zip(names, p, strict=True)) | _repeated(held, p.shape[1]), p.shape[1])
        known = quantities.probabilities(self.tree.expanded, _repeated(held, 1), events=events)
        base = np.array([float(np.max(known[event])) for event in events])
        rows = [(place, events.index(event)) for place, name in enumerate(names) for event in self._feeds[name]]

        def directly(p: FloatArray) -> FloatArray:
            matrix = np.repeat(base[:, None], p.shape[1], axis=1)
            for place, row in rows:
                matrix[row] = p[place]
            return self.tree.compiled.probability(matrix)

        return directly

    def _inverted(self, alpha: float, side: Side, fine: bool) -> bool:
        """Whether the limit comes from an exact inversion; lower limits of a series are as good without."""
        if self.method != "exact inversion" or (side == "lower" and (self._in_series or len(self.counts) > 2)):
            return False
        return fine or (len(self.counts) == 2 and 1 - alpha <= USUAL)

    @cached_property
    def _in_series(self) -> bool:
        """Whether the top event is any one of the counted events, as they are."""
        as_they_are = bool(self._convex.all()) and not any(count.steps for count in self.counts.values())
        once = all(uses == 1 for uses in self._uses.values())
        return self._every_event_alone and as_they_are and once and not self.others

    def tightening(self, alpha: float) -> dict[str, float]:
        """How much one more test of each input without a failure would lower the upper limit, about.

        By the multipliers of the budget: where the worst split gives an input the probability p of n tests, one
        more test takes p / n from it, and the top event falls by its derivative times that.
        """
        share = alpha / self.shares
        held = {name: self._held(name, share, "upper") for name in self.others}
        weights, function = self.weights, self._function(held)
        split = self._worst_split(self._budget(share), weights, held)
        p = self._at_split(split, weights)
        base = function(p[:, None])[0]
        counts = list(self.counts.values())
        more = [
            count.at_mean(np.array([b / c * n / (n + 1)]))
            for count, b, c, n in zip(counts, split, weights, (count.exposure for count in counts), strict=True)
        ]
        found = {}
        for place, name in enumerate(self.counts):
            moved = p.copy()
            moved[place] = more[place][0]
            found[name] = max(float(base - function(moved[:, None])[0]), 0.0)
        return found

    def _at_split(self, split: FloatArray, weights: FloatArray) -> FloatArray:
        pairs = zip(self.counts.values(), split, weights, strict=True)
        return np.array([float(count.at_mean(np.array([b / c]))[0]) for count, b, c in pairs])

    def _worst_split(self, budget: float, weights: FloatArray, held: Mapping[str, float]) -> FloatArray:
        """Where the budget does most, by growth in proportion to what each share does (Baum and Eagon 1967)."""
        function, size = self._function(held), len(self.counts)
        starts = np.vstack([np.full((1, size), 1 / size), 0.9 * np.eye(size)[:MOST_STARTS] + 0.1 / size])
        best, highest = starts[0], -1.0
        for start in starts:
            shares = start
            for _ in range(ASCENT):
                p = self._at_split(budget * shares, weights)
                step = np.maximum(p * 1e-6, 1e-15)
                moved = np.repeat(p[:, None], size + 1, axis=1)
                moved[np.arange(size), np.arange(size)] += step
                values = function(moved)
                slope = np.maximum((values[:size] - values[size]) / step * p, 0.0)
                if slope.sum() <= 0:
                    break
                shares = slope / slope.sum()
            value = float(function(self._at_split(budget * shares, weights)[:, None])[0])
            best, highest = (shares, value) if value > highest else (best, highest)
        return budget * best

    def _held(self, name: str, share: float, side: Side) -> float:
        """An input that was not counted with the others, at its own bound."""
        needed: Side = side if self.signs[name] > 0 else "lower" if side == "upper" else "upper"
        count = count_of(self.others[name])
        if count is not None and self.anytime:
            budget = np.array([evidence_budget([count], share)])
            return float(largest_within(count, budget)[0] if needed == "upper" else count.after_steps(np.zeros(1))[0])
        if count is not None:
            return count.limit(share, needed)
        return self.others[name].bound(needed, 1 - share).limit

    def _at(self, values: Mapping[str, FloatArray], held: Mapping[str, float]) -> float:
        return float(self.top({**values, **_repeated(held, 1)}, 1)[0])

    def _within_budget(self, alpha: float, held: Mapping[str, float], fine: bool) -> float:
        budget = self._budget(alpha)
        if fine or held:
            return float(self._curve(budget, held, self._cells(fine), weights=self.weights, silent=self._silent)[-1])
        curve = self._coarse_curve
        return float(curve[math.ceil((len(curve) - 1) * budget / self._budget(1 - LEVELS[-1]) - 1e-9)])

    def _budget(self, alpha: float) -> float:
        total = float(self.weights @ [count.events for count in self.counts.values()])
        return -math.log(alpha) if self._silent else largest_mean(total, alpha, whole=self._whole)

    @property
    def _silent(self) -> bool:
        """Whether nothing failed at all."""
        return not any(count.events for count in self.counts.values())

    @cached_property
    def _coarse_curve(self) -> FloatArray:
        """For every level at once."""
        budget = self._budget(1 - LEVELS[-1])
        return self._curve(budget, {}, self._cells(fine=False), weights=self.weights, silent=self._silent)

    def _curve(
        self,
        budget: float,
        held: Mapping[str, float],
        cells: int,
        *,
        weights: FloatArray | None = None,
        silent: bool = False,
    ) -> FloatArray:
        """The certified maximum for budgets from 0 to ``budget``; an input that feeds r events pays r-fold for each."""
        grid = np.linspace(0.0, budget, cells + 1)
        chosen = np.ones(len(self.counts)) if weights is None else weights
        values = {
            name: count.at_silence(self._uses[name] * grid) if silent else count.at_mean(self._uses[name] * grid / c)
            for (name, count), c in zip(self.counts.items(), chosen, strict=True)
        }
        return self._top_curve({**values, **_repeated(held, cells + 1)}, self._convex)

    def _top_curve(self, values: Mapping[str, FloatArray], convex: NDArray[np.bool_]) -> FloatArray:
        events = self.tree.compiled.events
        known = quantities.probabilities(self.tree.expanded, values, events=events)
        size = len(next(iter(values.values())))
        return certified_maximum(
            self.tree.compiled, np.array([np.broadcast_to(known[event], size) for event in events]), convex
        )

    def _cells(self, fine: bool) -> int:
        nodes = self.tree.compiled.nodes
        most = next((cells for limit, cells in CELLS_BY_NODES if nodes <= limit), FEWEST_CELLS)
        return most if fine else max(int(COARSE * most), FEWEST_CELLS)

    @cached_property
    def _feeds(self) -> dict[str, list[str]]:
        """The events that depend on each counted input."""
        found: dict[str, list[str]] = {name: [] for name in self.counts}
        by_event = quantities.signs(self.tree.expanded, events=self.tree.compiled.events)
        for event, signs in by_event.items():
            for name in signs:
                if name in found:
                    found[name].append(event)
        return found

    @cached_property
    def _uses(self) -> dict[str, int]:
        return {name: max(len(events), 1) for name, events in self._feeds.items()}

    @cached_property
    def _convex(self) -> NDArray[np.bool_]:
        """Events that are one counted input as it is: their -log(1 - p) is convex in the budget."""
        plain: set[str] = {
            event
            for name, events in self._feeds.items()
            if all(isinstance(step, AtLeastOnce | EventWithin) for step in self.counts[name].steps)
            for event in events
            if isinstance(self.tree.expanded.events[event], quantities.Measured | quantities.Counts)
        }
        return np.array([event in plain for event in self.tree.compiled.events], dtype=bool)

    @cached_property
    def _every_event_alone(self) -> bool:
        """Whether each event suffices for the top event: a series."""
        diagrams = [part.diagram for part in self.tree.compiled.parts]
        return len(diagrams) == 1 and bool((diagrams[0].high[2:] == 1).all())

    @cached_property
    def _whole(self) -> bool:
        return bool((self.weights == 1).all())

    @cached_property
    def weights(self) -> FloatArray:
        """How much a failure of each input counts, 1 for the one that matters most; no outcome enters.

        An input that can do less to the top event, through its most probable cut set, weighs less. How much less is
        decided by two outcomes that could have been: a single failure, and one of every input.
        """
        found = self._by_cut_sets()
        candidates = [_evened(found**power) for power in POWERS]
        return min(candidates, key=self._reference)

    def _reference(self, weights: FloatArray) -> float:
        """The product of the bounds after the two outcomes."""
        whole = bool((weights == 1).all())
        budgets = [largest_mean(float(total), 0.05, whole=whole) for total in (1.0, weights.sum())]
        curves = (self._curve(budget, self._design_values, FEWEST_CELLS, weights=weights) for budget in budgets)
        return math.prod(float(curve[-1]) for curve in curves)

    @cached_property
    def _reference_budget(self) -> float:
        return largest_mean(REFERENCE_FAILURES, 0.05, whole=True)

    @cached_property
    def _design_values(self) -> dict[str, float]:
        """Values of the other inputs that no outcome enters, for weights and orders."""
        counts = {name: count_of(estimate) for name, estimate in self.others.items()}
        mean = np.array([float(REFERENCE_FAILURES)])
        return {name: 0.5 if count is None else float(count.at_mean(mean)[0]) for name, count in counts.items()}

    def _by_cut_sets(self) -> FloatArray:
        """U_C^(1/|C|) for the best cut set C of each input, where U_C is what the budget gives C alone."""
        names = list(self.counts)
        owner = {event: names.index(name) for name, events in self._feeds.items() for event in events}
        best = np.zeros(len(names))
        for events in self._likely_cut_sets():
            mine = [event for event in events if event in owner]
            alone = math.prod(self._with_share(max(len(mine), 1))[event] for event in events)
            for event in mine:
                best[owner[event]] = max(best[owner[event]], alone ** (1 / len(mine)))
        found = np.where(best > 0, best, best[best > 0].min(initial=1.0))
        return found / found.max()

    def _likely_cut_sets(self) -> Iterator[tuple[str, ...]]:
        from surefoot.faulttree.cutsets import cut_sets

        sets = cut_sets(self.tree.compiled, self._with_share(1), limit=MOST_SETS, by="probability")
        return (found.events for found in sets)

    def _with_share(self, parts: int) -> dict[str, float]:
        """Every event where each input has an equal part of the reference budget."""
        if parts not in self._shared:
            mean = np.array([self._reference_budget / parts])
            values = {name: count.at_mean(mean) for name, count in self.counts.items()} | _repeated(
                self._design_values, 1
            )
            known = quantities.probabilities(self.tree.expanded, values, events=self.tree.compiled.events)
            self._shared[parts] = {event: float(np.max(p)) for event, p in known.items()}
        return self._shared[parts]

    def _lower(self, alpha: float, share: float) -> float:
        if self._in_series:
            smallest = min(count.exposure for count in self.counts.values())
            weights = np.array([smallest / count.exposure for count in self.counts.values()])
            total = float(weights @ [count.events for count in self.counts.values()])
            mean = smallest_mean(total, share, whole=bool((weights == 1).all()))
            # Spread evenly the same mean does the least, because -log(1 - p) is convex.
            each = mean / smallest / len(self.counts)
            return self._at(
                {name: np.array([float(c.after_steps(np.array(each)))]) for name, c in self.counts.items()}, {}
            )
        each_share = alpha / (len(self.counts) + self.shares - 1)
        values = {name: np.array([count.limit(each_share, "lower")]) for name, count in self.counts.items()}
        return self._at(values, {name: self._held(name, each_share, "lower") for name in self.others})


def _evened(weights: FloatArray) -> FloatArray:
    return np.ones_like(weights) if weights.min() > ALIKE else weights


def _has_confidence(estimate: Estimate) -> bool:
    kinds = {family.kind for family in estimate.bounds}
    return bool(kinds) and kinds <= {"confidence", "certain"}


def is_certain(estimate: Estimate) -> bool:
    """Whether nothing about it is uncertain."""
    return all(family.kind == "certain" for family in estimate.bounds)


def _apart(
    counts: Mapping[str, Count], inputs: Mapping[str, Estimate], signs: Mapping[str, int]
) -> Iterator[tuple[str, Count]]:
    """Counts with which the top event rises, without those on data of one before."""
    used = set[str]()
    for name, count in counts.items():
        data = set(inputs[name].provenance.data.values())
        if signs[name] > 0 and used.isdisjoint(data):
            used |= data
            yield name, count


def _repeated(held: Mapping[str, float], size: int) -> dict[str, FloatArray]:
    return {name: np.full(size, value) for name, value in held.items()}
