"""Free Spoken Digit Dataset: 3,000 recordings of spoken English digits by six speakers.

Jackson et al., "Free Spoken Digit Dataset" (2018); CC BY-SA 4.0.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.extras import require
from surefoot.datasets.location import locate_file

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
