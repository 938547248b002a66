"""Two data sets whose true failure probability is known, one sparse and flat, one dense.

They stand where the paper has DS-1 and DS-2, which are public (github.com/Solitude-SAMR/UWV_RAM, folder example1) but
do not tell the truth. ``surefoot.testing`` draws them; it is made for tests and benchmarks, and only this file and
``few_labels.py`` of the example import it, for the truth that it knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from surefoot.profile import KDE
from surefoot.reliability import ExactTrees, Reliability, assess_cells
from surefoot.testing import KnownSet, dense_set, sparse_set

DOMAIN = (0.0, 1.0)
LEVEL = 0.975
SETS: dict[str, Callable[[], KnownSet]] = {"sparse": sparse_set, "dense": dense_set}


@dataclass(frozen=True, eq=False)
class Assessed:
    """A set, what the assessment says about its forest, and the seconds that took."""

    known: KnownSet
    found: Reliability
    seconds: float

    @property
    def cells_hold(self) -> bool:
        """Whether the limit of the cells alone is above the truth."""
        return self.found.by_cells.upper(LEVEL) >= self.known.pmi

    @property
    def corrected_holds(self) -> bool:
        """Whether the corrected limit is above the truth."""
        return self.found.pmi.upper(LEVEL) >= self.known.pmi


def assess(known: KnownSet) -> Assessed:
    """Label cells with four fifths of the rows, which trained the forest, and correct with the rest."""
    start, rest = time.perf_counter(), known.held_out
    found = assess_cells(
        known.model,
        known.inputs[~rest],
        known.labels[~rest],
        side=known.world.side,
        domain=DOMAIN,
        profile=KDE("cross-validation", boundary="reflect", domain=DOMAIN).fit(known.inputs),
        estimator=ExactTrees(),
        holdout=(known.inputs[rest], known.labels[rest]),
    )
    return Assessed(known, found, time.perf_counter() - start)
