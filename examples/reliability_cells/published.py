"""The running example of paper RAM: its data, its forest, its Table 1, and the assessment in both forms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot import datasets
from surefoot.profile import KDE, separation
from surefoot.reliability import ExactTrees, Reliability, assess_cells
from surefoot.reliability.cells.table import CROSS_BOUNDARY, SOURCES

SIDE, DOMAIN, BANDWIDTH = 0.004, (0.0, 1.0), 0.2
LEVEL = 0.975
PRINTED = {
    "train error": "0.0005",
    "test error": "0.0180",
    "separation": "0.004013",
    "cells": "250 x 250",
    "ACU": "0.002982",
    "mean E": "0.004891",
    "sd of pmi": "0.000004",
    "Ub97.5%": "0.004899",
}
Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Example:
    """All rows, the split of the paper, and the forest trained on the larger part."""

    whole: Labelled
    train: Labelled
    test: Labelled
    model: Any


@dataclass(frozen=True)
class Line:
    """One figure of Table 1 beside what comes out here."""

    name: str
    reproduced: str
    remark: str = ""

    @property
    def printed(self) -> str:
        """The figure in the paper."""
        return PRINTED[self.name]


def load() -> Example:
    """The rows, split and learnt as the printed figures need it (errata RAM 2)."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    data = datasets.siemens_2d()
    train, test, seen, unseen = train_test_split(data.inputs, data.labels, test_size=0.2, random_state=1)
    model = RandomForestClassifier(10, random_state=5).fit(train, seen)
    return Example((data.inputs, data.labels), (train, seen), (test, unseen), model)


def assess(example: Example, *, as_published: bool) -> Reliability:
    """Risk in 62,500 cells; the test rows correct it, unless it is to be as published."""
    return assess_cells(
        example.model,
        *example.whole,
        side=SIDE,
        domain=DOMAIN,
        profile=KDE(BANDWIDTH),
        estimator=ExactTrees(),
        holdout=example.test,
        as_published=as_published,
    )


def table_1(example: Example, published: Reliability) -> Iterator[Line]:
    """Every figure of the paper's first row."""
    cells, distance = published.cells, separation(*example.whole)
    counts = np.bincount(cells.source, minlength=len(SOURCES))
    yield Line("train error", f"{_error(example.model, example.train):.4f}")
    yield Line("test error", f"{_error(example.model, example.test):.4f}", _count(published))
    yield Line("separation", f"{distance:.6f}", f"between labels; a cell of side {SIDE} is larger (errata 3)")
    yield Line(
        "cells",
        " x ".join(map(str, cells.grid.shape)),
        f"{counts[1]:,} labelled, {counts[0]:,} by vote, {counts[2]} cross-boundary, "
        f"which carry {cells.share_resting_on(CROSS_BOUNDARY):.1%} of E",
    )
    yield Line("ACU", f"{published.acu.value:.6f}", "cells computed, not sampled")
    yield Line("mean E", f"{published.pmi.value:.6f}", "cells computed, not sampled")
    yield Line(
        "sd of pmi",
        f"{published.pmi.details['sd']:.8f}",
        "printed as V, truncated; 100 bootstraps give 0.00000458, their limit is this (errata 1)",
    )
    yield Line("Ub97.5%", f"{published.pmi.upper(LEVEL):.6f}")


def joint_sd(published: Reliability) -> float:
    """Standard deviation of the same sum with the covariances that Eqn. (12) drops (errata RAM 4)."""
    check = next(a.check for a in published.assumptions if a.id == "independent-cells")
    assert check is not None
    return float(check.figures["sd_with_covariances"])


def _error(model: Any, rows: Labelled) -> float:
    return float((model.predict(rows[0]) != rows[1]).mean())


def _count(published: Reliability) -> str:
    assert published.correction is not None
    failed = published.correction.failed
    return f"{failed.sum()} of {failed.size:,}"
