"""A failure probability that labels would tighten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.validate import FloatArray
from surefoot.hazards.labels.choice import Marks
from surefoot.hazards.labels.tally import Tally


@dataclass(frozen=True, eq=False)
class Asked:
    """A failure probability that labels would tighten: what is known of it, and the operational rows to choose from."""

    name: str
    """What the result is called, such as ``counted.failure probability``."""
    component: str
    data: str
    digest: str
    tally: Tally
    failing: FloatArray
    """Share of each stratum's rows that count and fail, as the model itself forecasts it."""
    counting: FloatArray
    """Share of each stratum's rows that count, as the model forecasts it."""
    stratum: NDArray[np.intp]
    """The stratum of each operational row."""
    free: NDArray[np.bool_]
    """Which operational rows have no label yet."""
    answers: NDArray[np.intp]
    scores: NDArray[np.floating]
    """The number of the class that is the answer to each operational row, and its score."""
    classes: tuple[str, ...]
    identifiers: NDArray[Any] | None = None
    """How people call each operational row."""
    marks: Marks | None = None
    weight: float = 1.0
    """By how much the top event rises with the failure probability."""
    bound: float | None = None
    """The upper bound that an assessment found."""

    @property
    def title(self) -> str:
        """The step that gives the result, as tables call it."""
        return self.name.partition(".")[0]

    @property
    def room(self) -> NDArray[np.int64]:
        """Rows of each stratum that could be labelled."""
        return np.bincount(self.stratum[self.free], minlength=len(self.tally.names))
