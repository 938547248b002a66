"""Public sets of rows, speech and text: breast cancer, the running example of RAM, spoken digits, misspellings."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData, require
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


SOUNDS, INDEX = "fsdd_all_8k.flac", "fsdd_index.npz"
RATE, COUNT = 8000, 3000
FSDD = DataSet(
    "fsdd",
    "Free Spoken Digit Dataset: 3,000 spoken English digits by six speakers at 8 kHz",
    "CC BY-SA 4.0",
    "https://github.com/Jakobovski/free-spoken-digit-dataset",
    remedy="The set has no public home in this form: join the recordings of "
    f"https://github.com/Jakobovski/free-spoken-digit-dataset in one file {SOUNDS} ({RATE} Hz, 16 bit), and write "
    f"{INDEX} with arrays offset ({COUNT + 1}, where recordings start or end), digit, speaker and index.",
)
DICTIONARY, ARROW = "codespell_dictionary.txt.gz", "->"
MISSPELLINGS = DataSet(
    "misspellings",
    "Misspellings of the codespell project: 64,992 of English words",
    "CC BY-SA 3.0",
    "https://github.com/codespell-project/codespell",
    remedy="Save codespell_lib/data/dictionary.txt of https://github.com/codespell-project/codespell, packed by gzip, "
    f"as misspellings/{DICTIONARY}.",
)


@dataclass(frozen=True, eq=False)
class SpokenDigits:
    """Recordings as 16-bit samples, ``rate`` of them a second; what is said, by whom, and its number among 50 takes.

    See Also
    --------
    fsdd

    """

    sounds: tuple[NDArray[np.int16], ...]
    digits: NDArray[np.int64]
    speakers: NDArray[np.str_]
    index: NDArray[np.int64]
    rate: int


def fsdd() -> SpokenDigits:
    """Free Spoken Digit Dataset: 3,000 recordings; each of six speakers says each digit 50 times.

    Returns
    -------
    SpokenDigits
        Recordings and what they say.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    References
    ----------
    Jackson et al. (2018), Free Spoken Digit Dataset.

    Examples
    --------
    >>> import surefoot as sf
    >>> len(sf.datasets.fsdd().sounds)  # doctest: +SKIP
    3000

    """
    stored = FSDD.arrays(FSDD.file(INDEX), ("offset", "digit", "speaker", "index"))
    samples = _samples()
    offset = stored["offset"].astype(np.int64)
    problem = _misfit(stored, offset, len(samples))
    if problem:
        raise FSDD.unusable(f"{INDEX} does not fit {SOUNDS}", problem)
    return SpokenDigits(
        sounds=tuple(np.split(samples, offset[1:-1])),
        digits=stored["digit"].astype(np.int64),
        speakers=stored["speaker"].astype(np.str_),
        index=stored["index"].astype(np.int64),
        rate=RATE,
    )


def _samples() -> NDArray[np.int16]:
    path = FSDD.file(SOUNDS)
    soundfile = require("soundfile", extra="audio", purpose="Reading recordings")
    with FSDD.reading(SOUNDS):
        samples, rate = soundfile.read(path, dtype="int16")
    if samples.ndim != 1 or rate != RATE:
        found = f"{rate} Hz in {samples.shape[1] if samples.ndim > 1 else 1} channels"
        raise FSDD.unusable(f"{SOUNDS} is not the set in one channel at {RATE} Hz", found)
    return np.asarray(samples, np.int16)


def _misfit(stored: dict[str, NDArray[Any]], offset: NDArray[np.int64], samples: int) -> str:
    lengths = {name: len(np.atleast_1d(array)) for name, array in stored.items()}
    if lengths != {"offset": COUNT + 1, "digit": COUNT, "speaker": COUNT, "index": COUNT}:
        return ", ".join(f"{length} of {name}" for name, length in lengths.items())
    shortest = np.diff(offset).min()
    if offset[0] != 0 or offset[-1] != samples or shortest < 1:
        return f"recordings from {offset[0]} to {offset[-1]} among {samples} samples, the shortest {shortest}"
    return "" if np.isin(stored["digit"], np.arange(10)).all() else "digits other than 0 to 9"


def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Wrong spellings of English words and phrases, by the codespell project.

    ``corrupt(texts, "misspellings", severity, words=misspellings())`` misspells texts with them.

    Returns
    -------
    mapping of str to tuple of str
        Wrong spellings of each right word or phrase.

    Raises
    ------
    MissingData
        Where the set is not on this machine, with what to do.

    Examples
    --------
    >>> import surefoot as sf
    >>> "recieve" in sf.datasets.misspellings()["receive"]  # doctest: +SKIP
    True

    """
    path = MISSPELLINGS.file(DICTIONARY)
    with MISSPELLINGS.reading(DICTIONARY):
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    wrong: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        spelling, meant = _entry(line, number)
        for right in meant:
            wrong.setdefault(right, []).append(spelling)
    return MappingProxyType({right: tuple(spellings) for right, spellings in wrong.items()})


def _entry(line: str, number: int) -> tuple[str, list[str]]:
    """A line is ``wrong->right``; where several words can be meant, commas follow each, and then perhaps a remark."""
    spelling, arrow, meant = line.partition(ARROW)
    words = [word.strip() for word in (meant.rpartition(",")[0] or meant).split(",")]
    if not arrow or not spelling.strip() or not all(words):
        raise MISSPELLINGS.unusable(f"line {number} of {DICTIONARY} is no misspelling", repr(line[:80]))
    return spelling.strip(), words
