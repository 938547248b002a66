"""Public sets of speech and text: spoken digits, and misspellings of English words."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import require
from surefoot.datasets.storage import DataSet

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
    problem = _problem(stored, offset, len(samples))
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


def _problem(stored: dict[str, NDArray[Any]], offset: NDArray[np.int64], samples: int) -> str:
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
