"""The profile of a stream of operational rows that forgets (section 8.1 of RAM)."""

from __future__ import annotations

import math
from typing import Any, Self

from numpy.typing import ArrayLike

from surefoot.core import Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.profile.kde import KDE
from surefoot.profile.reservoir import Reservoir
from surefoot.profile.rows import as_rows
from surefoot.profile.weighting import effective_rows


class StreamingProfile:
    """A kernel density of an endless stream, in bounded memory.

    The weight of a row halves every ``half_life`` rows; without one nothing is forgotten. At most ``most_points`` rows
    stay, sampled so that the weight of any region is unbiased for that of the whole stream, with a standard deviation
    of at most sqrt(share / (most_points - 1)). Pair it with a ``ChangeAlarm``, and start anew when that goes off.
    """

    def __init__(
        self,
        bandwidth: Any,
        *,
        kernel: str = "gaussian",
        half_life: float | None = None,
        most_points: int = 5000,
        boundary: Any = None,
        domain: Any = None,
        seed: int = 0,
    ) -> None:
        where = "StreamingProfile"
        self.half_life = math.inf if half_life is None else validate.positive(half_life, where=where, name="half_life")
        self.most_points = validate.count(most_points, where=where, name="most_points", at_least=2)
        self._kde = KDE(bandwidth, kernel, boundary=boundary, domain=domain)
        self._reservoir = Reservoir(self.most_points, self.half_life, validate.seed(seed, where=where))
        self._features: int | None = None

    def __repr__(self) -> str:
        return f"StreamingProfile({self.rows:,} rows, half_life={self.half_life:g}, most_points={self.most_points:,})"

    @property
    def rows(self) -> int:
        """Rows seen so far."""
        return self._reservoir.seen

    @property
    def effective_rows(self) -> float:
        """Number of equally weighted rows worth as much as those that stayed."""
        return effective_rows(self._sample()[1])

    def update(self, batch: ArrayLike) -> Self:
        """Take in rows, the oldest first."""
        rows = as_rows(batch, where="StreamingProfile.update", name="batch", columns=self._features)
        self._features = rows.shape[1]
        self._reservoir.add(rows)
        return self

    def profile(self) -> KDE:
        """The profile of what was seen, as it is now."""
        points, weights = self._sample()
        return self._kde.fit(points, weights=weights)

    def _sample(self) -> tuple[FloatArray, FloatArray]:
        if not self.rows:
            raise Undefined("no rows were seen yet", where="StreamingProfile", remedy="Call update first.")
        return self._reservoir.sample()
