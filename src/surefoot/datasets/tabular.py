"""Breast cancer Wisconsin (original): nine cytological features, benign or malignant.

Wolberg & Mangasarian, PNAS 87 (1990) 9193-9196; UCI Machine Learning Repository, CC BY 4.0.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.storage import cache_folder, check_digest, fetch, locate_file

FOLDER, FILE = "breast_cancer_wisconsin", "breast-cancer-wisconsin.data"
URL = f"https://archive.ics.uci.edu/ml/machine-learning-databases/breast-cancer-wisconsin/{FILE}"
SHA256 = "402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"
MALIGNANT = "4"
MISSING = "?"
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


@dataclass(frozen=True, eq=False)
class BreastCancer:
    """Complete rows: ``features`` (each 1 to 10), ``malignant``, and the sample ids, some of which repeat."""

    features: FloatArray
    malignant: NDArray[np.bool_]
    sample: NDArray[np.int64]
    feature_names: tuple[str, ...] = FEATURES


def breast_cancer_wisconsin(*, download: bool = False) -> BreastCancer:
    """The 683 complete rows of 699 (444 benign, 239 malignant); 16 rows lack "bare nuclei" and are left out.

    The file is looked for by ``locate``; with ``download=True`` it is fetched from its public home into the cache
    where it is missing. Either way its checksum is verified. The 683 rows carry
    630 distinct sample ids, so rows are not all independent.
    """
    with _file(download).open(newline="") as stream:
        rows = [row for row in csv.reader(stream) if row and MISSING not in row]
    return BreastCancer(
        features=np.array([row[1:-1] for row in rows], dtype=float),
        malignant=np.array([row[-1] == MALIGNANT for row in rows]),
        sample=np.array([row[0] for row in rows], dtype=np.int64),
    )


def _file(download: bool) -> Path:
    try:
        found = locate_file(FOLDER, FILE, remedy="Or pass download=True to fetch it from its public home.")
    except MissingData:
        if not download:
            raise
        return fetch(URL, cache_folder() / FOLDER / FILE, sha256=SHA256)
    return check_digest(found, SHA256)


# The running example of paper RAM: points of the unit square in two classes.
#
# Data of the Siemens Mobility challenge "AI dependability assessment"; Dong et al., "Reliability assessment and safety
# arguments for machine learning components in system assurance", ACM TECS 22 (2023), section 4.1. No licence is stated.

SIEMENS_2D_FOLDER, SIEMENS_2D_FILE = "siemens_2d", "running_example.npz"
HOME = "https://ecosystem.siemens.com/topic/detail/default/33"
REMEDY = (
    f"The challenge's points state no licence, so that they are neither passed on nor fetched: save those you have as "
    f"{SIEMENS_2D_FOLDER}/{SIEMENS_2D_FILE} with arrays x (n, 2), inside the unit square, and y (n), 0 or 1. The challenge is at {HOME}."
)


@dataclass(frozen=True, eq=False)
class RunningExample:
    """Points (n, 2) of the unit square and their classes, 0 or 1."""

    inputs: FloatArray
    labels: NDArray[np.int64]


def siemens_2d() -> RunningExample:
    """The 5,000 points (2,374 of class 0) from the folder that ``locate("siemens_2d")`` finds."""
    path = locate_file(SIEMENS_2D_FOLDER, SIEMENS_2D_FILE, remedy=REMEDY)
    try:
        with path.open("rb") as stream, np.load(stream) as arrays:
            inputs, labels = np.asarray(arrays["x"], float), np.asarray(arrays["y"], float)
    except (KeyError, ValueError, OSError, BadZipFile) as error:
        raise MissingData(
            f"{SIEMENS_2D_FILE} cannot be read", where=str(path.parent), found=str(error), remedy=REMEDY
        ) from error
    problem = _problem(inputs, labels)
    if problem:
        raise MissingData(
            f"{SIEMENS_2D_FILE} is not the running example", where=str(path.parent), found=problem, remedy=REMEDY
        )
    return RunningExample(inputs, labels.astype(np.int64))


def _problem(inputs: FloatArray, labels: FloatArray) -> str:
    if inputs.ndim != 2 or inputs.shape[1] != 2 or labels.shape != inputs.shape[:1] or not len(labels):
        return f"x of shape {inputs.shape} and y of shape {labels.shape}"
    if not ((inputs >= 0) & (inputs <= 1)).all():
        return "points outside the unit square"
    return "" if np.isin(labels, (0, 1)).all() else f"labels {np.unique(labels)[:5].tolist()}"
