"""All cells of an assessment as columns, and the few of them that people look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Table, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.grid import Grid
from surefoot.reliability.labelling import ASKED, CROSS_BOUNDARY, EMPTY, SOURCES, CellLabels
from surefoot.reliability.local import KINDS, LocalRisk
from surefoot.reliability.sampling_error import box_limits, sampling_bound, sampling_variance

MOST_SHOWN = 20
COLUMNS = ("source", "label", "points", "how", "trials", "mass", "risk", "contribution")


@dataclass(frozen=True, eq=False)
class Cells:
    """One entry a cell in every column; cells are numbered in C order."""

    grid: Grid
    classes: tuple[str, ...]
    source: NDArray[np.uint8]
    """Where the label comes from, as a number into ``SOURCES``."""
    label: NDArray[np.int64]
    points: NDArray[np.int64]
    """Labelled points inside."""
    how: NDArray[np.uint8]
    """How the risk was found, as a number into ``KINDS``."""
    trials: NDArray[np.int64]
    shares: FloatArray
    """Share of each answer inside."""
    mass: FloatArray
    """Probability that the next input falls inside; sums to 1."""
    risk: FloatArray
    """Probability of a failure inside; 1 in cross-boundary cells."""

    @classmethod
    def of(
        cls,
        grid: Grid,
        classes: tuple[str, ...],
        labelled: CellLabels,
        local: LocalRisk,
        mass: FloatArray,
        undesired: NDArray[np.bool_],
    ) -> Cells:
        """Put together what labelling, estimator and profile found."""
        risk = local.risk(undesired)
        risk[labelled.source == CROSS_BOUNDARY] = 1.0
        return cls(
            grid,
            classes,
            labelled.source,
            local.labels,
            labelled.points,
            local.how,
            local.trials,
            local.shares,
            mass,
            risk,
        )

    def __len__(self) -> int:
        return len(self.grid)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """A column by its name."""
        return np.asarray(getattr(self, validate.choice(column, COLUMNS, where="cells", name="column")))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def contribution(self) -> FloatArray:
        """What each cell adds to the failure probability."""
        return self.mass * self.risk

    @property
    def failures(self) -> FloatArray:
        """Failures among the sampled points of each cell."""
        return np.rint(np.where(self.source == CROSS_BOUNDARY, 0, self.risk) * self.trials)

    def evidence_kinds(self) -> Table:
        """Mass and risk by kind of evidence: what is known of the label, and how the risk was found."""
        total = max(float(self.contribution.sum()), np.finfo(float).tiny)
        rows = []
        for name, chosen in self._kinds():
            mass, part = float(self.mass[chosen].sum()), float(self.contribution[chosen].sum())
            rows.append((name, int(chosen.sum()), mass, part, part / total))
        return Table(("evidence", "cells", "share of operation", "failure probability", "share of it"), tuple(rows))

    def _kinds(self) -> list[tuple[str, NDArray[np.bool_]]]:
        cross = self.source == CROSS_BOUNDARY
        kinds = [(f"{SOURCES[CROSS_BOUNDARY]} cells, set to 1", cross)]
        for source in (1, ASKED, EMPTY):
            for how, word in enumerate(KINDS):
                chosen = (self.source == source) & (self.how == how)
                kinds.append((f"{SOURCES[source]} cells, {word}", chosen))
        return [(name, chosen) for name, chosen in kinds if chosen.any()]

    def share_resting_on(self, source: int) -> float:
        """Share of the failure probability in cells whose label has this source."""
        total = float(self.contribution.sum())
        return float(self.contribution[self.source == source].sum()) / total if total else 0.0

    @property
    def voted_mass(self) -> float:
        """Share of operation in cells labelled by vote."""
        return float(self.mass[self.source == EMPTY].sum())

    def sampled(self) -> NDArray[np.bool_]:
        """Cells whose risk was sampled."""
        return (self.trials > 0) & (self.source != CROSS_BOUNDARY)

    def sampling_variance(self, weights: FloatArray) -> float:
        """Variance that sampling inside cells gives to the weighted sum of their risks."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        return sampling_variance(weights[chosen], self.failures[chosen], self.trials[chosen])

    def sampling_reach(self, level: float) -> float:
        """How far sampling inside cells may have left their sum below the truth."""
        chosen = self.sampled()
        if not chosen.any():
            return 0.0
        parts = self.mass[chosen], self.failures[chosen], self.trials[chosen]
        return sampling_bound(*parts, level=level) - float((parts[0] * parts[1] / parts[2]).sum())

    def risk_limits(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Lower and upper limit of the risk inside each cell; exact for each, not for all of them at once."""
        lower, upper = box_limits(self.failures, self.trials, level=level)
        chosen = self.sampled()
        return np.where(chosen, lower, self.risk), np.where(chosen, upper, self.risk)

    def leading(self, most: int = MOST_SHOWN) -> NDArray[np.int64]:
        """Numbers of the cells that add most to the failure probability, the largest first."""
        part = self.contribution
        count = min(most, int((part > 0).sum()))
        chosen = np.argpartition(-part, max(count - 1, 0))[:count] if count else np.empty(0, np.int64)
        return chosen[np.lexsort((chosen, -part[chosen]))]

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells that add most to the failure probability, with their place."""
        return self.table(self.leading(most))

    def table(self, chosen: NDArray[np.int64] | None = None) -> Table:
        """The chosen cells as a table for people; all of them where nothing is said."""
        chosen = np.arange(len(self)) if chosen is None else chosen
        lower, upper = self.grid.corners(chosen)
        part = self.contribution
        rows = [
            (
                int(cell),
                *(f"{low:.6g} to {high:.6g}" for low, high in zip(lower[row], upper[row], strict=True)),
                SOURCES[self.source[cell]],
                "several" if self.source[cell] == CROSS_BOUNDARY else self.classes[self.label[cell]],
                "set to 1" if self.source[cell] == CROSS_BOUNDARY else KINDS[self.how[cell]],
                float(self.mass[cell]),
                float(self.risk[cell]),
                float(part[cell]),
            )
            for row, cell in enumerate(chosen)
        ]
        axes = tuple(f"feature {axis}" for axis in range(self.grid.dimensions))
        names = ("cell", *axes, "label from", "label", "risk", "mass", "risk inside", "contribution")
        return Table(names, tuple(rows))

    def by_pair(self) -> Table:
        """Probability of each wrong answer for each true label; cross-boundary cells are left out."""
        known = self.source != CROSS_BOUNDARY
        rows = []
        for truth, name in enumerate(self.classes):
            chosen = known & (self.label == truth)
            sums = self.mass[chosen] @ self.shares[chosen]
            rows += [(name, self.classes[a], float(p)) for a, p in enumerate(sums) if a != truth]
        return Table(("true label", "answer", "probability"), tuple(rows))
