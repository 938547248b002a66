"""What an assessment answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scipy import special

from surefoot.core import Assumption, Estimate, Summary, Table
from surefoot.profile import Profile
from surefoot.reliability.assembly import Assembled
from surefoot.reliability.by_k import by_k
from surefoot.reliability.cells import MOST_SHOWN, Cells
from surefoot.reliability.correction import Correction
from surefoot.reliability.limits import CELLS_ALONE, limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(ABC):
    """Failure probability of the next input (pmi), what it rests on, and where it sits.

    ``acu`` is the failure probability in a cell or ball on average (RAM, Definition 3: average
    unastuteness). ``assumptions`` are those of RAM, with checks; ``pmi`` lists those that it needs.
    """

    pmi: Estimate
    acu: Estimate
    assumptions: tuple[Assumption, ...]

    @property
    @abstractmethod
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""

    @abstractmethod
    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells or balls that contribute most."""

    @abstractmethod
    def plot(self, **options: Any) -> Figure:
        """Where the risk sits."""

    @abstractmethod
    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""

    def __str__(self) -> str:
        return str(self.summary())

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


@dataclass(frozen=True, eq=False, repr=False)
class CellReliability(Reliability):
    """Reliability from cells: ``by_cells`` is the sum over cells alone, ``pmi`` is it put right by held-out labels."""

    by_cells: Estimate
    cells: Cells
    profile: Profile
    assembled: Assembled
    """The sum over cells, with what each point of the profile adds to it."""
    method: str
    """Which of the ``limits`` the answer uses."""
    least: float
    """The least failure probability that labelled rows leave possible, at level 0.975."""
    failing: Mapping[int, tuple[float, ...]]
    """An input that fails, for the cells that contribute most."""
    correction: Correction | None = None
    seed: int = 0

    @cached_property
    def limits(self) -> Table:
        """Upper limits by all methods, side by side."""
        return limits(
            self.assembled,
            self.profile.weights,
            self.correction,
            sd=self.by_cells.details["sd"],
            reach=self.cells.sampling_reach,
            chosen=self.method,
            least=self.least,
            seed=self.seed,
        )

    def top(self, most: int = MOST_SHOWN) -> Table:
        """The cells that contribute most, each with an input that fails where one was found."""
        cells = self.cells.top(most)
        rows = [(*row, _shown(self.failing.get(row[0]))) for row in cells.rows]
        return Table((*cells.columns, "an input that fails"), tuple(rows))

    def by_k(self, *, level: float = 0.975, most: int | None = None) -> Table:
        """The sum over cells from k of them only, for growing k."""
        z = float(special.ndtri(level))
        return by_k(self.cells.mass, self.cells.risk, upper_z=z, seed=self.seed, most=most)

    def plot(self, **options: Any) -> Figure:
        """Maps of the operational profile, of the risk inside cells, and of what each cell contributes."""
        from surefoot.reliability.figures import maps

        return maps(self, **options)

    def summary(self, level: float | None = None) -> Summary:
        """What a reader needs to see."""
        shown = self.pmi.summary(level)
        kinds = [
            (name, f"{part:.3g} ({share:.0%} of the sum over cells)")
            for name, _, _, part, share in self.cells.evidence_kinds().rows
        ]
        said = "; contradicted by tests" if self.contradicted else ""
        alone = [
            ("corrected by", self.method if self.corrected else "nothing"),
            ("sum over cells", f"{self.by_cells.value:.6g} ({len(self.cells):,} cells{said})"),
        ]
        if self.corrected and self.correction and not len(self.correction.operation.points):
            alone.append(("", "unlabelled inputs from operation would let the cells tighten the limit"))
        return Summary(shown.title, [*shown.rows, *alone, *kinds])

    @property
    def corrected(self) -> bool:
        """Whether held-out labels made the answer."""
        return not self.method.startswith(CELLS_ALONE)

    @property
    def contradicted(self) -> bool:
        """Whether labelled rows speak against the sum over cells."""
        return any(caveat.code == "contradicted-by-tests" for caveat in self.by_cells.caveats)

    def __repr__(self) -> str:
        said = ", cells contradicted by tests" if self.contradicted else ""
        return f"Reliability(pmi={self.pmi.value:.6g}, acu={self.acu.value:.6g}, cells={len(self.cells):,}{said})"


def _shown(point: tuple[float, ...] | None) -> str:
    return "" if point is None else ", ".join(f"{value:.6g}" for value in point)
