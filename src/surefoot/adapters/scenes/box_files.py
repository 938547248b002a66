"""Files of boxes: COCO JSON, csv tables, and the text of MOTChallenge.

What each needs. COCO: ``images``, ``annotations`` and ``categories`` of the truth, a list of results of the answers,
with ``bbox`` or, where masks are asked for, ``segmentation``;
``track_id`` (or ``instance_id``), ``video_id`` and ``frame_id`` are read where they are there. Csv: a column ``image``
or ``frame``, then ``x1, y1, x2, y2`` or ``x, y, width, height``; ``label``, ``score``, ``track``, ``crowd``, ``area``,
``image_width``, ``image_height`` where they are there. MOTChallenge: frame, id, x, y, width, height, confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.array_data import Arrays
from surefoot.adapters.project_code import explained, file_digest, locate, locate_file, visible_files
from surefoot.adapters.scenes.boxes import (
    CODE,
    CODE_OF_MASKS,
    NO_LABEL,
    RawBoxes,
    Scenes,
    memory_digest,
    put_together,
    scenes_from,
    sizes_of,
)
from surefoot.adapters.table_data import table_cells
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.canonical import FrozenMap, digest
from surefoot.core.validate import FloatArray
from surefoot.documents import did_you_mean, json, listed, printable, quoted
from surefoot.documents.run_lengths import RunLengths

ENDINGS = (".json", ".csv", ".txt")
CORNERS, CORNER_AND_SIZE = ("x1", "y1", "x2", "y2"), ("x", "y", "width", "height")
MOT_COLUMNS = 7
MOST_SHOWN = 20
MOST_FRAMES = 10_000_000
"""Of a film; at 30 a second almost four days."""
NO_FRAME = -1


def load_scenes(
    *,
    path: str | None = None,
    predictions: str | Sequence[str] | None = None,
    made: Arrays | None = None,
    given: Any = None,
    classes: Sequence[str] = (),
    attributes: Sequence[str] = (),
    groups: str | None = None,
    sequence: str | None = None,
    time: str | None = None,
    frame_rate: float | None = None,
    masks: bool = False,
    folder: Path,
    digest: str | None = None,
) -> Scenes:
    r"""Read the truth, and the answers where they were given elsewhere.

    Parameters
    ----------
    path
        A file of boxes: COCO JSON, csv or MOTChallenge text.
    predictions
        A file of answers, in any of these forms.
    made, given
        In their place what code made, or an object in memory.
    classes
        Names of the classes; without them those that occur.
    attributes, groups, sequence, time
        Columns of images, or keys that images have in COCO.
    frame_rate
        How many frames a second has, where frames are numbered.
    masks
        Whether objects have masks: ``segmentation`` of COCO, and ``masks`` in memory.
    folder
        The project's folder.
    digest
        Of all that, where it is known.

    Returns
    -------
    Scenes
        Checked.

    Raises
    ------
    DiagnosticsError
        Where boxes, images and classes do not fit together, each with its row.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "truth.csv").write_text("image,x1,y1,x2,y2,label\na,0,0,4,4,car\nb,,,,,\n")
    ...     scenes = sf.adapters.scenes.load_scenes(path="truth.csv", folder=Path(folder))
    >>> scenes.names.tolist(), scenes.truth.corners.tolist()
    (['a', 'b'], [[0.0, 0.0, 4.0, 4.0]])

    """
    roles: dict[str, Any] = {"attributes": attributes, "groups": groups}
    if given is not None or made is not None:
        arrays = _from_memory(given) if made is None else {name: made.array(name) for name in made.names}
        renamed = (("sequence", sequence), ("time", time))
        arrays |= {new: arrays[old] for new, old in renamed if old is not None and old in arrays}
        roles["masks"] = masks
        return scenes_from(arrays, digest=digest or memory_digest(arrays, masks=masks), classes=classes, **roles)
    place = locate_file(path or "", folder, what="data")
    wanted = _Wanted(tuple(attributes), groups, sequence, time, frame_rate, masks)
    truth = _reader(place, printable(path), masks)(place, printable(path), wanted, True)
    if len(classes) == 1 and {*truth.boxes.labels.tolist()} <= {NO_LABEL}:
        # A truth without classes has the only one that there is.
        truth = replace(truth, boxes=replace(truth.boxes, labels=np.full(len(truth.boxes.labels), classes[0])))
    answers = None
    if isinstance(predictions, str):
        second = locate_file(predictions, folder, what="predictions")
        sizes = dict(zip(truth.names, [] if truth.sizes is None else truth.sizes.tolist(), strict=False))
        asked = _Wanted(masks=masks, sizes=sizes)
        answers = _reader(second, printable(predictions), masks)(second, printable(predictions), asked, False)
    elif predictions is not None:
        text = "predictions of task: detection are one file."
        raise DiagnosticsError.of("data-column", text, where=printable(path))
    numbers = truth.numbers or dict(enumerate(classes))
    found = digest or scenes_digest(path=path or "", predictions=predictions, folder=folder)
    every = list(classes) or [*dict.fromkeys(truth.numbers.values())]
    made_of: dict[str, Any] = {
        name: getattr(truth, name) for name in ("sizes", "groups", "sequences", "times", "in_seconds", "files")
    }
    return put_together(
        truth.names,
        truth.boxes,
        None if answers is None else _named(answers, truth, numbers, second=printable(str(predictions))),
        classes=every,
        numbers=numbers,
        digest=found,
        attributes=FrozenMap(truth.attributes),
        **made_of,
    )


def scenes_digest(
    *, path: str, predictions: str | Sequence[str] | None = None, images: str | None = None, folder: Path
) -> str:
    r"""SHA-256 of the files that scenes are read from.

    Parameters
    ----------
    path, predictions
        As for ``load_scenes``; folders too.
    images
        A folder of pictures, or a film.
    folder
        The project's folder.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "truth.csv").write_text("image,x1,y1,x2,y2\na,0,0,4,4\n")
    ...     len(sf.adapters.scenes.scenes_digest(path="truth.csv", folder=Path(folder)))
    64

    """
    found: dict[str, str] = {}
    second = predictions if isinstance(predictions, str) else None
    for what, said in (("data", path), ("predictions", second), ("images", images)):
        if said is not None:
            place = locate(said, folder, what=what)
            files = [*visible_files(place)] if place.is_dir() else [locate_file(said, folder, what=what)]
            found |= {f"{what}/{printable(str(file.relative_to(place)))}": file_digest(file) for file in files}
    return digest(found)


def _from_memory(given: Any) -> dict[str, Any]:
    """The parts of an object in memory: a mapping, (inputs, labels), or a dataset of (image, target, metadata)."""
    if isinstance(given, Mapping):
        inner = given.get("attributes") or {}
        return {k: v for k, v in given.items() if k not in ("attributes", "classes", "output")} | dict(inner)
    if isinstance(given, tuple) and len(given) == 2:
        return {"inputs": given[0], "labels": given[1]}
    rows = [given[number] for number in range(len(given))]
    return {"inputs": [row[0] for row in rows], "labels": [row[1] for row in rows]}


# What a reader finds in a file, before truth and answers are put together.


@dataclass(frozen=True)
class _Wanted:
    attributes: tuple[str, ...] = ()
    groups: str | None = None
    sequence: str | None = None
    time: str | None = None
    frame_rate: float | None = None
    masks: bool = False
    sizes: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Width and height of images, where the answers are read."""

    def seconds(self, frames: FloatArray) -> FloatArray:
        """Times of numbered frames; their numbers where nobody says how many a second has."""
        return frames / (self.frame_rate or 1.0)

    @property
    def names(self) -> list[str]:
        """Columns of images beside those that are always looked for."""
        return [*self.attributes, *(name for name in (self.groups, self.sequence, self.time) if name)]


@dataclass(frozen=True, eq=False)
class _Read:
    names: list[str]
    boxes: RawBoxes
    numbers: Mapping[int, str]
    attributes: Mapping[str, NDArray[Any]]
    sizes: FloatArray | None = None
    groups: NDArray[Any] | None = None
    sequences: NDArray[Any] | None = None
    times: FloatArray | None = None
    in_seconds: bool = True
    files: tuple[str, ...] = ()


Reader = Callable[[Path, str, _Wanted, bool], _Read]


def _reader(place: Path, where: str, masks: bool) -> Reader:
    if masks and place.suffix.lower() != ".json":
        text = f"{quoted(where)} is no file of masks."
        hint = "Masks of objects are read from COCO JSON, with segmentation; class numbers of pixels from a folder."
        raise DiagnosticsError.of("data-unreadable", text, where=where, hint=hint)
    readers: dict[str, Reader] = {".json": _coco, ".csv": _csv, ".txt": _mot}
    reader = readers.get(place.suffix.lower())
    if reader is None:
        text = f"{quoted(where)} is no file of boxes that can be read ({listed(ENDINGS)})."
        hint = "Use COCO JSON, a csv table or MOTChallenge text, or a function that returns the boxes."
        raise DiagnosticsError.of("data-unreadable", text, where=where, hint=hint)
    return reader


def _named(answers: _Read, truth: _Read, numbers: Mapping[int, str], *, second: str) -> RawBoxes:
    """Answers whose images and classes are those of the truth: numbers of COCO stand for names."""
    boxes = answers.boxes
    if boxes.labels.dtype.kind in "iu":
        known = numbers or {number: str(number) for number in np.unique(boxes.labels).tolist()}
        strange = np.flatnonzero(~np.isin(boxes.labels, [*known]))
        if strange.size:
            row = int(strange[0])
            there = listed([*map(str, known)], 10)
            text = f"class {int(boxes.labels[row])} is none of the categories {there} ({strange.size} such answers)."
            hint = "List its category in the truth, or name the classes of the component under classes:."
            raise DiagnosticsError.of(CODE, text, where=boxes.place(row), hint=hint)
        boxes = replace(boxes, labels=np.array([known[label] for label in boxes.labels.tolist()], dtype=str))
    only = {*truth.boxes.labels.tolist()} == {NO_LABEL} or {*boxes.labels.tolist()} == {NO_LABEL}
    if only:
        # One of both sides has no classes: there is one.
        single = next((name for name in truth.boxes.labels.tolist()), NO_LABEL)
        if {*truth.boxes.labels.tolist()} <= {single}:
            boxes = replace(boxes, labels=np.full(len(boxes.labels), single))
    return boxes


# COCO.


def _coco(place: Path, where: str, wanted: _Wanted, real: bool) -> _Read:
    with _unreadable(where):
        content = json.loads(place.read_bytes(), undefined=True)
    if real:
        return _coco_truth(content, where, wanted)
    if isinstance(content, Mapping):
        content = content.get("annotations")
    if not isinstance(content, list):
        raise _no_coco("results must be a list, each with image_id, category_id, score and bbox or segmentation", where)
    return _Read([], _coco_boxes(content, f"{where}", where, wanted, scored=True), {}, {})


def _coco_truth(content: Any, where: str, wanted: _Wanted) -> _Read:
    needed = ("images", "annotations", "categories")
    lacking = [key for key in needed if not isinstance(content, Mapping) or key not in content]
    if lacking:
        found = f"it has {listed(content, 10)}" if isinstance(content, Mapping) and content else "it is another thing"
        raise _no_coco(f"the truth has no {lacking[0]}, and {found}", where)
    images, said, categories = (content[key] for key in needed)
    _each(images, ("id",), f"{where}.images")
    _each(categories, ("id", "name"), f"{where}.categories")
    names = [str(image["id"]) for image in images]
    ids = _numbers(categories, "id", f"{where}.categories", whole=True).astype(int).tolist()
    numbers = {number: str(each["name"]) for number, each in zip(ids, categories, strict=True)}
    if len(numbers) < len(ids):
        twice = next(number for number in ids if ids.count(number) > 1)
        raise DiagnosticsError.of(CODE, f"the category {twice} is there twice.", where=f"{where}.categories")
    if len(set(numbers.values())) < len(numbers):
        numbers = {number: str(number) for number in numbers}
    sizes = np.column_stack([_numbers(images, side, f"{where}.images", np.nan) for side in ("width", "height")])
    flat = np.argwhere(sizes <= 0)
    if flat.size:
        row, side = flat[0]
        text = f"{('width', 'height')[side]} {sizes[row, side]:g} is no number of pixels."
        raise DiagnosticsError.of(CODE, text, where=f"{where}.images[{row}]")
    sequence = wanted.sequence or ("video_id" if images and all("video_id" in image for image in images) else None)
    time = wanted.time or ("frame_id" if images and all("frame_id" in image for image in images) else None)
    times = None if time is None else _numbers(_with(images, time, where), time, f"{where}.images")
    sized = dict(zip(names, sizes.tolist(), strict=True))
    return _Read(
        names,
        _coco_boxes(said, f"{where}.annotations", where, replace(wanted, sizes=sized), scored=False, names=numbers),
        numbers,
        {name: _of_images(images, name, where) for name in wanted.attributes},
        sizes,
        None if wanted.groups is None else _of_images(images, wanted.groups, where),
        None if sequence is None else _of_images(images, sequence, where),
        times if times is None or wanted.time else wanted.seconds(times),
        wanted.time is not None or wanted.frame_rate is not None,
        tuple(str(image.get("file_name", "")) for image in images),
    )


def _coco_boxes(
    rows: Any, place: str, where: str, wanted: _Wanted, *, scored: bool, names: Mapping[int, str] | None = None
) -> RawBoxes:
    shape = "segmentation" if wanted.masks else "bbox"
    _each(rows, ("image_id", "category_id", shape, *(("score",) if scored else ())), place)
    masks = _masks(rows, place, wanted.sizes) if wanted.masks else None
    corners = _corners(rows, place) if masks is None else np.array([m.corners for m in masks]).reshape(-1, 4)
    usual = sizes_of(corners) if masks is None else np.array([m.area for m in masks], dtype=float)
    numbers = _numbers(rows, "category_id", place, whole=True).astype(np.int64)
    labels: NDArray[Any] = numbers
    if names is not None:
        strange = np.flatnonzero(~np.isin(numbers, [*names]))
        if strange.size:
            text = f"category_id {numbers[strange[0]]} is none of the categories ({listed([*map(str, names)], 10)})."
            raise DiagnosticsError.of(CODE, text, where=f"{place}[{strange[0]}].category_id")
        labels = np.array([names[number] for number in numbers.tolist()], dtype=str)
    track = "track_id" if any("track_id" in row for row in rows) else "instance_id"
    return RawBoxes(
        np.array([str(row["image_id"]) for row in rows], dtype=str),
        corners,
        _numbers(rows, "score", place, None if scored else 1.0),
        labels,
        _numbers(rows, track, place, NO_FRAME, whole=True).astype(np.int64),
        _numbers(rows, "iscrowd", place, 0.0) > 0,
        _numbers(rows, "area", place, usual),
        lambda row: f"{place}[{row}].{shape}",
        where,
        masks,
    )


def _corners(rows: Sequence[Mapping[str, Any]], place: str) -> FloatArray:
    corners = np.empty((len(rows), 4))
    for number, row in enumerate(rows):
        try:
            x, y, width, height = map(float, row["bbox"])
        except (TypeError, ValueError) as error:
            text = f"bbox {quoted(str(row['bbox']), 60)} is no list of x, y, width, height."
            raise DiagnosticsError.of(CODE, text, where=f"{place}[{number}].bbox") from error
        corners[number] = x, y, x + width, y + height
    return corners


def _masks(rows: Sequence[Mapping[str, Any]], place: str, sizes: Mapping[str, Sequence[float]]) -> NDArray[Any]:
    """Masks of objects; those of images that the truth does not have are told later on, with these images."""
    found, problems = np.empty(len(rows), dtype=object), []
    for number, row in enumerate(rows):
        found[number] = RunLengths.of([[False]])
        size = sizes.get(str(row["image_id"]))
        if size is None:
            continue
        width, height = (None if np.isnan(side) else int(side) for side in size)
        try:
            found[number] = RunLengths.read(row["segmentation"], height, width)
        except ValueError as error:
            text = f"this is no mask of image {quoted(str(row['image_id']), 60)}: {error}."
            problems.append(Diagnostic(CODE_OF_MASKS, text, "error", f"{place}[{number}].segmentation"))
        if len(problems) == MOST_SHOWN:
            break
    DiagnosticsError.raise_if_any(problems)
    return found


def _numbers(
    rows: Sequence[Mapping[str, Any]], name: str, place: str, usual: Any = None, *, whole: bool = False
) -> FloatArray:
    """What stands under a key of each row, as numbers; where it is missing what is usual, an error without that."""
    found = np.broadcast_to(np.asarray(np.nan if usual is None else usual, dtype=float), len(rows)).copy()
    problems = []
    for number, row in enumerate(rows):
        value = row.get(name)
        if value is None and usual is not None:
            continue
        try:
            found[number] = float(value)  # type: ignore[arg-type]
            good = not whole or found[number].is_integer()
        except (TypeError, ValueError):
            good = False
        if not good:
            text = f"{quoted(str(value), 60)} is no {'whole ' if whole else ''}number."
            problems.append(Diagnostic("data-type", text, "error", f"{place}[{number}].{name}"))
        if len(problems) == MOST_SHOWN:
            break
    DiagnosticsError.raise_if_any(problems)
    return found


def _each(rows: Any, needed: Sequence[str], place: str) -> None:
    if not isinstance(rows, list):
        raise _no_coco("this must be a list", place)
    problems = []
    for number, row in enumerate(rows):
        lacking = [key for key in needed if not isinstance(row, Mapping) or key not in row]
        if lacking:
            problems.append(Diagnostic("data-unreadable", f"has no {lacking[0]}.", "error", f"{place}[{number}]"))
        if len(problems) == MOST_SHOWN:
            break
    DiagnosticsError.raise_if_any(problems)


def _with(images: Sequence[Mapping[str, Any]], name: str, where: str) -> Sequence[Mapping[str, Any]]:
    """The images, each of which must have a key."""
    lacking = next((number for number, image in enumerate(images) if name not in image), None)
    if lacking is not None:
        hint = did_you_mean(name, images[lacking])
        place = f"{where}.images[{lacking}]"
        raise DiagnosticsError.of("data-column", f"has no {quoted(name)}.", where=place, hint=hint)
    return images


def _of_images(images: Sequence[Mapping[str, Any]], name: str, where: str) -> NDArray[Any]:
    found = [image[name] for image in _with(images, name, where)]
    odd = next((n for n, value in enumerate(found) if isinstance(value, list | dict) or value is None), None)
    if odd is not None:
        text = f"{name} is {quoted(str(found[odd]), 60)}, and images are told apart by a number or a text."
        raise DiagnosticsError.of("data-type", text, where=f"{where}.images[{odd}].{name}")
    return np.asarray(found)


def _no_coco(why: str, where: str) -> DiagnosticsError:
    return DiagnosticsError.of("data-unreadable", f"this is no COCO file that can be read: {why}.", where=where)


@contextmanager
def _unreadable(where: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise _no_coco(str(error), where) from error
    except OSError as error:
        raise _no_coco(explained(error), where) from error


# Csv: a row a box; a row with a name and no box is an image without objects.


def _csv(place: Path, where: str, wanted: _Wanted, real: bool) -> _Read:
    columns, lines = table_cells(place, where)
    key = next((name for name in ("image", "frame") if name in columns), None)
    if key is None:
        raise DiagnosticsError.of("data-column", "there is no column image or frame.", where=f"{where}:1")
    form = CORNERS if set(CORNERS) <= set(columns) else CORNER_AND_SIZE
    _check_there(form, columns, where)
    _check_there([] if real else ["score"], columns, where)
    _check_there(wanted.names, columns, where)
    table = _Table({name: np.array(cells, dtype=str) for name, cells in columns.items()}, lines, where)
    names, first = _in_order(table.columns[key])
    empty = np.logical_and.reduce([table.columns[name] == "" for name in form])
    table_of_boxes = table.chosen(~empty)
    corners = np.column_stack([table_of_boxes.numbers(name) for name in form])
    if form is CORNER_AND_SIZE:
        corners[:, 2:] += corners[:, :2]
    boxes = RawBoxes(
        table_of_boxes.columns[key],
        corners,
        np.ones(len(corners)) if real else table_of_boxes.numbers("score"),
        table_of_boxes.columns.get("label", np.full(len(corners), NO_LABEL)),
        table_of_boxes.tracks(),
        table_of_boxes.numbers("crowd", 0.0) > 0,
        table_of_boxes.numbers("area", sizes_of(corners)),
        lambda row: f"{where}:{table_of_boxes.lines[row]}",
        where,
    )
    size = ("image_width", "image_height")
    sizes = np.column_stack([table.numbers(n, np.nan)[first] for n in size])
    time = wanted.time or ("frame" if key == "frame" else None)
    return _Read(
        names,
        boxes,
        {},
        {name: table.of_image(name, key, first) for name in wanted.attributes},
        sizes,
        None if wanted.groups is None else table.of_image(wanted.groups, key, first),
        None if wanted.sequence is None else table.of_image(wanted.sequence, key, first),
        None
        if time is None
        else table.numbers(time)[first]
        if wanted.time
        else wanted.seconds(table.numbers(time)[first]),
        wanted.time is not None or wanted.frame_rate is not None,
    )


def _check_there(names: Sequence[str], columns: Mapping[str, Any], where: str) -> None:
    DiagnosticsError.raise_if_any(
        Diagnostic(
            "data-column", f"there is no column {quoted(name)}.", "error", f"{where}:1", did_you_mean(name, columns)
        )
        for name in names
        if name not in columns
    )


def _in_order(values: NDArray[Any]) -> tuple[list[str], NDArray[np.intp]]:
    """Each value once, where it comes first."""
    _, first = np.unique(values, return_index=True)
    first = np.sort(first)
    return values[first].tolist(), first


@dataclass(frozen=True, eq=False)
class _Table:
    """Cells by column, with the line of each row."""

    columns: dict[str, NDArray[np.str_]]
    lines: NDArray[np.int64]
    where: str

    def line_of(self, row: int) -> str:
        """Where a row is written."""
        return f"{self.where}:{self.lines[row]}"

    def numbers(self, name: str, usual: Any = None) -> FloatArray:
        """A column of numbers; where it is not there what is usual."""
        if name not in self.columns and usual is not None:
            return np.broadcast_to(np.asarray(usual, dtype=float), self.lines.shape).copy()
        cells = self.columns[name]
        try:
            return cells.astype(float)
        except ValueError:
            row = next(row for row, cell in enumerate(cells.tolist()) if not _is_number(cell))
            found = f"has {quoted(cells[row], 60)}, which is no number" if cells[row] else "is empty"
            code = "data-type" if cells[row] else "data-missing-values"
            raise DiagnosticsError.of(code, f"column {quoted(name)} {found}.", where=self.line_of(row)) from None

    def tracks(self) -> NDArray[np.int64]:
        """What is the same object in several images: names become numbers."""
        if "track" not in self.columns:
            return np.full(self.lines.size, NO_FRAME)
        cells = self.columns["track"]
        numbers = np.unique(cells, return_inverse=True)[1].astype(np.int64)
        return np.where(np.isin(cells, ("", "-1")), NO_FRAME, numbers)

    def of_image(self, name: str, key: str, first: NDArray[np.intp]) -> NDArray[Any]:
        """A value of each image, on which all its rows agree."""
        values, images = self.columns[name], self.columns[key]
        which = np.unique(images, return_inverse=True)[1]
        told = np.empty(which.max() + 1, dtype=values.dtype)
        told[which[first]] = values[first]
        other = np.flatnonzero(told[which] != values)
        if other.size:
            row = int(other[0])
            text = f"column {quoted(name)} has {quoted(values[row], 60)}, unlike another row of the same image."
            raise DiagnosticsError.of(CODE, text, where=self.line_of(row), hint="An attribute belongs to the image.")
        found = values[first]
        return found.astype(float) if all(map(_is_number, found.tolist())) else found

    def chosen(self, rows: NDArray[np.bool_]) -> _Table:
        """Some of the rows."""
        return _Table({name: cells[rows] for name, cells in self.columns.items()}, self.lines[rows], self.where)


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


# MOTChallenge: no header, one row a box, frames numbered from 1.


def _mot(place: Path, where: str, wanted: _Wanted, real: bool) -> _Read:
    if wanted.names:
        raise DiagnosticsError.of(
            "data-column", f"MOTChallenge text has no column {quoted(wanted.names[0])}.", where=where
        )
    rows = _mot_rows(place, where)
    frames = rows[:, 0].astype(np.int64)
    # Detections have no tracks; the confidence of the truth says whether a box counts.
    boxes = RawBoxes(
        frames.astype(str),
        np.column_stack([rows[:, 2:4], rows[:, 2:4] + rows[:, 4:6]]),
        np.ones(len(rows)) if real else rows[:, 6],
        np.full(len(rows), NO_LABEL),
        rows[:, 1].astype(np.int64),
        rows[:, 6] == 0 if real else np.zeros(len(rows), dtype=bool),
        rows[:, 4] * rows[:, 5],
        lambda row: f"{where}:{row + 1}",
        where,
    )
    names = list(map(str, range(1, int(frames.max()) + 1)))
    times = wanted.seconds(np.arange(1, len(names) + 1, dtype=float))
    return _Read(names, boxes, {}, {}, times=times, in_seconds=wanted.frame_rate is not None)


def _mot_rows(place: Path, where: str) -> FloatArray:
    rows: list[list[float]] = []
    for line, text in enumerate(place.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        cells = text.split(",")
        if len(cells) < MOT_COLUMNS or not all(map(_is_number, cells[:MOT_COLUMNS])):
            said = f"this line is no frame, id, x, y, width, height, confidence: {quoted(text, 60)}."
            raise DiagnosticsError.of("data-unreadable", said, where=f"{where}:{line}")
        rows.append([float(cell) for cell in cells[:MOT_COLUMNS]])
        if rows[-1][0] < 1 or rows[-1][0] % 1 or rows[-1][0] > MOST_FRAMES:
            said = f"the frame {cells[0]} is no whole number from 1 to {MOST_FRAMES:,}."
            raise DiagnosticsError.of(CODE, said, where=f"{where}:{line}")
    if not rows:
        raise DiagnosticsError.of("data-empty", "the file has no rows.", where=where)
    return np.array(rows)
