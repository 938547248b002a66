"""Boxes of images, true and answered, as arrays that agree with each other; whatever does not is told box by box."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.answers import NO_ATTRIBUTES, RIGHT_OR_WRONG, Data, ReadOnlyArrays
from surefoot.adapters.array_data import Arrays, arrays_digest
from surefoot.adapters.project_code import explained
from surefoot.core import Diagnostic, DiagnosticsError, validate
from surefoot.core.canonical import FrozenMap, digest
from surefoot.core.validate import FloatArray
from surefoot.documents import did_you_mean, listed, printable, quoted, significant
from surefoot.documents.run_lengths import RunLengths

COLUMNS = ("row", "x1", "y1", "x2", "y2", "score", "label", "track", "crowd", "area")
"""Columns of boxes as rows of one array; -1 stands for no track and for the area of the box itself."""
NOTHING = (-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, -1.0)
"""Stands for no boxes at all, because an array without rows cannot be read from a file piece by piece."""
CODE, CODE_OF_MASKS = "data-boxes", "data-masks"
MOST_SHOWN = 20
NO_LABEL = "object"
Place = Callable[[int], str]


@dataclass(frozen=True, eq=False)
class Boxes(ReadOnlyArrays):
    """Boxes of all images, one a row.

    Parameters
    ----------
    images
        The number of each box's image.
    corners
        x1, y1, x2, y2.
    scores
        Of the truth 1.
    labels
        The number of each box's class.
    tracks
        What is the same object in several images; -1 where nothing is said.
    crowd
        Regions in which nothing is counted.
    areas
        Of the object, which may be smaller than its box.
    masks
        ``RunLengths`` of the objects, where these have masks.

    See Also
    --------
    Scenes

    """

    images: NDArray[np.int64]
    corners: FloatArray
    scores: FloatArray
    labels: NDArray[np.int64]
    tracks: NDArray[np.int64]
    crowd: NDArray[np.bool_]
    areas: FloatArray
    masks: NDArray[Any] | None = None

    def __len__(self) -> int:
        return len(self.images)

    def where(self, chosen: NDArray[Any]) -> Boxes:
        """Some of them."""
        parts: dict[str, Any] = {name: None if part is None else part[chosen] for name, part in vars(self).items()}
        return Boxes(**parts)


@dataclass(frozen=True, eq=False)
class Scenes(ReadOnlyArrays):
    """Images with what is in them and, where it was answered elsewhere, what was detected.

    Parameters
    ----------
    digest
        Of everything that was read.
    names
        Of the images.
    truth, answers
        Boxes; answers are None where a model is to give them.
    classes
        Names of the classes.
    numbers
        The class that a number stands for where labels are numbers, as in COCO.
    sizes
        Width and height of each image; NaN where nobody says.
    groups, attributes
        Of each image.
    sequences, times
        The film of each image, and where in it the image stands.
    in_seconds
        Whether the times are seconds, and not numbers of frames.
    inputs
        What a model gets, where it is in memory.
    files
        Files of the images, as the truth names them.

    See Also
    --------
    load_scenes, scenes_from

    """

    digest: str
    names: NDArray[np.str_]
    truth: Boxes
    answers: Boxes | None
    classes: tuple[str, ...]
    numbers: Mapping[int, str]
    sizes: FloatArray
    groups: NDArray[Any] | None = None
    attributes: Mapping[str, NDArray[Any]] = NO_ATTRIBUTES
    sequences: NDArray[Any] | None = None
    times: FloatArray | None = None
    in_seconds: bool = True
    inputs: Any = None
    files: tuple[str, ...] = ()
    where: str = "data"

    def __len__(self) -> int:
        return len(self.names)

    def rows(self, inputs: Any = None) -> Data:
        """The images as rows, without what is judged."""
        return image_rows(self, inputs)

    def mappings(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Truth and answers with a mapping an image, as metrics take them; classes are numbers."""
        return self._by_image(self.truth), self._by_image(self.answers) if self.answers is not None else []

    def _by_image(self, boxes: Boxes) -> list[dict[str, Any]]:
        order = np.argsort(boxes.images, kind="stable")
        ends = np.searchsorted(boxes.images[order], np.arange(len(self) + 1))
        parts = [order[a:b] for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
        names: dict[str, NDArray[Any]] = {"boxes": boxes.corners, "labels": boxes.labels, "scores": boxes.scores}
        names |= {"crowd": boxes.crowd, "area": boxes.areas}
        names |= {} if boxes.masks is None else {"masks": boxes.masks}
        return [{name: column[part] for name, column in names.items()} for part in parts]

    def answered(self, rows: NDArray[np.float64], *, listed_classes: Sequence[str] = (), where: str) -> Scenes:
        """With what a model answered: an array with the columns of ``COLUMNS``."""
        numbers = dict(enumerate(listed_classes)) if listed_classes else self.numbers
        raw = RawBoxes.of_rows(rows, where, numbers, "model-output")
        return replace(self, answers=checked(raw, self, code="model-output"))


def image_rows(images: Any, inputs: Any = None) -> Data:
    """Images as rows, without what is judged; with other inputs where they are given."""
    return Data(
        images.digest,
        images.inputs if inputs is None else inputs,
        np.zeros(len(images), dtype=np.int64),
        classes=RIGHT_OR_WRONG,
        groups=images.groups,
        attributes=images.attributes,
    )


@dataclass(frozen=True, eq=False)
class RawBoxes:
    """Boxes as they were read, before anything is known to agree."""

    images: NDArray[Any]
    """The image of each box: its name, or its number."""
    corners: FloatArray
    scores: FloatArray
    labels: NDArray[Any]
    """Names of classes."""
    tracks: NDArray[np.int64]
    crowd: NDArray[np.bool_]
    areas: FloatArray
    place: Place
    """Where a box is written, for messages."""
    where: str = "data"
    masks: NDArray[Any] | None = None
    """``RunLengths`` of the objects."""

    @classmethod
    def of_rows(cls, rows: NDArray[np.float64], where: str, numbers: Mapping[int, str], code: str = CODE) -> RawBoxes:
        """From an array with the columns of ``COLUMNS``; labels are numbers."""
        kept = rows[rows[:, 0] >= 0]
        labels = kept[:, 6].astype(np.int64)
        unknown = np.flatnonzero(~np.isin(labels, [*numbers])) if numbers else np.array([], dtype=int)
        if unknown.size:
            row = int(unknown[0])
            text = f"image {int(kept[row, 0])}: label {labels[row]} is none of {listed([*map(str, numbers)], 10)}."
            hint = "List the classes of the component under classes:, in the order of its labels."
            raise DiagnosticsError.of(code, text, where=where, hint=hint)
        names = np.array([numbers.get(label, str(label)) for label in labels.tolist()], dtype=str)
        return cls(
            kept[:, 0].astype(np.int64),
            kept[:, 1:5],
            kept[:, 5],
            names,
            kept[:, 7].astype(np.int64),
            kept[:, 8] > 0,
            np.where(kept[:, 9] < 0, sizes_of(kept[:, 1:5]), kept[:, 9]),
            lambda row: f"box {row} (image {int(kept[row, 0])})",
            where,
        )


def sizes_of(corners: FloatArray) -> FloatArray:
    """Areas of boxes."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray((corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1]))


def put_together(
    names: Sequence[str],
    truth: RawBoxes,
    answers: RawBoxes | None,
    *,
    classes: Sequence[str] = (),
    numbers: Mapping[int, str] | None = None,
    sizes: FloatArray | None = None,
    **more: Any,
) -> Scenes:
    """Scenes whose boxes belong to their images and classes; all that does not fit is told at once.

    Images of raw boxes are names, or numbers where they count the images.
    """
    places: dict[str, int] = {}
    for row, name in enumerate(names):
        if places.setdefault(name, row) != row:
            text = f"the image {quoted(name)} is there twice (images {places[name]} and {row})."
            raise DiagnosticsError.of(CODE, text, where=truth.where, hint="Give each image a name of its own.")
    if not len(names):
        raise DiagnosticsError.of("data-empty", "there are no images.", where=truth.where)
    found = dict.fromkeys([*classes] or sorted({*truth.labels.tolist(), *(answers.labels.tolist() if answers else ())}))
    none, no_number, no_mark = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0, dtype=bool)
    empty = Boxes(none, np.empty((0, 4)), no_number, none, none, no_mark, no_number)
    scenes = Scenes(
        names=np.asarray(names, dtype=str),
        truth=empty,
        answers=None,
        classes=tuple(map(str, found)),
        numbers=dict(numbers or {}),
        sizes=np.full((len(names), 2), np.nan) if sizes is None else sizes,
        where=truth.where,
        **more,
    )
    problems: list[Diagnostic] = []
    parts = [_checked(raw, scenes, CODE, problems, real) for raw, real in ((truth, True), (answers, False)) if raw]
    DiagnosticsError.raise_if_any(problems)
    return replace(scenes, truth=parts[0], answers=parts[1] if answers else None)


def checked(raw: RawBoxes, scenes: Scenes, *, code: str = CODE) -> Boxes:
    """Answered boxes that fit the images; one error tells all that do not."""
    problems: list[Diagnostic] = []
    found = _checked(raw, scenes, code, problems, real=False)
    DiagnosticsError.raise_if_any(problems)
    return found


def _checked(raw: RawBoxes, scenes: Scenes, code: str, problems: list[Diagnostic], real: bool) -> Boxes:
    images, unknown = _positions(raw.images, scenes.names)
    labels, strange = _positions(raw.labels, np.asarray(scenes.classes, dtype=str))
    finite = np.isfinite(raw.corners).all(axis=1) & np.isfinite(raw.scores) & np.isfinite(raw.areas)
    wide, high = raw.corners[:, 2] - raw.corners[:, 0], raw.corners[:, 3] - raw.corners[:, 1]
    seen = np.where(np.isnan(scenes.sizes[images]), np.inf, scenes.sizes[images]) if len(scenes) else np.empty((0, 2))
    outside = (raw.corners[:, :2] >= seen).any(axis=1) | (raw.corners[:, 2:] <= 0).any(axis=1)
    known = np.isfinite(scenes.sizes[images]).all(axis=1) & (raw.masks is None)
    near = did_you_mean(str(raw.images[unknown.argmax()]), scenes.names.tolist()[:300]) if unknown.any() else ""
    kinds: list[tuple[NDArray[np.bool_], Callable[[int], str], str]] = [
        (~finite, lambda row: "a coordinate, score or area is NaN or infinite", "Remove or repair the box."),
        (
            finite & ((wide < 0) | (high < 0)),
            lambda row: f"the box has a negative {'width' if wide[row] < 0 else 'height'} ({_corners(raw, row)})",
            "Give x1, y1, x2, y2, or x, y, width, height with names of columns that say so.",
        ),
        (
            finite & (wide >= 0) & (high >= 0) & (raw.areas < 0),
            lambda row: f"the area {significant(raw.areas[row])} is negative",
            "Give the area in pixels, or leave it out.",
        ),
        (
            finite & real & ~unknown & ((wide == 0) | (high == 0)),
            lambda row: (
                "the true mask has no pixel, so that nothing can find it"
                if raw.masks is not None
                else f"the true box has no area ({_corners(raw, row)}), so that nothing can find it"
            ),
            "Remove the object or repair it.",
        ),
        (
            unknown,
            lambda row: f"image {quoted(str(raw.images[row]), 60)} is none of the {len(scenes)} images of the truth",
            near or "An image without objects is listed too: in csv a row with its name and no box.",
        ),
        (
            strange,
            lambda row: f"class {quoted(str(raw.labels[row]), 60)} is none of {listed(scenes.classes, 10)}",
            "List all classes of the component under classes:.",
        ),
        (
            finite & known & outside & ~unknown & (wide >= 0) & (high >= 0),
            lambda row: f"the box ({_corners(raw, row)}) lies outside its image of {_size(scenes, images[row])}",
            "Coordinates are pixels from the upper left corner of the image; scale them back if images were scaled.",
        ),
    ]
    for bad, text, hint in kinds:
        problems += _told(np.flatnonzero(bad), text, hint, raw, code)
    return Boxes(images, raw.corners, raw.scores, labels, raw.tracks, raw.crowd, raw.areas, raw.masks)


def _told(
    rows: NDArray[np.intp], text: Callable[[int], str], hint: str, raw: RawBoxes, code: str
) -> Iterator[Diagnostic]:
    for row in rows[:MOST_SHOWN].tolist():
        yield Diagnostic(code, f"{text(row)}.", "error", raw.place(row), hint)
    if rows.size > MOST_SHOWN:
        yield Diagnostic(code, f"there are {rows.size - MOST_SHOWN} more such boxes.", "error", raw.where, hint)


def _positions(values: NDArray[Any], known: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each value stands among the known ones, and which of them are not there."""
    if values.dtype.kind in "iu":
        bad = (values < 0) | (values >= len(known))
        return np.where(bad, 0, values).astype(np.int64), bad
    order = np.argsort(known, kind="stable")
    place = np.searchsorted(known[order], values)
    found = order[np.minimum(place, len(known) - 1)]
    bad = known[found] != values
    return np.where(bad, 0, found).astype(np.int64), np.asarray(bad)


def _corners(raw: RawBoxes, row: int) -> str:
    return ", ".join(map(significant, raw.corners[row].tolist()))


def _size(scenes: Scenes, image: int) -> str:
    width, height = scenes.sizes[image]
    return f"{width:g} x {height:g} pixels"


# From memory, and from models: mappings, objects as MAITE has them, or (boxes, scores, labels).


def scenes_from(
    given: Mapping[str, Any],
    *,
    digest: str,
    classes: Sequence[str] = (),
    attributes: Collection[str] = (),
    groups: str | None = None,
    masks: bool = False,
    where: str = "data",
) -> Scenes:
    """Scenes from what is in memory: boxes of each image as mappings, or as arrays with a row a box.

    Parameters
    ----------
    given
        ``labels`` and ``predictions``, each with boxes of every image; ``inputs``, ``images`` (their names),
        ``sequence``, ``time``, groups and attributes, each with a value an image.
    digest
        Of all that.
    classes
        Names of the classes, in the order of the numbers that labels are; without them the numbers name them.
    attributes, groups
        Names of the further parts that play these roles.
    masks
        Whether objects have masks: arrays of an image (objects x height x width), or size and counts of COCO.
    where
        What messages call it.

    Returns
    -------
    Scenes
        Checked.

    Examples
    --------
    >>> import surefoot as sf
    >>> truth = [{"boxes": [[0, 0, 4, 4]], "labels": [0]}, {"boxes": []}]
    >>> scenes = sf.adapters.scenes.scenes_from({"labels": truth}, digest="", classes=["person"])
    >>> len(scenes), scenes.truth.corners.tolist(), scenes.classes
    (2, [[0.0, 0.0, 4.0, 4.0]], ('person',))

    """
    if given.get("labels") is None:
        text = "there are no boxes of the truth."
        hint = "Give labels: for each image a mapping with boxes and labels."
        raise DiagnosticsError.of("data-column", text, where=where, hint=hint)
    count = _images_in(given, where)
    regions = _masks_of(given, where) if masks else {}
    given = {**given, **{part: [scene for scene, _ in each] for part, each in regions.items()}}
    real, found = (_rows_of(given.get(part), part) for part in ("labels", "predictions"))
    assert real is not None
    every = [rows for rows in (real, found) if rows is not None]
    said = {int(label) for rows in every for label in rows[rows[:, 0] >= 0, 6].tolist()}
    numbers = dict(enumerate(classes)) if classes else {number: str(number) for number in sorted(said)}
    names = given.get("images")
    inputs = given.get("inputs")
    raw = [
        RawBoxes.of_rows(rows, f"{where}.{part}", numbers)
        for rows, part in zip(every, ("labels", "predictions"), strict=False)
    ]
    if masks:
        raw = [
            replace(side, masks=_as_objects(mask for _, each in regions[part] for mask in each))
            for side, part in zip(raw, regions, strict=True)
        ]
    return put_together(
        list(map(str, range(count) if names is None else names)),
        raw[0],
        raw[1] if found is not None else None,
        classes=[*numbers.values()],
        numbers=numbers,
        sizes=_sizes_of_inputs(inputs, count),
        digest=digest,
        inputs=None if inputs is None else _as_inputs(inputs),
        groups=None if groups is None else np.asarray(given[groups]),
        attributes=FrozenMap({name: np.asarray(given[name]) for name in attributes}),
        sequences=None if given.get("sequence") is None else np.asarray(given["sequence"]),
        times=None if given.get("time") is None else np.asarray(given["time"], dtype=float),
    )


def _masks_of(given: Mapping[str, Any], where: str) -> dict[str, list[tuple[dict[str, Any], list[RunLengths]]]]:
    """Of the truth and the answers each image, with the boxes around its masks, and these masks."""
    found: dict[str, list[tuple[dict[str, Any], list[RunLengths]]]] = {}
    sizes: dict[int, tuple[int, int]] = {}
    problems: list[Diagnostic] = []
    for part in ("labels", "predictions"):
        if given.get(part) is None:
            continue
        if _is_rows(given[part]):
            text = "code of the project brings boxes, and no masks of objects."
            raise DiagnosticsError.of(CODE_OF_MASKS, text, where=where, hint="Write them as COCO JSON.")
        found[part] = []
        for row, scene in enumerate(given[part]):
            kept: list[RunLengths] = []
            masks = _masks_in(scene)
            for number, mask in enumerate(masks):
                try:
                    size = sizes.get(row)
                    each = RunLengths.read(mask, *(size or ())) if isinstance(mask, Mapping) else RunLengths.of(mask)
                    if size is not None and size != (each.height, each.width):
                        raise ValueError(
                            f"it has {each.height} x {each.width} pixels, another one {size[0]} x {size[1]}"
                        )
                    sizes[row] = each.height, each.width
                    kept.append(each)
                except ValueError as error:
                    text = f"image {row}: mask {number} is none: {error}."
                    problems.append(Diagnostic(CODE_OF_MASKS, text, "error", f"{where}.{part}"))
            if not len(masks) and len(_part(scene, "boxes", 0) if _part(scene, "boxes", 0) is not None else ()):
                text = f"image {row} has boxes and no masks."
                problems.append(Diagnostic(CODE_OF_MASKS, text, "error", f"{where}.{part}", MASKS_NEEDED))
            names = ("scores", "labels", *FURTHER, "iscrowd")
            said = {name: value for name in names if (value := _part(scene, name, len(COLUMNS))) is not None}
            areas = {"area": [each.area for each in kept]} if part == "predictions" or "area" not in said else {}
            found[part].append(({**said, **areas, "boxes": [each.corners for each in kept]}, kept))
    DiagnosticsError.raise_if_any(problems[:MOST_SHOWN])
    return found


MASKS_NEEDED = "Give masks: an array of objects x height x width, or for each size and counts of COCO."


def _masks_in(scene: Any) -> Any:
    """Masks of an image; of torchvision's the one channel that they have."""
    said = _part(scene, "masks", len(COLUMNS))
    if said is None:
        return ()
    return said[:, 0] if isinstance(said, np.ndarray) and said.ndim == 4 and said.shape[1] == 1 else said


def _as_objects(masks: Iterable[RunLengths]) -> NDArray[Any]:
    every = list(masks)
    found = np.empty(len(every), dtype=object)
    found[:] = every
    return found


def as_plain_arrays(given: Arrays) -> Arrays:
    """Arrays in which boxes of images, given as mappings, have a row each, so that files can hold them.

    Parameters
    ----------
    given
        What code made.

    Returns
    -------
    Arrays
        The same where there are no boxes.

    """
    plain = {
        name: as_box_rows(value, where=name, code=CODE) if _is_boxes(value) else value
        for name, value in given.arrays.items()
    }
    return Arrays(plain, given.where)


def _is_boxes(value: Any) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    return all(isinstance(each, Mapping) or hasattr(each, "boxes") for each in value)


def memory_digest(given: Mapping[str, Any], *, masks: bool = False) -> str:
    """SHA-256 of what is in memory: boxes or masks, pictures and columns."""
    plain: dict[str, Any] = {}
    for name, value in given.items():
        if name in ("labels", "predictions"):
            scenes = _masks_of({name: value}, "data").get(name) if masks else None
            if scenes is not None:
                plain[f"masks of {name}"] = np.array([digest([m.digest() for m in each]) for _, each in scenes])
            plain[name] = _rows_of(value if scenes is None else [scene for scene, _ in scenes], name)
        elif name == "inputs" and value is not None:
            pictures = _as_inputs(value)
            several = pictures.dtype == object
            plain |= dict(zip(map(str, range(len(pictures))), pictures, strict=True)) if several else {name: pictures}
        elif value is not None:
            plain[name] = np.asarray(value)
    return arrays_digest(Arrays({name: value for name, value in plain.items() if value is not None}, "data"))


def _images_in(given: Mapping[str, Any], where: str) -> int:
    """How many images there are: boxes in a list have one entry an image, boxes in an array do not tell."""
    single = ("inputs", "images", "sequence", "time", "labels", "predictions")
    sizes = {name: len(given[name]) for name in single if given.get(name) is not None and not _is_rows(given[name])}
    sizes |= {name: len(value) for name, value in given.items() if name not in single and np.ndim(value) == 1}
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{printable(name)} has {size}" for name, size in sizes.items())
        text = f"images are counted differently: {found}."
        raise DiagnosticsError.of("data-type", text, where=where, hint="Give one entry for each image.")
    if sizes:
        return next(iter(sizes.values()))
    rows = np.asarray(given["labels"])
    return int(rows[:, 0].max(initial=-1)) + 1


def _is_rows(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == len(COLUMNS)


def _rows_of(value: Any, part: str) -> NDArray[np.float64] | None:
    return None if value is None else value if _is_rows(value) else as_box_rows(list(value), where=part, code=CODE)


def _as_inputs(inputs: Any) -> NDArray[Any]:
    """Images of one size as one array, others as an array of arrays."""
    pictures = [np.asarray(_plain(each)) for each in inputs]
    if len({each.shape for each in pictures}) == 1:
        return np.stack(pictures)
    several = np.empty(len(pictures), dtype=object)
    several[:] = pictures
    return several


def _sizes_of_inputs(inputs: Any, count: int) -> FloatArray | None:
    """Width and height of pictures, channels first or last; NaN for what is no picture."""
    if inputs is None:
        return None
    sizes = np.full((count, 2), np.nan)
    for row, each in enumerate(inputs):
        shape = np.shape(_plain(each))
        if len(shape) == 2:
            sizes[row] = shape[1], shape[0]
        elif len(shape) == 3:
            sizes[row] = (shape[2], shape[1]) if shape[0] in (1, 3, 4) else (shape[1], shape[0])
    return sizes


@validate.arguments
def as_box_rows(answered: Iterable[Any], *, where: str, code: str = "model-output") -> NDArray[np.float64]:
    """Boxes of many images as one array with the columns of ``COLUMNS``.

    Parameters
    ----------
    answered
        For each image boxes as corners, with scores and labels: a mapping or an object with these parts, or a tuple of
        them. The truth has no scores, and may have ``track``, ``crowd`` and ``area``; labels may be left out where
        there is one class.
    where, code
        What messages call it, and their code.

    Returns
    -------
    ndarray
        One row a box; one row that stands for none where there are no boxes.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.adapters.as_box_rows([{"boxes": [[0, 0, 2, 2]], "scores": [0.9], "labels": [3]}, {"boxes": []}],
    ...                         where="model")[:, :7].tolist()
    [[0.0, 0.0, 0.0, 2.0, 2.0, 0.9, 3.0]]

    """
    parts = [_of_image(row, each, where, code) for row, each in enumerate(answered)]
    found = np.concatenate(parts) if parts else np.empty((0, len(COLUMNS)))
    return found if len(found) else np.array([NOTHING])


def _of_image(row: int, answer: Any, where: str, code: str) -> NDArray[np.float64]:
    boxes, scores, labels = (_part(answer, name, place) for place, name in enumerate(("boxes", "scores", "labels")))
    try:
        corners = np.asarray([] if boxes is None else boxes, dtype=float).reshape(-1, 4)
        certain = np.ones(len(corners)) if scores is None else np.asarray(scores, dtype=float)
        kinds = np.zeros(len(corners)) if labels is None else np.asarray(labels, dtype=float)
        if certain.ndim == 2:
            # MAITE: a column of scores for each class.
            kinds, certain = certain.argmax(axis=1).astype(float), certain.max(axis=1)
        more = [_further(answer, name, len(corners), usual) for name, usual in FURTHER.items()]
        return np.column_stack([np.full(len(corners), float(row)), corners, certain, kinds, *more])
    except (TypeError, ValueError) as error:
        text = f"image {row} has no boxes (x1, y1, x2, y2) with a score and a label each: {explained(error)}."
        hint = "Give a mapping with boxes, scores and labels (whole numbers) for each image."
        raise DiagnosticsError.of(code, text, where=where, hint=hint) from error


FURTHER = {"track": -1.0, "crowd": 0.0, "area": -1.0}


def _further(answer: Any, name: str, count: int, usual: float) -> NDArray[np.float64]:
    given = _part(answer, name, len(COLUMNS))
    if given is None and name == "crowd":
        given = _part(answer, "iscrowd", len(COLUMNS))
    return np.full(count, usual) if given is None else np.asarray(given, dtype=float)


def _part(answer: Any, name: str, place: int) -> Any:
    if isinstance(answer, Mapping):
        found = answer.get(name)
    elif isinstance(answer, tuple | list) and not hasattr(answer, name):
        found = answer[place] if len(answer) > place else None
    else:
        found = getattr(answer, name, None)
    return _plain(found)


def _plain(value: Any) -> Any:
    return value.detach().cpu().numpy() if value is not None and hasattr(value, "detach") else value
