"""The running example of paper RAM: points of the unit square in two classes.

Data of the Siemens Mobility challenge "AI dependability assessment"; Dong et al., "Reliability assessment and safety
arguments for machine learning components in system assurance", ACM TECS 22 (2023), section 4.1. No licence is stated.
"""

from __future__ import annotations

from dataclasses import dataclass
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.location import locate_file

FOLDER, FILE = "siemens_2d", "running_example.npz"
HOME = "https://ecosystem.siemens.com/topic/detail/default/33"
REMEDY = (
    f"The challenge's points state no licence, so that they are neither passed on nor fetched: save those you have as "
    f"{FOLDER}/{FILE} with arrays x (n, 2), inside the unit square, and y (n), 0 or 1. The challenge is at {HOME}."
)


@dataclass(frozen=True, eq=False)
class RunningExample:
    """Points (n, 2) of the unit square and their classes, 0 or 1."""

    inputs: FloatArray
    labels: NDArray[np.int64]


def siemens_2d() -> RunningExample:
    """The 5,000 points (2,374 of class 0) from the folder that ``locate("siemens_2d")`` finds."""
    path = locate_file(FOLDER, FILE, remedy=REMEDY)
    try:
        with path.open("rb") as stream, np.load(stream) as arrays:
            inputs, labels = np.asarray(arrays["x"], float), np.asarray(arrays["y"], float)
    except (KeyError, ValueError, OSError, BadZipFile) as error:
        raise MissingData(f"{FILE} cannot be read", where=str(path.parent), found=str(error), remedy=REMEDY) from error
    problem = _problem(inputs, labels)
    if problem:
        raise MissingData(f"{FILE} is not the running example", where=str(path.parent), found=problem, remedy=REMEDY)
    return RunningExample(inputs, labels.astype(np.int64))


def _problem(inputs: FloatArray, labels: FloatArray) -> str:
    if inputs.ndim != 2 or inputs.shape[1] != 2 or labels.shape != inputs.shape[:1] or not len(labels):
        return f"x of shape {inputs.shape} and y of shape {labels.shape}"
    if not ((inputs >= 0) & (inputs <= 1)).all():
        return "points outside the unit square"
    return "" if np.isin(labels, (0, 1)).all() else f"labels {np.unique(labels)[:5].tolist()}"
