"""Where data sets lie: the folder that ``SUREFOOT_DATA`` names, then a cache of the user."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import InvalidInput, MissingData

VARIABLE = "SUREFOOT_DATA"


def cache_folder() -> Path:
    """``surefoot`` in ``XDG_CACHE_HOME``, or in ``~/.cache`` where that is not set."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "surefoot"


def locate(name: str, *, remedy: str = "") -> Path:
    """The folder of a data set, first in ``SUREFOOT_DATA``, then in the cache; raises ``MissingData``.

    ``remedy`` says how else the set can be had; loaders fill it in.
    """
    if not isinstance(name, str) or not name or name != Path(name).name or name in (".", ".."):
        raise InvalidInput(
            "a data set is named by its folder", where="locate", found=repr(name), remedy="Use for example 'gtsrb'."
        )
    places = _places()
    for place in places:
        if (place / name).is_dir():
            return place / name
    raise MissingData(
        f"data set {name!r} is not on this machine",
        where="locate",
        found=f"no folder {name!r} in {', '.join(map(str, places))}",
        remedy=f"Set {VARIABLE} to the folder that holds {name}/. {remedy}".strip(),
    )


def locate_file(name: str, file: str, *, remedy: str = "") -> Path:
    """One file of a data set; raises ``MissingData`` when the folder is there and the file is not."""
    path = locate(name, remedy=remedy) / file
    if not path.is_file():
        raise MissingData(f"data set {name!r} lacks {file}", where="locate", found=str(path.parent), remedy=remedy)
    return path


def _places() -> list[Path]:
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]


# Contact sheets: many small pictures of one size in one lossless image file, 100 a row, row by row.

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


# Fetch a file from its public home and accept it only with the right checksum.

TIMEOUT_SECONDS = 60


def file_digest(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def check_digest(path: Path, sha256: str) -> Path:
    """The path, if the file's SHA-256 is the expected one; raises ``MissingData`` otherwise."""
    found = file_digest(path)
    if found != sha256:
        raise MissingData(
            f"{path.name} is not the file that is needed",
            where=str(path.parent),
            found=f"SHA-256 {found}, expected {sha256}",
            remedy="Delete it and fetch it again from its public home.",
        )
    return path


def fetch(url: str, target: Path, *, sha256: str) -> Path:
    """Download ``url`` to ``target``; nothing is left at ``target`` unless the checksum is right."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        arrived = Path(folder) / target.name
        try:
            with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as source, arrived.open("wb") as sink:
                shutil.copyfileobj(source, sink)
        except (urllib.error.URLError, OSError) as error:
            raise MissingData(
                f"{target.name} could not be fetched",
                where=url,
                found=str(error),
                remedy=f"Fetch it by hand into {target.parent}.",
            ) from error
        return check_digest(arrived, sha256).replace(target)
