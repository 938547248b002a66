"""Whether a sampling frame still stands for operation, and when to build a new one (sections 4.3 and 5.2 of RAM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import Check, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.changes import AlarmState, ChangeAlarm
from surefoot.profile.encoders import as_encoder, encoded
from surefoot.profile.two_sample import representativeness

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEYOND = 0.01
"""Share of the frame that lies farther than the reach from the rest of it."""
LARGE_SHARE = 0.02
"""A smaller share of operation outside the frame does not call for a new one."""
SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class FrameCheck:
    """Whether operational inputs look like those of the sampling frame, and lie near them."""

    representative: Check
    """Whether both follow one distribution."""
    rows: int
    """Number of operational inputs."""
    uncovered: int
    """Operational inputs that lie farther than ``reach`` from every input of the frame."""
    reach: float
    """Distance that 99% of the frame have to their nearest neighbour at most, in standard deviations of the frame."""
    p_value: float
    """Chance of so many uncovered inputs where operation is as the frame."""

    @property
    def uncovered_share(self) -> float:
        """Share of operation that the frame says nothing about; about 1% where both are alike."""
        return self.uncovered / self.rows

    def limits(self, level: float = 0.95) -> tuple[float, float]:
        """Exact two-sided limits of the uncovered share (Clopper and Pearson 1934)."""
        tail = (1 - validate.level(level, where="FrameCheck.limits")) / 2
        k, n = self.uncovered, self.rows
        lower = float(special.betaincinv(k, n - k + 1, tail)) if k else 0.0
        upper = float(special.betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
        return lower, upper

    @property
    def is_outgrown(self) -> bool:
        """Whether operation reaches to where the frame has no inputs."""
        return self.p_value < SIGNIFICANCE and self.uncovered_share > LARGE_SHARE

    @property
    def rebuild(self) -> bool:
        """Whether a new sampling frame is needed."""
        return self.is_outgrown or self.representative.status == "contradicted"

    @property
    def reason(self) -> str:
        """Why, or why not."""
        lower, upper = self.limits()
        share = f"{self.uncovered_share:.1%} of operational inputs ({lower:.1%} to {upper:.1%})"
        if self.is_outgrown:
            return f"{share} lie where the sampling frame has no inputs: add inputs from there."
        if self.representative.status == "contradicted":
            return (
                "Inputs occur more or less often in operation than in the sampling frame "
                f"({self.representative.method}): "
                "build it from operational inputs, or weigh its inputs by the ratio of densities."
            )
        if self.representative.status == "unchecked":
            return f"The sampling frame is not contradicted, but few inputs were compared; {share} lie outside it."
        return f"No difference found, and {share} lie outside the sampling frame, where 1% are expected."


def frame_check(frame: ArrayLike, operational: ArrayLike, encoder: Any = None, *, seed: int = 0) -> FrameCheck:
    """Compare the inputs of a sampling frame with inputs from operation, in the space of an encoder.

    ``representativeness`` looks for any difference. An operational input is uncovered if its nearest neighbour in the
    frame is farther away than that of 99% of the frame's own inputs. If both are alike, the number of uncovered ones is
    beta-binomial, whatever the distribution (Wilks 1942); a new frame is called for where that is contradicted at 1%
    and more than 2% are uncovered. Use inputs that the encoder was not trained on: it knows the others too well.
    """
    where = "frame_check"
    ours = encoded(encoder, frame, where=where, name="frame")
    theirs = encoded(encoder, operational, where=where, name="operational", columns=ours.shape[1])
    check = representativeness(ours, theirs, seed=seed)
    own, other = _nearest(ours, theirs)
    beyond = int(np.floor(BEYOND * len(own)))
    reach = float(np.sort(own)[len(own) - 1 - beyond])
    uncovered = int((other > reach).sum())
    return FrameCheck(check, len(other), uncovered, reach, _chance(uncovered, len(other), beyond, len(own)))


class FrameWatch:
    """Watches a stream of operational inputs, and says when they stopped being like the sampling frame.

    A ``ChangeAlarm`` on their places: the chance that it ever goes off without a change is at most ``alpha``.
    """

    def __init__(self, encoder: Any, frame: ArrayLike, *, alpha: float = 0.01, seed: int = 0) -> None:
        self.encoder = as_encoder(encoder)
        codes = encoded(self.encoder, frame, where="FrameWatch", name="frame")
        self._columns = codes.shape[1]
        self._alarm = ChangeAlarm(codes, alpha=alpha, seed=seed)

    def __repr__(self) -> str:
        return f"FrameWatch({self._alarm!r})"

    @property
    def state(self) -> AlarmState:
        """What the alarm knows so far; ``since`` is the input at which the change seems to have come."""
        return self._alarm.state

    def update(self, X: ArrayLike) -> AlarmState:
        """Take in inputs, the oldest first."""
        codes = encoded(self.encoder, X, where="FrameWatch.update", columns=self._columns)
        return self._alarm.update(codes)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Evidence of a change against inputs."""
        return self._alarm.plot(ax=ax)


def _nearest(frame: FloatArray, others: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distance to the nearest input of the frame: of its own, each left out, and of the others."""
    from sklearn.neighbors import NearestNeighbors

    spread = frame.std(axis=0)
    scales = np.where(spread > 0, spread, 1.0)
    search = NearestNeighbors(n_neighbors=1).fit(frame / scales)
    return search.kneighbors()[0][:, 0], search.kneighbors(others / scales)[0][:, 0]


def _chance(uncovered: int, rows: int, beyond: int, frame: int) -> float:
    """Chance of at least so many of ``rows`` beyond the value that ``beyond`` of ``frame`` like them exceed."""
    from scipy.stats import betabinom

    return float(betabinom.sf(uncovered - 1, rows, beyond + 1, frame - beyond))
