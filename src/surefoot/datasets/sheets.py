"""Contact sheets: many small pictures of one size in one lossless image file, 100 a row, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import InvalidInput, MissingData

SIDE = 32
PER_ROW = 100


def read_sheets(paths: Sequence[Path], count: int) -> NDArray[np.uint8]:
    """The first ``count`` pictures of the sheets in order, as an array (count, 32, 32, 3)."""
    pictures = np.concatenate([_read_sheet(path) for path in paths])
    if len(pictures) < count:
        raise MissingData(
            "the sheets hold fewer pictures than there are labels",
            where=", ".join(path.name for path in paths),
            found=f"{len(pictures)} pictures, {count} labels",
        )
    return pictures[:count]


def _read_sheet(path: Path) -> NDArray[np.uint8]:
    from PIL import Image

    limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))
    finally:
        Image.MAX_IMAGE_PIXELS = limit
    height, width, _ = pixels.shape
    if height % SIDE or width != SIDE * PER_ROW:
        raise InvalidInput(
            f"a sheet has {PER_ROW} pictures of {SIDE} x {SIDE} pixels a row",
            where=path.name,
            found=f"{width} x {height} pixels",
        )
    cells = pixels.reshape(height // SIDE, SIDE, PER_ROW, SIDE, 3)
    return cells.transpose(0, 2, 1, 3, 4).reshape(-1, SIDE, SIDE, 3)
