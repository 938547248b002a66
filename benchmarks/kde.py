"""Densities of many points against scikit-learn, and masses on large grids."""

from __future__ import annotations

import time

import numpy as np
from sklearn.neighbors import KernelDensity

from benchmarks.harness import Line, Row, best_of, in_turn, one_core
from surefoot.core.validate import FloatArray
from surefoot.profile import KDE

POINTS, FEATURES, QUERIES = 100_000, 8, 2_000
CHECKED = 20
GRIDS = ((50_000, 500), (5_000, 2_000))
PEER_CENTRES = (500, 1_000, 2_000)


def measure() -> list[Row]:
    """Rows for the density at queries, with its largest relative error, and for grids; all on one core."""
    with one_core():
        return [*_densities(), *(_grid(*case) for case in GRIDS)]


def _densities() -> list[Row]:
    rng = np.random.default_rng(1)
    points, queries = rng.normal(size=(POINTS, FEATURES)), rng.normal(size=(QUERIES, FEATURES))
    bandwidth = POINTS ** (-1 / (FEATURES + 4))
    ours = KDE(bandwidth).fit(points)
    first = _seconds_of_first(ours, queries)
    error = _relative_error(ours.density(queries[:CHECKED]), points, queries[:CHECKED], bandwidth)
    rows = []
    for options, settings in (("rtol=1e-4", {"rtol": 1e-4}), ("default", {})):
        timed = in_turn(
            lambda: KDE(bandwidth).fit(points).score_samples(queries),
            lambda settings=settings: (  # type: ignore[misc]
                KernelDensity(bandwidth=bandwidth, **settings).fit(points).score_samples(queries)
            ),
            rounds=3,
        )
        note = (
            f"both fit and evaluate, one core, {timed}; relative error {error:.0e}; first call "
            f"{first:.1f} s (compiles, then kept on disk)"
        )
        task = f"density of {POINTS:,} points, d = {FEATURES}, at {QUERIES:,} queries"
        rows.append(Row(task, timed.seconds[0], f"KernelDensity({options})", timed.seconds[1], note))
    return rows


def _seconds_of_first(profile: KDE, queries: FloatArray) -> float:
    start = time.perf_counter()
    profile.score_samples(queries)
    return time.perf_counter() - start


def _relative_error(found: FloatArray, points: FloatArray, queries: FloatArray, bandwidth: float) -> float:
    """Largest error against extended precision."""
    exact = []
    for query in queries.astype(np.longdouble):
        squares = (((query - points) / np.longdouble(bandwidth)) ** 2).sum(axis=1)
        exact.append(np.exp(-squares / 2).mean() / (2 * np.pi * np.longdouble(bandwidth) ** 2) ** (FEATURES / 2))
    return float(np.max(np.abs(found / np.array(exact) - 1)))


def _grid(count: int, sides: int) -> Row:
    """Exact mass, variance and contributions; the peer gives the density at the centres alone."""
    points = np.random.default_rng(2).random((count, 2))
    edges, values = [np.linspace(0, 1, sides + 1)] * 2, np.ones((sides, sides))
    profile = KDE(0.05).fit(points)

    def ours() -> None:
        profile.grid_mass(edges)
        profile.grid_variance(edges)
        profile.contributions(edges, values)

    centres = np.random.default_rng(3).random((max(PEER_CENTRES), 2))
    peer = Line.through(
        lambda some: KernelDensity(bandwidth=0.05).fit(points).score_samples(centres[:some]), PEER_CENTRES
    )
    task = f"mass, variance and contributions of {count:,} points in {sides:,} x {sides:,} cells"
    note = f"peer: density at the centres alone; one core; {peer}"
    return Row(task, best_of(ours, repeats=1), "KernelDensity(default)", peer.at(sides**2), note)


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:70} {row.seconds:8.3f} s  {row.ratio:8.1f} times {row.peer}  {row.note}")
