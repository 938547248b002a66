"""Masks: a class number for each pixel of an image, from arrays, from files of pictures and from models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import NO_ATTRIBUTES, Data
from surefoot.adapters.array_data import IMAGE_ENDINGS, Arrays, NpzFile, arrays_digest
from surefoot.adapters.project_code import explained, locate, visible_files
from surefoot.adapters.scenes.box_files import scenes_digest
from surefoot.adapters.scenes.boxes import image_rows
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.canonical import FrozenMap
from surefoot.documents import BROKEN_ARRAYS, did_you_mean, printable, quoted

CODE = "data-masks"
MASK_ENDINGS = (".npy", *IMAGE_ENDINGS)
IGNORE = 255
"""The number of pixels that do not count, where nobody says another."""
MOST_SHOWN = 20
SIDES = 2
Mask = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Masks:
    """Images with their true masks and, where they were answered elsewhere, those that were answered.

    Parameters
    ----------
    digest
        Of everything that was read.
    names
        Of the images.
    truth, answers
        A mask for each image; answers are None where a model is to give them.
    inputs, attributes, groups
        What a model gets, and what else is known of each image.

    See Also
    --------
    load_masks

    """

    digest: str
    names: tuple[str, ...]
    truth: tuple[Mask, ...]
    answers: tuple[Mask, ...] | None
    inputs: Any = None
    attributes: Mapping[str, NDArray[Any]] = NO_ATTRIBUTES
    groups: NDArray[Any] | None = None
    where: str = "data"

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, inputs: Any = None) -> Data:
        """The images as rows, without what is judged."""
        return image_rows(self, inputs)

    def answered(self, masks: NDArray[Any], *, classes: int | None, ignore: int, where: str) -> Masks:
        """With what a model answered."""
        found = tuple(np.asarray(mask) for mask in masks)
        return checked(replace(self, answers=found), classes=classes, ignore=ignore, where=where, code="model-output")


def load_masks(
    *,
    path: str | None = None,
    predictions: str | Sequence[str] | None = None,
    labels: str | None = None,
    made: Arrays | None = None,
    given: Any = None,
    attributes: Sequence[str] = (),
    groups: str | None = None,
    classes: int | None = None,
    ignore: int = IGNORE,
    folder: Path,
) -> Masks:
    """Read true masks, and answers where they were given elsewhere.

    Parameters
    ----------
    path
        A folder with a file for each mask (pictures with one channel, or npy), or an npz file.
    predictions
        A folder with masks of the same names; of an npz file the name of the array.
    labels
        Of an npz file the name of the array with true masks.
    made, given
        In their place what code made, or an object in memory.
    attributes, groups
        Further columns with a value an image.
    classes
        How many there are, where they are listed.
    ignore
        The number of pixels that do not count.
    folder
        The project's folder.

    Returns
    -------
    Masks
        Checked.

    Raises
    ------
    DiagnosticsError
        Where masks do not fit each other or the classes, each with its image.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> masks = {"labels": [[[0, 1], [1, 1]]], "predictions": [[[0, 0], [1, 1]]]}
    >>> found = sf.adapters.scenes.load_masks(given=masks, folder=Path())
    >>> len(found), found.answers[0].tolist()
    (1, [[0, 0], [1, 1]])

    """
    limits: dict[str, Any] = {"classes": classes, "ignore": ignore}
    if given is None and made is None and locate(path or "", folder, what="data").is_dir():
        where = printable(path)
        names, truth = _folder(locate(path or "", folder, what="data"), where)
        answers = None
        if isinstance(predictions, str):
            answers = _of_names(locate(predictions, folder, what="predictions"), names, printable(predictions))
        found = Masks(scenes_digest(path=path or "", predictions=predictions, folder=folder), names, truth, answers)
        return checked(replace(found, where=where), **limits, where=where)
    if given is not None or made is not None:
        arrays = _parts(given) if made is None else {name: made.array(name) for name in made.names}
        where, digest = "data", _digest(arrays)
    else:
        file = NpzFile(locate(path or "", folder, what="data"), printable(path))
        arrays, where, digest = file.read(file.names), file.where, scenes_digest(path=path or "", folder=folder)
    real, second = labels or "labels", predictions if isinstance(predictions, str) else "predictions"
    if real not in arrays:
        hint = did_you_mean(real, arrays) or "Name the array of true masks with labels:."
        raise DiagnosticsError.of("data-column", f"there is no {quoted(real)}.", where=where, hint=hint)
    truth = tuple(np.asarray(mask) for mask in arrays[real])
    shown = arrays.get(second)
    names = tuple(map(str, arrays.get("images", range(len(truth)))))
    lacking = [name for name in (*attributes, *([groups] if groups else ())) if name not in arrays]
    if lacking:
        hint = did_you_mean(lacking[0], arrays)
        raise DiagnosticsError.of("data-column", f"there is no {quoted(lacking[0])}.", where=where, hint=hint)
    found = Masks(
        digest,
        names,
        truth,
        None if shown is None else tuple(np.asarray(mask) for mask in shown),
        arrays.get("inputs"),
        FrozenMap({name: np.asarray(arrays[name]) for name in attributes}),
        None if groups is None else np.asarray(arrays[groups]),
        where,
    )
    return checked(found, **limits, where=where)


def checked(found: Masks, *, classes: int | None, ignore: int, where: str, code: str = CODE) -> Masks:
    """Masks of whole numbers that have one shape an image; all that do not fit are told at once."""
    if not found.truth:
        raise DiagnosticsError.of("data-empty", "there are no masks.", where=where)
    if found.answers is not None and len(found.answers) != len(found.truth):
        text = f"there are {len(found.answers)} answered masks and {len(found.truth)} true ones."
        raise DiagnosticsError.of(code, text, where=where)
    lengths = {len(c) for c in (*found.attributes.values(), found.groups, found.inputs) if c is not None}
    if lengths - {len(found.truth)}:
        text = (
            f"there are {len(found.truth)} masks, and another column has {(lengths - {len(found.truth)}).pop()} rows."
        )
        raise DiagnosticsError.of("data-type", text, where=where)
    problems: list[Diagnostic] = []
    sides = [("true", found.truth, CODE), ("answered", found.answers or (), code)]
    for said, masks, of in sides:
        problems += _wrong(masks, said, found.names, classes, ignore, where, of)
    if not problems and found.answers is not None:
        problems += [
            Diagnostic(
                code,
                f"row {row} (image {quoted(found.names[row], 60)}): the answered mask has the shape {said.shape}, "
                f"the true one {real.shape}.",
                "error",
                where,
                "Scale answers to the size of the truth, without mixing class numbers (nearest pixel).",
            )
            for row, (real, said) in enumerate(zip(found.truth, found.answers, strict=True))
            if real.shape != said.shape
        ][:MOST_SHOWN]
    DiagnosticsError.raise_if_any(problems[:MOST_SHOWN])
    return found


def _wrong(
    masks: Sequence[Mask], said: str, names: Sequence[str], classes: int | None, ignore: int, where: str, code: str
) -> list[Diagnostic]:
    problems = []
    for row, mask in enumerate(masks):
        whole = mask.dtype.kind in "biu" or (mask.dtype.kind == "f" and bool((mask == np.floor(mask)).all()))
        if mask.ndim != SIDES or not mask.size:
            text, hint = f"has the shape {mask.shape}", "A mask has one class number a pixel: height x width."
        elif not whole:
            text, hint = "has values that are no whole numbers", "Give class numbers: of scores the largest one's."
        else:
            odd = np.argwhere((mask < 0) | ((mask >= classes) & (mask != ignore) if classes else False))
            if not odd.size:
                continue
            line, column = odd[0]
            text = f"has {mask[line, column]} in line {line}, column {column}, and there are {classes} classes"
            hint = "List all classes of the component under classes:, or name the number that does not count: ignore:."
        name = quoted(names[row], 60)
        problems.append(Diagnostic(code, f"row {row} (image {name}): the {said} mask {text}.", "error", where, hint))
        if len(problems) == MOST_SHOWN:
            break
    return problems


def _parts(given: Any) -> dict[str, Any]:
    if isinstance(given, Mapping):
        inner = given.get("attributes") or {}
        return {k: v for k, v in given.items() if k not in ("attributes", "classes") and v is not None} | dict(inner)
    return {"inputs": given[0], "labels": given[1]}


def _digest(arrays: Mapping[str, Any]) -> str:
    plain: dict[str, Any] = {}
    for name, value in arrays.items():
        several = name in ("labels", "predictions") and len({np.shape(each) for each in value}) > 1
        plain |= {f"{name} {row}": np.asarray(each) for row, each in enumerate(value)} if several else {name: value}
    return arrays_digest(Arrays(plain, "data"))


# Folders with a file for each mask.


def _folder(place: Path, where: str) -> tuple[tuple[str, ...], tuple[Mask, ...]]:
    files = {p.relative_to(place).with_suffix("").as_posix(): p for p in visible_files(place) if _is_mask(p)}
    return tuple(files), tuple(_mask(path, place, where) for path in files.values())


def _of_names(place: Path, names: Sequence[str], where: str) -> tuple[Mask, ...]:
    """Masks of the same names; those that are missing, and those of no image, are told at once."""
    if not place.is_dir():
        raise DiagnosticsError.of("data-unreadable", "predictions of masks are a folder of files.", where=where)
    files = {p.relative_to(place).with_suffix("").as_posix(): p for p in visible_files(place) if _is_mask(p)}
    said: list[tuple[str, Callable[[str], str]]] = [
        *((name, lambda name: f"there is no mask {quoted(name, 60)}") for name in names if name not in files),
        *((name, lambda name: f"the mask {quoted(name, 60)} has no truth") for name in files if name not in names),
    ]
    DiagnosticsError.raise_if_any(
        Diagnostic(CODE, f"{text(name)} ({len(said)} such in all).", "error", where) for name, text in said[:MOST_SHOWN]
    )
    return tuple(_mask(files[name], place, where) for name in names)


def _is_mask(path: Path) -> bool:
    return path.suffix.lower() in MASK_ENDINGS


def _mask(path: Path, place: Path, where: str) -> Mask:
    name = printable(path.relative_to(place))
    try:
        if path.suffix.lower() == ".npy":
            return np.asarray(np.load(path, allow_pickle=False))
        from PIL import Image

        with path.open("rb") as stream, Image.open(stream) as image:
            found = np.asarray(image)
    except BROKEN_ARRAYS as error:
        text = f"{name} is no mask that can be read: {explained(error)}."
        raise DiagnosticsError.of("data-unreadable", text, where=where) from error
    return found
