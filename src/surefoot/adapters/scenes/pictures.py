"""Pictures that a detector looks at: a folder of them or a film, read when they are asked for and not before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import Data
from surefoot.adapters.array_data import IMAGE_ENDINGS, decoded
from surefoot.adapters.project_code import explained, locate, visible_files
from surefoot.adapters.scenes.box_files import load_scenes
from surefoot.core import DiagnosticsError
from surefoot.core.errors import require
from surefoot.documents import did_you_mean, printable, quoted

MOST_SHOWN = 5


def pictured(*, path: str, images: str, folder: Path | str) -> Data:
    """The pictures that a detector is asked about, as rows.

    Parameters
    ----------
    path
        The file of the true boxes, or the folder of the true masks: it says which pictures there are.
    images
        A folder of pictures, or a film.
    folder
        The project's folder.

    Returns
    -------
    Data
        With inputs that are read when they are asked for.

    """
    place = locate(path, Path(folder), what="data")
    if place.is_dir():
        names = [file.relative_to(place).with_suffix("").as_posix() for file in visible_files(place)]
        return Data("", pictures_of(images, names, [], folder=Path(folder)))  # type: ignore[arg-type]
    truth = load_scenes(path=path, folder=Path(folder), digest="")
    return truth.rows(pictures_of(images, truth.names.tolist(), truth.files, folder=Path(folder)))


def pictures_of(images: str, names: Sequence[str], files: Sequence[str], *, folder: Path) -> Pictures:
    """The picture of each image: of a folder by the name of its file, of a film in order.

    Parameters
    ----------
    images
        A folder, or a film.
    names
        Of the images.
    files
        Names of their files, as COCO says them; without them the names of the images, with or without an ending, and
        numbers of frames with or without zeros before them, as MOTChallenge has them.
    folder
        The project's folder.

    Returns
    -------
    Pictures
        As many as there are names.

    Raises
    ------
    DiagnosticsError
        Where pictures are missing.

    """
    place = locate(images, folder, what="images")
    if not place.is_dir():
        return Pictures((place,), len(names), printable(images))
    there = {path.relative_to(place).as_posix(): path for path in visible_files(place)}
    pictures = {name: path for name, path in there.items() if path.suffix.lower() in IMAGE_ENDINGS}
    known = {**by_title(pictures.values()), **pictures}
    wanted = [file or name for file, name in zip(files or [""] * len(names), names, strict=True)]
    lacking = [name for name in wanted if name not in known]
    if lacking:
        more = f" and {len(lacking) - MOST_SHOWN:,} more" if len(lacking) > MOST_SHOWN else ""
        text = f"the folder has no picture {', '.join(map(quoted, lacking[:MOST_SHOWN]))}{more}."
        hint = did_you_mean(lacking[0], [*known][:300])
        raise DiagnosticsError.of("file-missing", text, where=printable(images), hint=hint)
    return Pictures(tuple(known[name] for name in wanted), len(names), printable(images))


def by_title(paths: Iterable[Path]) -> dict[str, Path]:
    """Pictures by the names that an image may have: with an ending, without, and of numbers without zeros before.

    Parameters
    ----------
    paths
        Of the pictures.

    Returns
    -------
    dict
        A number that several pictures have, such as 1 and 001, is no name.

    """
    there = list(paths)
    numbered = [path for path in there if path.stem.isdecimal()]
    counted = Counter(int(path.stem) for path in numbered)
    plain = {str(int(path.stem)): path for path in numbered if counted[int(path.stem)] == 1}
    return {**plain, **{path.stem: path for path in there}, **{path.name: path for path in there}}


@dataclass(eq=False)
class Pictures:
    """An array of pictures that is read piece by piece: RGB, height x width x 3, 8 bits.

    Parameters
    ----------
    paths
        A file for each picture, or one film for all.
    count
        How many there are.
    where
        What messages call it.

    See Also
    --------
    pictures_of

    """

    paths: tuple[Path, ...]
    count: int
    where: str
    _film: Any = field(default=None, repr=False)
    _next: int = 0

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        found = [self._picture(row) for row in range(*rows.indices(self.count))]
        if len({picture.shape for picture in found}) == 1:
            return np.stack(found)
        several = np.empty(len(found), dtype=object)
        several[:] = found
        return several

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_film": None, "_next": 0}

    def _picture(self, row: int) -> NDArray[np.uint8]:
        if len(self.paths) == 1 and self.paths[0].suffix.lower() not in IMAGE_ENDINGS:
            return self._frame(row)
        try:
            return decoded(self.paths[row], None)
        except (Exception, Warning) as error:
            text = f"{printable(self.paths[row].name)} is no image that can be read: {explained(error)}."
            raise DiagnosticsError.of("data-unreadable", text, where=self.where) from error

    def _frame(self, row: int) -> NDArray[np.uint8]:
        video = require("cv2", extra="film", purpose="A film as the images of a detector")
        if self._film is None or row < self._next:
            self._film, self._next = video.VideoCapture(str(self.paths[0])), 0
        frame = None
        while self._next <= row:
            good, frame = self._film.read()
            if not good:
                text = f"the film has {self._next} frames that can be read, and the truth has {self.count} images."
                raise DiagnosticsError.of("data-boxes", text, where=self.where)
            self._next += 1
        assert frame is not None
        return np.ascontiguousarray(frame[:, :, ::-1])
