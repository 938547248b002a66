"""Section 3.3 of NRB: breast cancer prediction with a linear support vector machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC

from surefoot import MissingData, datasets
from surefoot.bounds import betting, clopper_pearson, margins, normal_exact, normal_score
from surefoot.core import Estimate

Floats = NDArray[np.float64]

TEST_ROWS = 300
LEVEL = 0.95
GROUPS = ("overall", "benign", "malignant")
# Failure rate, Phi(-mean/sd) and bound, as printed in Table 2.
PRINTED = {
    "overall": (3.67e-2, 1.90e-2, 5.06e-2),
    "benign": (5.26e-3, 3.52e-5, 1.53e-3),
    "malignant": (9.09e-2, 7.79e-2, 1.76e-1),
}


@dataclass(frozen=True)
class Data:
    """Features, labels (1 is malignant), the sample each row is of, and what they are."""

    features: Floats
    labels: NDArray[np.int64]
    samples: NDArray[np.int64]
    source: str

    @classmethod
    def load(cls) -> Data:
        """The data of 1990 where they are present, the diagnostic data bundled with scikit-learn otherwise."""
        try:
            found = datasets.breast_cancer_wisconsin()
        except MissingData:
            return cls._bundled()
        labels = found.malignant.astype(np.int64)
        return cls(found.features, labels, found.sample, "Wisconsin (original), 1990, complete rows")

    @classmethod
    def _bundled(cls) -> Data:
        from sklearn.datasets import load_breast_cancer

        features, benign = load_breast_cancer(return_X_y=True)
        scaled = (features - features.mean(axis=0)) / features.std(axis=0)
        source = "Wisconsin (diagnostic), 1995, of scikit-learn; the data of 1990 are not here"
        return cls(scaled, 1 - benign, np.arange(len(benign)), source)


@dataclass(frozen=True)
class Tested:
    """Margins, features and samples of the test rows of one group."""

    group: str
    margins: Floats
    features: Floats
    samples: NDArray[np.int64]

    @property
    def failure_rate(self) -> float:
        """Share of margins at or below 0."""
        return float((self.margins <= 0).mean())

    def score(self, *, check: bool = True) -> Estimate:
        """The single-valued bound, with its assumptions checked."""
        return normal_score(self.margins, rows=self.features, check=check, scope=self.group)

    def beside(self) -> dict[str, float]:
        """Upper bounds at 95% by other methods."""
        failed = self.margins <= 0
        exact = normal_exact(self.margins, level=LEVEL, check=False)
        counted = clopper_pearson(int(failed.sum()), failed.size, level=LEVEL)
        wagered = betting(failed.astype(float), level=LEVEL)
        return {e.provenance.method.removeprefix("bounds."): e.upper(LEVEL) for e in (exact, counted, wagered)}


def split_and_test(data: Data, seed: int) -> dict[str, Tested]:
    """Train on all but 300 random rows, test on those."""
    order = np.random.default_rng(seed).permutation(len(data.labels))
    test, train = order[:TEST_ROWS], order[TEST_ROWS:]
    machine = SVC(kernel="linear").fit(data.features[train], data.labels[train])
    decision = machine.decision_function(data.features[test])
    values = margins(np.column_stack([-decision, decision]) / 2, data.labels[test])
    malignant = data.labels[test] == 1
    chosen = {"overall": np.full(test.size, True), "benign": ~malignant, "malignant": malignant}
    return {
        group: Tested(group, values[rows], data.features[test][rows], data.samples[test][rows])
        for group, rows in chosen.items()
    }
