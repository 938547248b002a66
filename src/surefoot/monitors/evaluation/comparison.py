"""``compare``: several monitors on the same rows, with intervals, and a ranking that says how sure it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import Estimate, InvalidInput, Table, validate
from surefoot.documents import percent
from surefoot.monitors.evaluation.bands import require_tail
from surefoot.monitors.evaluation.contenders import BYS, WHERE, By, Contender, contender, drawn_values
from surefoot.monitors.evaluation.curves import curve
from surefoot.monitors.evaluation.levels import draws_for
from surefoot.monitors.evaluation.ranking import Ranking
from surefoot.monitors.returns.stakes import Stakes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN_POINTS = 200
BAND_DRAWS = 500


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Monitors on the same rows, the best first."""

    contenders: tuple[Contender, ...]
    ranking: Ranking
    stakes: Stakes
    level: float
    cost: float | None = None
    """The availability budget that all share; None where each has a threshold of its own."""
    title: str = "Comparison of monitors"

    def __getitem__(self, name: str) -> Contender:
        known = {contender.name: contender for contender in self.contenders}
        return known[validate.choice(name, known, where=WHERE, name="monitor")]

    @property
    def hazard_alone(self) -> Estimate:
        """The hazard of the model without a monitor."""
        return self.contenders[0].report.hazard_alone

    def table(self) -> Table:
        """A row for each monitor, the best first."""
        figures = tuple(self.contenders[0].estimates)
        ends = (f"from ({percent(self.level)})", "to")
        head = [cell for name in figures for cell in (name, *(f"{name} {end}" for end in ends))]
        rows = [
            (c.name, c.threshold, *(v for e in c.estimates.values() for v in self._cells(e))) for c in self.contenders
        ]
        return Table(("monitor", "threshold", *head), tuple(rows))

    def plot(self) -> Figure:
        """Safety gain with intervals, and safety gain against availability cost at all thresholds."""
        from surefoot.monitors.evaluation.figures import plot_comparison

        return plot_comparison(self)

    def page(self) -> str:
        """One HTML page that holds everything it shows and runs nothing."""
        from surefoot.monitors.evaluation.page import comparison_page

        return comparison_page(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def __str__(self) -> str:
        return f"{self.table()}\n\n{self.ranking}"

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.contenders)} monitors, {self.stakes.rows:,} rows, best {self.contenders[0].name!r})"
        )

    def _repr_html_(self) -> str:
        return self.table()._repr_html_() + self.ranking.table()._repr_html_()

    def _cells(self, estimate: Estimate | None) -> tuple[Any, Any, Any]:
        return ("undefined", "", "") if estimate is None else (estimate.value, *estimate.interval(self.level))


def compare(
    scores: Mapping[str, ArrayLike],
    stakes: Stakes,
    *,
    cost: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    by: By = "safety gain",
    level: float = 0.95,
    draws: int = 1000,
    seed: int = 0,
    title: str = "Comparison of monitors",
) -> Comparison:
    """What several monitors are worth on the same rows, and which is best.

    Either all keep within the same availability ``cost``, each at the threshold that gains most, or each has its own of
    ``thresholds``. For the ranking units are resampled, all monitors on the same ones; under a ``cost`` the threshold
    is chosen anew in each draw, so that the ranking knows about the choice.
    """
    validate.kind(stakes, Stakes, where=WHERE, name="stakes", example="returns.errors(predictions, truths)")
    level, seed = validate.level(level, where=WHERE), validate.seed(seed, where=WHERE)
    require_tail(draws, level, where=WHERE)
    validate.choice(by, BYS, where=WHERE, name="by")
    _check(scores, cost, thresholds)
    drawer = partial(curve, stakes, level=level, points=SHOWN_POINTS, draws=draws_for(level, BAND_DRAWS), seed=seed)
    found = [contender(name, drawer(s, scope=name), cost, thresholds) for name, s in scores.items()]
    values = np.array([each.value(by) for each in found])
    ranking = Ranking(tuple(scores), values, drawn_values(found, by, cost, draws=draws, seed=seed), by, level)
    ordered = tuple(found[i] for i in ranking.order.tolist())
    return Comparison(ordered, ranking, stakes, level, cost, title)


def _check(scores: Mapping[str, ArrayLike], cost: float | None, thresholds: Mapping[str, float] | None) -> None:
    if not isinstance(scores, Mapping) or len(scores) < 2 or not all(isinstance(n, str) and n for n in scores):
        remedy = "Give {'name': scores, ...}."
        raise InvalidInput("needs the scores of at least two monitors, by name", where=WHERE, remedy=remedy)
    if (cost is None) == (thresholds is None):
        raise InvalidInput("needs either cost=... or thresholds=...", where=WHERE)
    if thresholds is not None and set(thresholds) != set(scores):
        found = ", ".join(sorted(set(thresholds) ^ set(scores)))
        raise InvalidInput("thresholds must name the same monitors as scores", where=WHERE, found=found)
