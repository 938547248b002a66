"""A recorded drive of Udacity's self-driving car simulator: frames of the centre camera, and what the driver did.

4,053 frames at 160 x 80 pixels, about 14 a second: two laps of one track, a turn, and two laps the other way round. The
driver steered with keys, in short pulses: steering is exactly 0 in 72% of the frames.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import MissingData
from surefoot.core.validate import FloatArray
from surefoot.datasets.location import locate_file

FOLDER, FILE = "udacity_driving", "center_160x80_webp.npz"
HOME = "https://github.com/udacity/self-driving-car-sim"
HEIGHT, WIDTH = 80, 160
COLUMNS = ("steering", "throttle", "brake", "speed")
ARRAYS = ("blob", "offset", "name", *COLUMNS)
STAMP = "center_%Y_%m_%d_%H_%M_%S_%f.jpg"
"""How the simulator names a frame; its last part is milliseconds."""
REMEDY = (
    f"The drive has no public home: record one with {HOME}, bring its centre frames to {WIDTH} x {HEIGHT} pixels and "
    f"write {FILE} with arrays {', '.join(ARRAYS)}: frame i is the WebP image blob[offset[i]:offset[i + 1]]."
)


@dataclass(frozen=True, eq=False)
class Drive:
    """Frames (n, 80, 160, 3) as bytes, in the order of time, and one number a frame of all else.

    ``steering`` is between -1 (left) and 1, ``throttle`` and ``brake`` between 0 and 1, ``speed`` in miles an hour, and
    ``seconds`` since the first frame. Where ``seconds`` leaps, rows are not neighbours in time.
    """

    frames: NDArray[np.uint8]
    steering: FloatArray
    throttle: FloatArray
    brake: FloatArray
    speed: FloatArray
    seconds: FloatArray
    names: tuple[str, ...]


def udacity_driving() -> Drive:
    """The drive from the folder that ``locate("udacity_driving")`` finds."""
    arrays = _arrays(locate_file(FOLDER, FILE, remedy=REMEDY))
    names = tuple(map(str, arrays["name"]))
    columns = {name: arrays[name].astype(np.float64) for name in COLUMNS}
    return Drive(_frames(arrays["blob"], arrays["offset"]), **columns, seconds=_seconds(names), names=names)


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        with path.open("rb") as stream, np.load(stream) as held:
            arrays = {name: held[name] for name in ARRAYS}
    except (KeyError, ValueError, OSError, EOFError, BadZipFile) as error:
        raise _refusal(f"{FILE} cannot be read", error) from error
    rows = {name: len(arrays[name]) for name in ("name", *COLUMNS)} | {"offset": len(arrays["offset"]) - 1}
    if len(set(rows.values())) != 1:
        raise _refusal("the arrays differ in their number of frames", rows)
    return arrays


def _frames(blob: NDArray[np.uint8], offset: NDArray[np.int64]) -> NDArray[np.uint8]:
    from PIL import Image

    frames = np.empty((len(offset) - 1, HEIGHT, WIDTH, 3), np.uint8)
    for i, (start, stop) in enumerate(pairwise(offset)):
        try:
            with Image.open(BytesIO(blob[start:stop].tobytes())) as image:
                frames[i] = np.asarray(image.convert("RGB"))
        except (OSError, ValueError) as error:
            raise _refusal(f"frame {i} is not an image of {WIDTH} x {HEIGHT} pixels", error) from error
    return frames


def _seconds(names: tuple[str, ...]) -> FloatArray:
    try:
        times = [datetime.strptime(name, STAMP) for name in names]
    except ValueError as error:
        raise _refusal("a frame's name does not hold its time", error) from error
    seconds = np.array([(time - times[0]).total_seconds() for time in times])
    if (np.diff(seconds) <= 0).any():
        raise _refusal("frames are not in the order of time", names[int(np.diff(seconds).argmin()) + 1])
    return seconds


def _refusal(problem: str, found: object) -> MissingData:
    return MissingData(problem, where=FOLDER, found=str(found), remedy=REMEDY)
