"""Public sets of rows: breast cancer Wisconsin (original), and the running example of paper RAM."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.storage import DataSet, RemoteFile, cache_folder, check_digest, fetch, locate_file

CYTOLOGY = "breast-cancer-wisconsin.data"
REMOTE = RemoteFile(
    f"https://archive.ics.uci.edu/ml/machine-learning-databases/breast-cancer-wisconsin/{CYTOLOGY}",
    "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64",
)
WISCONSIN = DataSet(
    "breast_cancer_wisconsin",
    "Breast cancer Wisconsin (original): 699 rows of 9 cytological features, benign or malignant",
    "CC BY 4.0",
    "https://archive.ics.uci.edu/dataset/15",
    files={CYTOLOGY: REMOTE},
)
MALIGNANT, MISSING = "4", "?"
FEATURES = (
    "clump thickness",
    "uniformity of cell size",
    "uniformity of cell shape",
    "marginal adhesion",
    "single epithelial cell size",
    "bare nuclei",
    "bland chromatin",
    "normal nucleoli",
    "mitoses",
)

POINTS = "running_example.npz"
SIEMENS_2D = DataSet(
    "siemens_2d",
    "Running example of paper RAM: 5,000 points of the unit square in two classes",
    "none stated (challenge data)",
    "https://ecosystem.siemens.com/topic/detail/default/33",
    remedy="The challenge's points state no licence, so that they are neither passed on nor fetched: save those you "
    f"have as siemens_2d/{POINTS} with arrays x (n, 2), inside the unit square, and y (n), 0 or 1. The challenge is at "
    "https://ecosystem.siemens.com/topic/detail/default/33.",
)


@dataclass(frozen=True, eq=False)
class BreastCancer:
    """Complete rows: ``features`` (each 1 to 10), ``malignant``, and the sample ids, some of which repeat.

    See Also
    --------
    breast_cancer_wisconsin

    """

    features: FloatArray
    malignant: NDArray[np.bool_]
    sample: NDArray[np.int64]
    feature_names: tuple[str, ...] = FEATURES


def breast_cancer_wisconsin(*, download: bool = False) -> BreastCancer:
    """Breast cancer Wisconsin (original): nine cytological features, benign or malignant.

    The 683 complete rows of 699 (444 benign, 239 malignant); 16 rows lack "bare nuclei" and are left out. They carry
    630 distinct sample ids, so rows are not all independent.

    Parameters
    ----------
    download
        Whether a missing file is fetched from its public home into the cache. Its checksum is verified either way.

    Returns
    -------
    BreastCancer
        Complete rows.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Wolberg and Mangasarian (1990), PNAS 87, 9193-9196; UCI Machine Learning Repository.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.breast_cancer_wisconsin().features.shape  # doctest: +SKIP
    (683, 9)

    """
    try:
        remedy = "Or pass download=True to fetch it from its public home."
        path = locate_file(WISCONSIN.name, CYTOLOGY, remedy=remedy)
    except MissingData:
        if not download:
            raise
        path = fetch(REMOTE.url, cache_folder() / WISCONSIN.name / CYTOLOGY, sha256=REMOTE.sha256)
    check_digest(path, REMOTE.sha256)
    with path.open(newline="") as stream:
        rows = [row for row in csv.reader(stream) if row and MISSING not in row]
    return BreastCancer(
        features=np.array([row[1:-1] for row in rows], dtype=float),
        malignant=np.array([row[-1] == MALIGNANT for row in rows]),
        sample=np.array([row[0] for row in rows], dtype=np.int64),
    )


@dataclass(frozen=True, eq=False)
class RunningExample:
    """Points (n, 2) of the unit square and their classes, 0 or 1.

    See Also
    --------
    siemens_2d

    """

    inputs: FloatArray
    labels: NDArray[np.int64]


def siemens_2d() -> RunningExample:
    """The running example of paper RAM: 5,000 points of the unit square (2,374 of class 0).

    Returns
    -------
    RunningExample
        Points and classes.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Siemens Mobility challenge "AI dependability assessment"; Dong et al. (2023), ACM TECS 22, section 4.1.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.siemens_2d().inputs.shape  # doctest: +SKIP
    (5000, 2)

    """
    stored = SIEMENS_2D.arrays(SIEMENS_2D.file(POINTS), ("x", "y"))
    with SIEMENS_2D.reading(POINTS):
        inputs, labels = np.asarray(stored["x"], float), np.asarray(stored["y"], float)
    problem = _problem(inputs, labels)
    if problem:
        raise SIEMENS_2D.unusable(f"{POINTS} is not the running example", problem)
    return RunningExample(inputs, labels.astype(np.int64))


def _problem(inputs: FloatArray, labels: FloatArray) -> str:
    if inputs.ndim != 2 or inputs.shape[1] != 2 or labels.shape != inputs.shape[:1] or not len(labels):
        return f"x of shape {inputs.shape} and y of shape {labels.shape}"
    if not ((inputs >= 0) & (inputs <= 1)).all():
        return "points outside the unit square"
    return "" if np.isin(labels, (0, 1)).all() else f"labels {np.unique(labels)[:5].tolist()}"
