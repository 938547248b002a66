"""Densities of many points against scikit-learn, and masses on large grids."""

from __future__ import annotations

import time

import numpy as np
from sklearn.neighbors import KernelDensity

from benchmarks.harness import Row, best_of
from surefoot.core.validate import FloatArray
from surefoot.profile import KDE

POINTS, FEATURES, QUERIES, PEER_QUERIES = 100_000, 8, 2_000, 100
CHECKED = 20
GRIDS = ((50_000, 500), (5_000, 2_000))


def measure() -> list[Row]:
    """Rows for the density at queries, with its largest relative error, and for grids."""
    return [*_densities(), *(_grid(*case) for case in GRIDS)]


def _densities() -> list[Row]:
    rng = np.random.default_rng(1)
    points, queries = rng.normal(size=(POINTS, FEATURES)), rng.normal(size=(QUERIES, FEATURES))
    bandwidth = POINTS ** (-1 / (FEATURES + 4))
    ours = KDE(bandwidth).fit(points)
    first = _seconds_of_first(ours, queries)
    seconds = best_of(lambda: KDE(bandwidth).fit(points).score_samples(queries))
    error = _relative_error(ours.density(queries[:CHECKED]), points, queries[:CHECKED], bandwidth)
    note = (
        f"fit and evaluation; relative error {error:.0e}; first call {first:.1f} s (compiles, then kept on disk); peer "
        f"without its fit, on {PEER_QUERIES} queries, scaled"
    )
    return [
        Row(
            f"density of {POINTS:,} points, d = {FEATURES}, at {QUERIES:,} queries",
            seconds,
            f"KernelDensity({options})",
            _peer(points, queries, bandwidth, **settings),
            note,
        )
        for options, settings in (("rtol=1e-4", {"rtol": 1e-4}), ("default", {}))
    ]


def _seconds_of_first(profile: KDE, queries: FloatArray) -> float:
    start = time.perf_counter()
    profile.score_samples(queries)
    return time.perf_counter() - start


def _peer(points: FloatArray, queries: FloatArray, bandwidth: float, **settings: float) -> float:
    peer = KernelDensity(bandwidth=bandwidth, **settings).fit(points)
    return best_of(lambda: peer.score_samples(queries[:PEER_QUERIES]), repeats=2) * QUERIES / PEER_QUERIES


def _relative_error(found: FloatArray, points: FloatArray, queries: FloatArray, bandwidth: float) -> float:
    """Largest error against extended precision."""
    exact = []
    for query in queries.astype(np.longdouble):
        squares = (((query - points) / np.longdouble(bandwidth)) ** 2).sum(axis=1)
        exact.append(np.exp(-squares / 2).mean() / (2 * np.pi * np.longdouble(bandwidth) ** 2) ** (FEATURES / 2))
    return float(np.max(np.abs(found / np.array(exact) - 1)))


def _grid(count: int, sides: int) -> Row:
    """Exact mass, variance and contributions; the peer evaluates the density at some centres, scaled to all."""
    points = np.random.default_rng(2).random((count, 2))
    edges, values = [np.linspace(0, 1, sides + 1)] * 2, np.ones((sides, sides))
    profile = KDE(0.05).fit(points)

    def ours() -> None:
        profile.grid_mass(edges)
        profile.grid_variance(edges)
        profile.contributions(edges, values)

    centres = np.random.default_rng(3).random((PEER_QUERIES, 2))
    peer = KernelDensity(bandwidth=0.05).fit(points)
    seconds = best_of(lambda: peer.score_samples(centres), repeats=2) * sides**2 / PEER_QUERIES
    task = f"mass, variance and contributions of {count:,} points in {sides:,} x {sides:,} cells"
    note = f"peer: density at the centres only, {PEER_QUERIES} timed and scaled"
    return Row(task, best_of(ours, repeats=1), "KernelDensity(default)", seconds, note)


if __name__ == "__main__":
    for row in measure():
        print(f"{row.task:70} {row.seconds:8.3f} s  {row.ratio:8.1f} times {row.peer}  {row.note}")
