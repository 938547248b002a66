"""``Acceptance``: a threshold below which answers are accepted, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds import grouped, hoeffding
from surefoot.bounds.groups import INDEPENDENT_GROUPS
from surefoot.bounds.statement import FIXED_SIZE, INDEPENDENT, INDEPENDENT_LOSSES, ORDER_FIRST, approximate
from surefoot.core import Assumption, Bound, Diagnostic, Estimate, Kind, Provenance, Table, array_digest
from surefoot.core.validate import FloatArray
from surefoot.monitors.evaluation.limits import TWO_VALUED
from surefoot.monitors.thresholds.statement import FITTED_ELSEWHERE, GRID_FIRST
from surefoot.systems.rejection.sequence import Trials
from surefoot.systems.rejection.strategies import as_scores

ERROR, COVERAGE = "error of accepted answers", "share of answers accepted"
CALIBRATED_MIX = Assumption(
    "calibrated-mix",
    "Valid for the calibrated mix of conditions: operation meets inputs and conditions as often as these rows do.",
)


@dataclass(frozen=True, eq=False)
class Acceptance:
    """Answers whose score is at most ``threshold`` are accepted.

    ``error`` is the mean loss of accepted answers with the bound that is shown, ``coverage`` the share of answers that
    are accepted, ``tests`` every threshold that was tried.
    """

    threshold: float
    error: Estimate
    coverage: Estimate
    tests: Table

    def accepts(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Which answers are accepted; one without a score never is."""
        return as_scores(scores, where="accepts", name="scores") <= self.threshold


@dataclass(frozen=True, eq=False)
class Stated:
    """What is said about a threshold."""

    trials: Trials
    thresholds: FloatArray
    at: int
    params: Mapping[str, Any]
    seed: int
    scope: str
    max_group_size: int | None

    @property
    def threshold(self) -> float:
        """The one that was chosen."""
        return float(self.thresholds[self.at])

    def error(self, p_value: float) -> Estimate:
        """The mean loss of accepted rows, and the target that is shown to hold for others."""
        rows = self.trials.accepted(self.threshold)
        target, delta = self.params["target"], self.params["delta"]
        guessed = self.trials.groups is not None and self.max_group_size is None
        kind: Kind = "heuristic" if guessed else "confidence"
        details = {
            "threshold": self.threshold,
            "level": 1 - delta,
            "trials": int(rows.sum()),
            "p_value": float(p_value),
        }
        return Estimate(
            ERROR,
            float(self.trials.losses[rows].mean()),
            "per accepted answer",
            self.scope,
            (Bound(target, "upper", delta, kind),),
            assumptions=tuple(self._assumptions()),
            caveats=tuple(self._caveats(guessed)),
            details=details,
            provenance=Provenance("systems.accept_below", self.params, data=self._data, seed=self.seed),
        )

    @property
    def coverage(self) -> Estimate:
        """Without groups, limits that hold at all thresholds at once (Massart 1990), so for the one chosen as well."""
        accepted, level = self.trials.accepted(self.threshold).astype(np.float64), 1 - self.params["delta"]
        if self.trials.groups is None:
            return hoeffding(accepted, level=level, quantity=COVERAGE, scope=self.scope)
        found = grouped(
            accepted,
            self.trials.groups,
            level=level,
            max_group_size=self.max_group_size,
            seed=self.seed,
            quantity=COVERAGE,
            scope=self.scope,
        )
        caveat = approximate("A bound at a threshold that was chosen on the same rows", "Count accepted answers anew.")
        return replace(found, caveats=(*found.caveats, caveat))

    @property
    def _data(self) -> dict[str, str]:
        groups = {} if self.trials.groups is None else {"units": array_digest(self.trials.groups)}
        rows = {"scores": self.trials.scores, "losses": self.trials.losses, "thresholds": self.thresholds}
        return {name: array_digest(values) for name, values in rows.items()} | groups

    def _assumptions(self) -> Iterable[Assumption]:
        yield CALIBRATED_MIX
        yield FITTED_ELSEWHERE
        if self.params["grid"]:
            yield Assumption(GRID_FIRST, "Thresholds to test were fixed without a look at the calibration rows.")
        if self.trials.groups is not None:
            yield INDEPENDENT_GROUPS
        else:
            yield from (INDEPENDENT, TWO_VALUED) if self.trials.exact else (INDEPENDENT_LOSSES,)
        yield FIXED_SIZE
        if not (self.trials.exact and self.params["grid"]):
            yield ORDER_FIRST

    def _caveats(self, guessed: bool) -> Iterable[Diagnostic]:
        if guessed:
            text = f"The largest possible group was taken from the data ({self.trials.largest})."
            yield Diagnostic("weights-estimated", text, hint="State max_group_size to have a guarantee.")


def tests_table(trials: Trials, grid: FloatArray, p: FloatArray, passed: NDArray[np.bool_]) -> Table:
    """Every threshold with the rows it accepts, their error, its p-value, and whether the target is shown there."""
    rows = []
    for threshold, value, shown in zip(grid, p, passed, strict=True):
        accepted = trials.accepted(float(threshold))
        error = float(trials.losses[accepted].mean()) if accepted.any() else None
        rows.append((float(threshold), int(accepted.sum()), error, float(value), bool(shown)))
    return Table(("threshold", "accepted", "error", "p", "shown"), tuple(rows))
