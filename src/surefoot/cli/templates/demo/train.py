"""Train the components that the demo assesses, and set patients aside to test them with.

Data: breast cancer Wisconsin (diagnostic), which comes with scikit-learn: 569 fine-needle aspirates of breast masses,
each described by 30 measurements of its cell nuclei (Street, Wolberg & Mangasarian, IS&T/SPIE 1905 (1993) 861-870).

The kinds of models and the split were fixed before any result was seen, and the test half is used for nothing else.
"""

from pathlib import Path

import numpy as np
import skops.io
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

HERE = Path(__file__).parent
TREES = 101
"""An odd number, so that no vote is a tie."""
LEVELS = np.array(["low", "middle", "high"])


def main() -> None:
    """Write model.skops, forest.skops, train.npz and test.npz beside this file."""
    data = load_breast_cancer()
    malignant = 1 - data.target
    train, test = train_test_split(np.arange(len(malignant)), test_size=0.5, stratify=malignant, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(data.data[train], malignant[train])
    skops.io.dump(model, HERE / "model.skops")
    radius, texture, concavity = (data.data[:, column_of(data, name)] for name in ("radius", "texture", "concavity"))
    glance = np.column_stack([radius, texture])
    forest = RandomForestClassifier(TREES, random_state=0).fit(glance[train], malignant[train])
    skops.io.dump(forest, HERE / "forest.skops")
    np.savez(HERE / "train.npz", glance=glance[train], y=malignant[train])
    np.savez(
        HERE / "test.npz",
        X=data.data[test],
        y=malignant[test],
        glance=glance[test],
        radius=radius[test],
        size=thirds(radius[train], radius[test]),
        texture=thirds(texture[train], texture[test]),
        concavity=thirds(concavity[train], concavity[test]),
    )


def column_of(data: Bunch, name: str) -> int:
    """The column with the mean of a measurement."""
    return list(data.feature_names).index(f"mean {name}")


def thirds(seen: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.str_]:
    """Low, middle or high, by thirds of the training patients."""
    return LEVELS[np.searchsorted(np.quantile(seen, [1 / 3, 2 / 3]), values)]


if __name__ == "__main__":
    main()
