"""Figures of the example; all of them are drawn by ``surefoot.reliability.cells.maps``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")

from surefoot.drawing import save
from surefoot.profile import separation_growth
from surefoot.reliability import Reliability
from surefoot.reliability.cells.maps import Sample, data_and_profile, data_sets, growth_by_k, limits_figure, maps


def data_beside_profile(found: Reliability, points: Any, labels: Any, path: Path) -> None:
    """RAM, Figure 5."""
    save(data_and_profile(points, labels, found.cells.classes, found.profile, _domain(found)), path)


def sets_side_by_side(named: Mapping[str, tuple[Reliability, Any, Any]], path: Path) -> None:
    """RAM, Figure 6."""
    samples = {
        name: Sample(points, labels, found.cells.classes, found.profile, _domain(found))
        for name, (found, points, labels) in named.items()
    }
    save(data_sets(samples), path)


def where_and_how_much(found: Reliability, out: Path, name: str) -> None:
    """Maps of the cells, and all upper limits against the held-out tests."""
    assert found.correction is not None
    failed = found.correction.failed
    save(maps(found), out / f"maps_{name}.png")
    save(limits_figure(found.limits, int(failed.sum()), failed.size), out / f"limits_{name}.png")


def settling(found: Reliability, path: Path) -> None:
    """The sum over cells from k of them, as in RAM, Figure 7."""
    save(growth_by_k(found.by_k()), path)


def separation_of(points: Any, labels: Any, side: float, path: Path) -> None:
    """How the smallest distance between labels falls as data arrive."""
    axes = separation_growth(points, labels, seed=0).plot(side=side)
    save(axes.figure, path)


def _domain(found: Reliability) -> Any:
    grid = found.cells.grid
    return list(zip(grid.lower.tolist(), grid.upper.tolist(), strict=True))
