"""How often the confidence bounds of top events hold, over grids of true probabilities that include the worst case.

Run as ``python -m benchmarks.coverage_trees``. Small designs are enumerated: every outcome that matters gets its bounds
once, and the coverage for a truth is the sum of the probabilities of the outcomes whose bound holds. Large designs are
simulated.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy import stats

from surefoot.faulttree import FaultTree
from surefoot.faulttree.formula import Formula
from surefoot.faulttree.quantities import Counts
from surefoot.faulttree.uncertainty import bound_of_counts

TAIL = 1e-6
BRIDGE = {
    "t": Formula("or", ("c1", "c2", "c3", "c4")),
    "c1": Formula("and", ("e0", "e1")),
    "c2": Formula("and", ("e3", "e4")),
    "c3": Formula("and", ("e0", "e2", "e4")),
    "c4": Formula("and", ("e1", "e2", "e3")),
}


def gate(kind: str, count: int, least: int | None = None) -> dict[str, Formula]:
    """A single gate over so many events."""
    names = tuple(f"e{i}" for i in range(count))
    return {"t": Formula(kind, names) if least is None else Formula(kind, names, least)}


ENUMERATED = {
    "OR of 2, 20 and 20 tests": (gate("or", 2), (20, 20)),
    "OR of 2, 10 and 40 tests": (gate("or", 2), (10, 40)),
    "AND of 2, 20 and 20 tests": (gate("and", 2), (20, 20)),
    "AND of 2, 10 and 40 tests": (gate("and", 2), (10, 40)),
    "2 of 3, 12 tests each": (gate("atleast", 3, 2), (12, 12, 12)),
    "AND of 3, 10, 12 and 15 tests": (gate("and", 3), (10, 12, 15)),
    "OR of 3, 8, 12 and 20 tests": (gate("or", 3), (8, 12, 20)),
    "OR of 4, 8 tests each": (gate("or", 4), (8, 8, 8, 8)),
    "OR of 4, 3 to 12 tests": (gate("or", 4), (3, 5, 8, 12)),
    "2 of 4, 8 tests each": (gate("atleast", 4, 2), (8, 8, 8, 8)),
}
SIMULATED = {
    "OR of 20, 200 tests each": (gate("or", 20), (200,) * 20),
    "bridge of 5, 20 to 200 tests": (BRIDGE, (20, 40, 80, 120, 200)),
}


def tree_of(gates: dict[str, Formula], tests: tuple[int, ...], failures: tuple[int, ...]) -> FaultTree:
    """The tree after these failures."""
    counted = enumerate(zip(failures, tests, strict=True))
    return FaultTree("t", gates, {f"e{i}": Counts(int(k), n) for i, (k, n) in counted})


class Bounds:
    """Upper and lower limits by outcome, each computed once."""

    def __init__(self, gates: dict[str, Formula], tests: tuple[int, ...], alpha: float) -> None:
        self.gates, self.tests, self.alpha = gates, tests, alpha
        self.known: dict[tuple[int, ...], tuple[float, float]] = {}

    def of(self, failures: tuple[int, ...]) -> tuple[float, float]:
        if len(set(self.tests)) == 1:
            failures = tuple(sorted(failures))
        if failures not in self.known:
            tree = tree_of(self.gates, self.tests, failures)
            self.known[failures] = (
                bound_of_counts(tree, self.alpha, "lower"),
                bound_of_counts(tree, self.alpha, "upper"),
            )
        return self.known[failures]

    def truth(self, p: np.ndarray) -> float:
        compiled = tree_of(self.gates, self.tests, (0,) * len(self.tests)).compiled
        return float(compiled.probability(np.array([p[int(name[1:])] for name in compiled.events])))


def truths(tests: tuple[int, ...], points: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Equal probabilities, one event alone, budgets of the kind the bounds allow, and random ones."""
    m = len(tests)
    for mean in np.geomspace(0.05, 12, points):
        yield np.minimum(mean / (m * np.array(tests)), 1)
        for i in range(m):
            yield np.where(np.arange(m) == i, np.minimum(mean / np.array(tests), 1), 1e-9)
        share = rng.dirichlet(np.full(m, 0.5))
        yield np.minimum(mean * share / np.array(tests), 1)


def outcomes(tests: int, p: float) -> range:
    """Without both tails."""
    return range(int(stats.binom.ppf(TAIL, tests, p)), int(stats.binom.ppf(1 - TAIL, tests, p)) + 1)


def enumerated(gates: dict[str, Formula], tests: tuple[int, ...], alpha: float, points: int) -> tuple[float, float]:
    """The smallest coverage of the upper and of the lower limit; outcomes beyond the tails count as missed."""
    bounds, rng = Bounds(gates, tests, alpha), np.random.default_rng(0)
    worst = [1.0, 1.0]
    for p in truths(tests, points, rng):
        held, truth = np.zeros(2), bounds.truth(p)
        ranges = [outcomes(n, q) for n, q in zip(tests, p, strict=True)]
        masses = [stats.binom.pmf(list(r), n, q) for r, n, q in zip(ranges, tests, p, strict=True)]
        for places in product(*(range(len(r)) for r in ranges)):
            mass = np.prod([m[i] for m, i in zip(masses, places, strict=True)])
            if mass > TAIL:
                low, high = bounds.of(tuple(r[i] for r, i in zip(ranges, places, strict=True)))
                held += mass * np.array([truth <= high * (1 + 1e-9), low <= truth * (1 + 1e-9)])
        worst = [min(w, h) for w, h in zip(worst, held, strict=True)]
    return worst[0], worst[1]


def simulated(
    gates: dict[str, Formula], tests: tuple[int, ...], alpha: float, points: int, runs: int
) -> tuple[float, float]:
    """The smallest share of runs in which the limits hold, over truths with equal means."""
    bounds, rng = Bounds(gates, tests, alpha), np.random.default_rng(0)
    worst = [1.0, 1.0]
    for p in [np.minimum(mean / (len(tests) * np.array(tests)), 1) for mean in np.geomspace(0.5, 12, points)]:
        truth = bounds.truth(p)
        draws = rng.binomial(tests, p, (runs, len(tests)))
        limits = np.array([bounds.of(tuple(map(int, row))) for row in draws])
        held = (truth <= limits[:, 1] * (1 + 1e-9)).mean(), (limits[:, 0] <= truth * (1 + 1e-9)).mean()
        worst = [min(w, h) for w, h in zip(worst, held, strict=True)]
    return worst[0], worst[1]


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=9)
    parser.add_argument("--runs", type=int, default=400)
    chosen = parser.parse_args()
    print("| design | level | how | smallest coverage, upper | smallest coverage, lower |")
    print("| --- | --- | --- | --- | --- |")
    for alpha in (0.05, 0.2):
        for name, (gates, tests) in ENUMERATED.items():
            upper, lower = enumerated(gates, tests, alpha, chosen.points)
            print(f"| {name} | {1 - alpha:g} | enumerated | {upper:.4f} | {lower:.4f} |", flush=True)
        for name, (gates, tests) in SIMULATED.items():
            upper, lower = simulated(gates, tests, alpha, chosen.points, chosen.runs)
            print(f"| {name} | {1 - alpha:g} | {chosen.runs} runs a truth | {upper:.4f} | {lower:.4f} |", flush=True)


if __name__ == "__main__":
    main()
