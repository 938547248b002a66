"""Free Spoken Digit Dataset: 3,000 recordings of spoken English digits by six speakers.

Jackson et al., "Free Spoken Digit Dataset" (2018); CC BY-SA 4.0.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData, require
from surefoot.datasets.storage import locate_file

FOLDER, SOUNDS, INDEX = "fsdd", "fsdd_all_8k.flac", "fsdd_index.npz"
HOME = "https://github.com/Jakobovski/free-spoken-digit-dataset"
RATE, COUNT = 8000, 3000
REMEDY = (
    f"The set has no public home in this form: join the recordings of {HOME} in one file {SOUNDS} ({RATE} Hz, 16 bit), "
    f"and write {INDEX} with arrays offset ({COUNT + 1}, where recordings start or end), digit, speaker and index."
)


@dataclass(frozen=True, eq=False)
class SpokenDigits:
    """Recordings as 16-bit samples, ``rate`` of them a second; what is said, by whom, and its number among 50 takes."""

    sounds: tuple[NDArray[np.int16], ...]
    digits: NDArray[np.int64]
    speakers: NDArray[np.str_]
    index: NDArray[np.int64]
    rate: int


def fsdd() -> SpokenDigits:
    """The 3,000 recordings from the folder that ``locate("fsdd")`` finds; each speaker says each digit 50 times."""
    where = locate_file(FOLDER, INDEX, remedy=REMEDY)
    stored = _index(where)
    samples = _samples(locate_file(FOLDER, SOUNDS, remedy=REMEDY))
    offset = stored["offset"].astype(np.int64)
    problem = _problem(stored, offset, len(samples))
    if problem:
        raise MissingData(f"{INDEX} does not fit {SOUNDS}", where=FOLDER, found=problem, remedy=REMEDY)
    return SpokenDigits(
        sounds=tuple(np.split(samples, offset[1:-1])),
        digits=stored["digit"].astype(np.int64),
        speakers=stored["speaker"].astype(np.str_),
        index=stored["index"].astype(np.int64),
        rate=RATE,
    )


def _index(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as stream, np.load(stream) as arrays:
            return {name: np.asarray(arrays[name]) for name in ("offset", "digit", "speaker", "index")}
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise MissingData(f"{INDEX} cannot be read", where=FOLDER, found=str(error), remedy=REMEDY) from error


def _samples(path: Path) -> NDArray[np.int16]:
    soundfile = require("soundfile", extra="audio", purpose="Reading recordings")
    try:
        samples, rate = soundfile.read(path, dtype="int16")
    except (RuntimeError, OSError) as error:
        raise MissingData(f"{SOUNDS} cannot be read", where=FOLDER, found=str(error), remedy=REMEDY) from error
    if samples.ndim != 1 or rate != RATE:
        found = f"{rate} Hz in {samples.shape[1] if samples.ndim > 1 else 1} channels"
        raise MissingData(f"{SOUNDS} is not the set in one channel at {RATE} Hz", where=FOLDER, found=found)
    return np.asarray(samples, np.int16)


def _problem(stored: dict[str, NDArray[Any]], offset: NDArray[np.int64], samples: int) -> str:
    lengths = {name: len(np.atleast_1d(array)) for name, array in stored.items()}
    if lengths != {"offset": COUNT + 1, "digit": COUNT, "speaker": COUNT, "index": COUNT}:
        return ", ".join(f"{length} of {name}" for name, length in lengths.items())
    if offset[0] != 0 or offset[-1] != samples or np.diff(offset).min() < 1:
        return (
            f"recordings from {offset[0]} to {offset[-1]} among {samples} samples, the shortest {np.diff(offset).min()}"
        )
    if not np.isin(stored["digit"], np.arange(10)).all():
        return "digits other than 0 to 9"
    return ""


# Misspellings of English words from the codespell project.
#
# The project's file ``dictionary.txt`` has a line ``wrong->right`` for each misspelling; where several words can be
# meant, commas follow each, and then perhaps a remark. CC BY-SA 3.0.

MISSPELLINGS_FOLDER, FILE = "misspellings", "codespell_dictionary.txt.gz"
MISSPELLINGS_HOME = "https://github.com/codespell-project/codespell"
MISSPELLINGS_REMEDY = (
    f"Save codespell_lib/data/dictionary.txt of {MISSPELLINGS_HOME}, packed by gzip, as {MISSPELLINGS_FOLDER}/{FILE}."
)
ARROW = "->"


def misspellings() -> Mapping[str, tuple[str, ...]]:
    """Wrong spellings of each right word or phrase, from the folder that ``locate("misspellings")`` finds.

    ``corrupt(texts, "misspellings", severity, words=misspellings())`` misspells texts with them.
    """
    path = locate_file(MISSPELLINGS_FOLDER, FILE, remedy=MISSPELLINGS_REMEDY)
    try:
        lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    except (OSError, EOFError, ValueError) as error:
        raise MissingData(
            f"{FILE} cannot be read", where=MISSPELLINGS_FOLDER, found=str(error), remedy=MISSPELLINGS_REMEDY
        ) from error
    wrong: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        spelling, meant = _entry(line, number)
        for right in meant:
            wrong.setdefault(right, []).append(spelling)
    return MappingProxyType({right: tuple(spellings) for right, spellings in wrong.items()})


def _entry(line: str, number: int) -> tuple[str, list[str]]:
    spelling, arrow, meant = line.partition(ARROW)
    # What follows the last comma is a remark, or nothing.
    words = [word.strip() for word in (meant.rpartition(",")[0] or meant).split(",")]
    if not arrow or not spelling.strip() or not all(words):
        raise MissingData(
            f"line {number} of {FILE} is no misspelling",
            where=MISSPELLINGS_FOLDER,
            found=repr(line[:80]),
            remedy=MISSPELLINGS_REMEDY,
        )
    return spelling.strip(), words
