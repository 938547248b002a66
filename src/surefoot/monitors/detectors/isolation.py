"""``IsolationForest``: rows that few random cuts set apart are strange."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Undefined, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned
from surefoot.monitors.detectors.forest import anomaly, grown, joined

LARGEST = np.finfo(np.float32).max


@dataclass(eq=False)
class IsolationForest(Detector, name="isolation_forest"):
    """An isolation forest for each predicted class (Liu, Ting and Zhou 2008, "Isolation Forest").

    Scores lie in (0, 1], as in the paper. With ``contamination`` each class has the threshold that its share of the
    fitted rows exceeds (less where scores are tied), and the score is the distance from it, so that an alarm is a score
    above 0: a contamination of 0.3 is the monitor of MON, section III-A. Rows are rounded to single precision.
    """

    trees: int = 100
    sample: int = 256
    """The rows that each tree is grown from, or all of a class where it has fewer."""
    contamination: float | None = None
    seed: int = 0
    by_class = True

    def __post_init__(self) -> None:
        self.trees = validate.count(self.trees, where=self.name, name="trees", at_least=1)
        self.sample = validate.count(self.sample, where=self.name, name="sample", at_least=1)
        self.seed = validate.seed(self.seed, where=self.name)
        if self.contamination is not None:
            self.contamination = validate.fraction(self.contamination, where=self.name, name="contamination")

    @property
    def thresholds(self) -> FloatArray:
        """The anomaly score above which a row of each class is rejected, in the order of ``classes``."""
        if self.contamination is None:
            raise Undefined("has no thresholds without contamination", where=self.name, remedy="Give contamination.")
        return self.learned["thresholds"]

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        singles = _single_precision(rows)
        options = {"trees": self.trees, "sample": self.sample, "seed": self.seed}
        parts = [singles[classes == number] for number in range(classes.max() + 1)]
        learned = joined([grown(part, **options) for part in parts])
        learned["thresholds"] = np.zeros(len(parts))
        if self.contamination is not None:
            scores = anomaly(singles, classes, learned)
            learned["thresholds"] = _rejecting(self.contamination, scores, classes, len(parts))
        return learned

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return anomaly(_single_precision(rows), classes, ready) - ready["thresholds"][classes]


def _rejecting(share: float, scores: FloatArray, classes: NDArray[np.int64], count: int) -> FloatArray:
    """The threshold of each class that this share of its scores exceeds; scikit-learn has the same convention."""
    return np.array([-np.percentile(-scores[classes == number], 100 * share) for number in range(count)])


def _single_precision(rows: NDArray[Any]) -> NDArray[np.float32]:
    return np.clip(rows, -LARGEST, LARGEST).astype(np.float32)
