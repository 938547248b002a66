"""Bounds that hold on average, against known truths: alone, in trees, from confidence bounds, on the same data.

Usage: python -m benchmarks.coverage_averages [--repetitions 20000]

A bound holds on average where its mean over data sets is at least the true value: the tables show mean / truth, which
must not fall below 1. The last table shows how often the exact bound of normal margins misses where rows of one group
resemble each other, with rows taken for independent and with one row of each group.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

from surefoot.bounds import clopper_pearson, normal_score_minimum
from surefoot.core import Bound, Estimate, Provenance, propagate
from surefoot.core.propagation import Proven
from surefoot.core.validate import FloatArray

SIZES = (3, 5, 10, 20, 50, 100, 300)
RATIOS = (0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
LEVELS = (0.5, 0.9, 0.95, 0.99)
TREES: dict[str, Callable[..., FloatArray]] = {
    "or": lambda a, b, c: 1 - (1 - a) * (1 - b) * (1 - c),
    "and": lambda a, b, c: a * b * c,
    "two of three": lambda a, b, c: a * b + a * c + b * c - 2 * a * b * c,
}
Row = tuple[object, ...]


def limits(ratio: float, n: int, count: int, rng: np.random.Generator) -> FloatArray:
    """Bounds of NRB from so many data sets of n normal margins with this mean over standard deviation."""
    mean = rng.normal(ratio, 1 / np.sqrt(n), count)
    return normal_score_minimum(mean / np.sqrt(rng.chisquare(n - 1, count) / (n - 1)), n)


def alone(count: int, rng: np.random.Generator) -> Iterator[Row]:
    """Mean over truth of the bound of NRB; the smallest of each size."""
    for n in SIZES:
        found = {ratio: limits(ratio, n, count, rng).mean() / stats.norm.sf(ratio) for ratio in RATIOS}
        worst = min(found, key=lambda ratio: found[ratio])
        yield n, f"{found[worst]:.3f}", worst, f"{found[2.0]:.2f}"


def in_trees(count: int, rng: np.random.Generator) -> Iterator[Row]:
    """Three classifiers on data of their own, and two of the three on the same rows.

    On the same rows the limits are taken to rise and fall together, which is the worst for an or gate, and against
    each other, which is the worst for an and gate: by the quantiles of their distribution.
    """
    for (name, tree), n in ((pair, n) for pair in TREES.items() for n in (5, 20, 100)):
        for ratio in (0.2, 1.0, 2.0):
            a, b, c = (np.sort(limits(ratio, n, count, rng)) for _ in range(3))
            apart = [rng.permutation(x) for x in (a, b, c)]
            risk = stats.norm.sf(ratio)
            truth = tree(risk, risk, risk)
            plain = [tree(a, with_a, apart[2]).mean() / truth for with_a in (b, b[::-1])]
            together = np.minimum(a + b, 1), np.minimum(a + b[::-1], 1)
            one = [(v * tree(1.0, 1.0, apart[2]) + (1 - v) * tree(0.0, 0.0, apart[2])).mean() / truth for v in together]
            yield name, n, ratio, f"{tree(*apart).mean() / truth:.3f}", f"{min(plain):.3f}", f"{min(one):.3f}"


def same_as_the_library(rng: np.random.Generator) -> None:
    """The formulas above are those of ``propagate``."""
    u = rng.uniform(0, 0.3, 3)
    for tree in TREES.values():
        for data in (("x", "y", "z"), ("x", "x", "z")):
            inputs = {
                name: Estimate(
                    "risk",
                    0.01,
                    scope=name,
                    bounds=(Bound(limit, "upper", 1.0, "expectation"),),
                    provenance=Provenance("benchmark", {"name": name}, data={"data": source}),
                )
                for name, limit, source in zip("abc", u.tolist(), data, strict=True)
            }
            found = propagate(tree, inputs, quantity="top", direction=Proven(dict.fromkeys("abc", 1)), linear="abc")
            v = u[0] + u[1]
            one = v * tree(1.0, 1.0, u[2]) + (1 - v) * tree(0.0, 0.0, u[2])
            np.testing.assert_allclose(found.bounds[0].limit, tree(*u) if data[1] == "y" else one)  # type: ignore[attr-defined]


def from_confidence() -> Iterator[Row]:
    """Mean over truth of Clopper-Pearson limits over their level, exact, for risks up to the level."""
    for level in LEVELS:
        worst = (np.inf, 0, 0.0)
        for n in (1, 2, 5, 20, 100, 1000):
            counts = np.arange(n + 1)
            found = np.array([clopper_pearson(int(k), n, level=level).upper(level) for k in counts])
            for risk in np.concatenate([np.logspace(-6, -1, 40), np.linspace(0.1, level, 60)]):
                mean = stats.binom.pmf(counts, n, risk) @ np.minimum(found / level, 1)
                worst = min(worst, (float(mean / risk), n, float(risk)))
        yield level, f"{worst[0]:.4f}", worst[1], f"{worst[2]:.3g}"


def of_groups(count: int, rng: np.random.Generator) -> Iterator[Row]:
    """How often the exact bound at 95% misses; the bound misses where the ratio exceeds a quantile at the truth."""
    for groups, size, correlation in ((10, 5, 0.0), (10, 5, 0.5), (30, 10, 0.2), (30, 10, 0.8), (100, 20, 0.5)):
        for ratio in (0.5, 2.0):
            common = rng.normal(0, np.sqrt(correlation), (count // 4, groups, 1))
            margins = ratio + common + rng.normal(0, np.sqrt(1 - correlation), (count // 4, groups, size))
            missed = [_missed(part, ratio) for part in (margins.reshape(count // 4, -1), margins[:, :, 0])]
            yield groups, size, correlation, ratio, *(f"{share:.4f}" for share in missed)


def _missed(margins: FloatArray, ratio: float, level: float = 0.95) -> float:
    n = margins.shape[1]
    seen = margins.mean(axis=1) / margins.std(axis=1, ddof=1)
    return float((np.sqrt(n) * seen > stats.nct.ppf(level, n - 1, np.sqrt(n) * ratio)).mean())


def _shown(title: str, columns: tuple[str, ...], rows: Iterator[Row]) -> None:
    table = Table(*columns, title=title)
    for row in rows:
        table.add_row(*map(str, row))
    Console(width=120).print(table)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20_000)
    count = parser.parse_args().repetitions
    rng = np.random.default_rng(0)
    same_as_the_library(rng)
    _shown("NRB alone: mean / truth", ("rows", "smallest", "at ratio", "at ratio 2"), alone(count, rng))
    heads = ("tree", "rows", "ratio", "own data", "same data, as if own", "same data, as one event")
    _shown("Three classifiers: mean / truth", heads, in_trees(count, rng))
    _shown("Confidence limit over level: mean / truth", ("level", "smallest", "trials", "risk"), from_confidence())
    heads = ("groups", "rows each", "correlation", "ratio", "missed, rows", "missed, one of each")
    _shown("Exact bound at 95% with groups", heads, of_groups(count, rng))


if __name__ == "__main__":
    main()
