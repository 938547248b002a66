"""Known data sets: what each is, where it lies on this machine, and how it is fetched from its public home.

A set is looked for in the folder that ``SUREFOOT_DATA`` names, then in a cache of the user. What is fetched is accepted
only with the right checksum.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.canonical import FrozenDict
from surefoot.core.errors import InvalidInput, MissingData
from surefoot.documents import BROKEN_ARRAYS

VARIABLE = "SUREFOOT_DATA"
TIMEOUT_SECONDS = 60
SIDE, PER_ROW = 32, 100
"""Of the pictures on a contact sheet, and how many stand in a row."""


def catalogue() -> tuple[DataSet, ...]:
    """All known data sets.

    Returns
    -------
    tuple of DataSet
        What each is, its licence, its public home, and how it is had.

    Examples
    --------
    >>> import surefoot as sf
    >>> "mnist" in [each.name for each in sf.datasets.catalogue()]
    True

    """
    from surefoot.datasets import images, tabular

    return (
        tabular.WISCONSIN,
        images.GTSRB,
        images.MNIST,
        images.CIFAR10,
        tabular.FSDD,
        tabular.MISSPELLINGS,
        tabular.SIEMENS_2D,
        images.SURPRISE_MNIST,
        images.UDACITY_DRIVING,
    )


def known(name: str) -> DataSet:
    """The data set of a name; a misspelling gets a suggestion.

    Parameters
    ----------
    name
        Of its folder.

    Returns
    -------
    DataSet
        What it is and how it is had.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.known("mnist").licence
    'CC BY-SA 3.0'

    """
    sets = {each.name: each for each in catalogue()}
    return sets[validate.choice(name, sets, where="datasets", name="data set")]


@dataclass(frozen=True)
class RemoteFile:
    """A file at its public home.

    See Also
    --------
    DataSet

    """

    url: str
    sha256: str


@dataclass(frozen=True)
class DataSet:
    """One known data set: what it is, and how it is had.

    Parameters
    ----------
    name
        Of its folder.
    what, licence, home
        What it is, and where it comes from.
    remedy
        How a set without files is had.
    files
        Those that can be fetched, by name.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.known("gtsrb").what
    'German Traffic Sign Recognition Benchmark: 25,700 images of 43 signs at 32 x 32 pixels'

    """

    name: str
    what: str
    licence: str
    home: str
    remedy: str = ""
    files: Mapping[str, RemoteFile] = field(default_factory=FrozenDict)

    @property
    def folder(self) -> Path | None:
        """Where the set is on this machine; None where it is not."""
        try:
            return locate(self.name)
        except MissingData:
            return None

    def file(self, name: str) -> Path:
        """One file of the set; raises ``MissingData`` where it is not on this machine."""
        return locate_file(self.name, name, remedy=self.remedy)

    def arrays(self, path: Path, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Arrays of one npz file of the set."""
        with self.reading(path.name), path.open("rb") as stream, np.load(stream) as stored:
            return {name: np.asarray(stored[name]) for name in names}

    @contextmanager
    def reading(self, file: str) -> Iterator[None]:
        """Turn whatever a damaged file raises into ``MissingData``."""
        try:
            yield
        except MissingData:
            raise
        except BROKEN_ARRAYS as error:
            raise self.unusable(f"{file} cannot be read", error) from error

    def unusable(self, problem: str, found: object) -> MissingData:
        """What is wrong with a file that is there, and how the set is had."""
        return MissingData(problem, where=self.name, found=str(found), remedy=self.remedy)

    def fetch(self) -> Path:
        """The set's folder, after its files were checked or fetched into the cache."""
        if not self.files:
            return locate(self.name, remedy=self.remedy)
        folder = self.folder or cache_folder() / self.name
        for name, remote in self.files.items():
            if (folder / name).is_file():
                check_digest(folder / name, remote.sha256)
            else:
                fetch(remote.url, folder / name, sha256=remote.sha256)
        return folder


def locate(name: str, *, remedy: str = "") -> Path:
    """The folder of a data set, first in ``SUREFOOT_DATA``, then in the cache.

    Parameters
    ----------
    name
        Of the folder.
    remedy
        How else the set can be had; loaders fill it in.

    Returns
    -------
    Path
        A folder that is there.

    Raises
    ------
    MissingData
        Where there is none.

    See Also
    --------
    catalogue

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


def cache_folder() -> Path:
    """Where fetched data sets lie: ``surefoot`` in ``XDG_CACHE_HOME``, or in ``~/.cache`` where that is not set.

    Returns
    -------
    Path
        A folder, which need not be there yet.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.datasets.cache_folder().name
    'surefoot'

    """
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "surefoot"


def _places() -> list[Path]:
    named = os.environ.get(VARIABLE)
    return [*([Path(named)] if named else []), cache_folder()]


@validate.arguments
def fetch(url: str, target: Path, *, sha256: str) -> Path:
    """Download a file; nothing is left behind unless its checksum is right.

    Parameters
    ----------
    url
        Its public home.
    target
        Where it is put.
    sha256
        Its checksum.

    Returns
    -------
    Path
        The target.

    Raises
    ------
    MissingData
        Where it cannot be fetched, or is another file.

    See Also
    --------
    check_digest

    """
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


@validate.arguments
def check_digest(path: Path, sha256: str) -> Path:
    """The path of a file, if its SHA-256 is the expected one.

    Parameters
    ----------
    path
        A file that is there.
    sha256
        What is expected.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    MissingData
        Where it is another file.

    See Also
    --------
    file_digest

    """
    found = file_digest(path)
    if found != sha256:
        raise MissingData(
            f"{path.name} is not the file that is needed",
            where=str(path.parent),
            found=f"SHA-256 {found}, expected {sha256}",
            remedy="Delete it and fetch it again from its public home.",
        )
    return path


@validate.arguments
def file_digest(path: Path) -> str:
    """SHA-256 of a file.

    Parameters
    ----------
    path
        A file that is there.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.txt").write_text("said")
    ...     sf.datasets.file_digest(Path(folder, "a.txt"))[:12]
    'fb46c79b7eb7'

    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_sheets(paths: Sequence[Path], count: int) -> NDArray[np.uint8]:
    """The first pictures of contact sheets in order, as an array (count, 32, 32, 3).

    A sheet is one lossless image file with many small pictures of one size, 100 a row, row by row.
    """
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
