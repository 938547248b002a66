"""Breast cancer Wisconsin (original): nine cytological features, benign or malignant.

Wolberg & Mangasarian, PNAS 87 (1990) 9193-9196; UCI Machine Learning Repository, CC BY 4.0.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.location import cache_folder, locate_file
from surefoot.datasets.transfer import check_digest, fetch

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
