"""Images in one folder a class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.classes import Coded
from surefoot.adapters.files import file_digest, visible, visible_files
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError
from surefoot.core.canonical import digest
from surefoot.documents import printable

MOST_PIXELS = 89_478_485
"""What Pillow takes for the most that an honest image has."""
EIGHT_BIT = ("1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV")
LOOSE = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm")


@dataclass(frozen=True)
class ImageFolder:
    """The images of a folder, in a fixed order; hidden files are left out."""

    path: Path
    where: str

    def files(self) -> dict[str, list[Path]]:
        """Image files by class; the class is the name of the folder."""
        loose = [entry for entry in visible(self.path) if entry.is_file() and entry.suffix.lower() in LOOSE]
        folders = [entry for entry in visible(self.path) if entry.is_dir()]
        if loose or not folders:
            text = (
                f"images must lie in one folder a class; found {printable(loose[0].name) if loose else 'no folders'}."
            )
            raise DiagnosticsError.of("data-unreadable", text, where=self.where)
        return {folder.name: list(visible_files(folder)) for folder in folders}

    def labels(self) -> Coded:
        """The class of each image."""
        counts = {name: len(files) for name, files in self.files().items()}
        return Coded(np.repeat(np.arange(len(counts)), list(counts.values())), tuple(counts))

    def images(self, size: tuple[int, int] | None) -> NDArray[np.uint8]:
        """All images as RGB, scaled to ``size`` (height, width) where it is given."""
        paths = [path for files in self.files().values() for path in files]
        pixels = self._pixels(paths, size)
        first = next(pixels, None)
        if first is None:
            raise DiagnosticsError.of("data-empty", "the folders hold no images.", where=self.where)
        images = np.empty((len(paths), *first.shape), np.uint8)
        images[0] = first
        for number, image in enumerate(pixels, 1):
            if image.shape != first.shape:
                raise self._sizes(paths[number], image.shape, first.shape)
            images[number] = image
        return images

    def digest(self) -> str:
        """SHA-256 of the names and contents of all images."""
        return digest({printable(f.relative_to(self.path)): file_digest(f) for fs in self.files().values() for f in fs})

    def _pixels(self, paths: list[Path], size: tuple[int, int] | None) -> Iterator[NDArray[np.uint8]]:
        for path in paths:
            try:
                yield decoded(path, size)
            except (Exception, Warning) as error:
                raise self._unreadable(path, explained(error)) from error

    def _unreadable(self, path: Path, why: str) -> DiagnosticsError:
        name = printable(path.relative_to(self.path))
        return DiagnosticsError.of("data-unreadable", f"{name} is no image that can be read: {why}.", where=self.where)

    def _sizes(self, path: Path, found: Any, first: Any) -> DiagnosticsError:
        text = f"{printable(path.relative_to(self.path))} has {found[:2]} pixels, and the first image has {first[:2]}."
        hint = "Give image_size: [height, width] to scale them."
        return DiagnosticsError.of("data-type", text, where=self.where, hint=hint)


def decoded(path: Path, size: tuple[int, int] | None) -> NDArray[np.uint8]:
    """The pixels of one image as RGB, scaled to ``size`` (height, width) where it is given."""
    from PIL import Image

    with warnings.catch_warnings():
        warnings.simplefilter("error", Image.DecompressionBombWarning)
        with path.open("rb") as stream, Image.open(stream) as image:
            if image.width * image.height > MOST_PIXELS:
                raise ValueError(f"it would have {image.width} x {image.height} pixels")
            if image.mode not in EIGHT_BIT:
                raise ValueError(f"its pixels are of mode {image.mode!r}, and 8 bits a channel are needed")
            colours = image.convert("RGB")
            scaled = colours if size is None else colours.resize((size[1], size[0]), Image.Resampling.BILINEAR)
            return np.asarray(scaled)
