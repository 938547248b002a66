"""Activation traces of a network for MNIST, and published scores of their surprise adequacy.

Weiss, Chakraborty & Tonella, "A review and refinement of surprise adequacy", DeepTest (2021), keep them to compare with
the scores of the code of Kim, Feldt & Yoo, "Guiding deep learning system testing using surprise adequacy", ICSE (2019);
MIT licence.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.location import locate_file

FOLDER = "surprise_mnist"
HOME = "https://github.com/testingautomated-usi/surprise-adequacy"
SHAPES = {
    "original_mnist_train_activation_3_ats": (60_000, 10),
    "original_mnist_train_pred": (60_000,),
    "mnist_test_activation_3_ats": (10_000, 10),
    "mnist_test_pred": (10_000,),
    "mnist_fgsm_activation_3_ats": (10_000, 10),
    "mnist_fgsm_pred": (10_000,),
    "original_lsa_scores": (10_000,),
    "original_dsa_scores": (10_000,),
}
REMEDY = f"Copy the .npy files of tests/assets in {HOME} into {FOLDER}/."


@dataclass(frozen=True, eq=False)
class SurpriseTraces:
    """Outputs (n, 10) of the last layer, which sum to 1, and the digits that the network answers.

    ``attacked`` are the test images after an attack by the fast gradient sign method. ``likelihood`` (LSA) and
    ``distance`` (DSA) are the published scores of the test images that were not attacked.
    """

    train: NDArray[np.float32]
    train_predictions: NDArray[np.int64]
    test: NDArray[np.float32]
    test_predictions: NDArray[np.int64]
    attacked: NDArray[np.float32]
    attacked_predictions: NDArray[np.int64]
    likelihood: FloatArray
    distance: FloatArray


def surprise_mnist() -> SurpriseTraces:
    """The traces, predictions and scores from the folder that ``locate("surprise_mnist")`` finds."""
    *traces, likelihood, distance = (_array(name, shape) for name, shape in SHAPES.items())
    scores = (scores.astype(np.float64) for scores in (likelihood, distance))
    return SurpriseTraces(*traces, *scores)


def _array(name: str, shape: tuple[int, ...]) -> NDArray[Any]:
    path = locate_file(FOLDER, f"{name}.npy", remedy=REMEDY)
    array = _read(path)
    kind = "i" if name.endswith("pred") else "f"
    if array.shape != shape or array.dtype.kind != kind or not np.isfinite(array).all():
        found = f"shape {array.shape} and type {array.dtype}"
        raise MissingData(f"{path.name} is not the published array", where=FOLDER, found=found, remedy=REMEDY)
    return array


def _read(path: Path) -> NDArray[Any]:
    try:
        return np.asarray(np.load(path, allow_pickle=False))
    except (ValueError, OSError, EOFError) as error:
        raise MissingData(f"{path.name} cannot be read", where=FOLDER, found=str(error), remedy=REMEDY) from error
