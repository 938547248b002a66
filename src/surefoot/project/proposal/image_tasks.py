"""Projects of detectors and segmentations, proposed from files of boxes, masks and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from surefoot.adapters import Scored, describe_isolated, score_isolated
from surefoot.adapters.array_data import IMAGE_ENDINGS, NpzFile
from surefoot.adapters.project_code import visible_files
from surefoot.adapters.scenes import load_scenes, pictures_of
from surefoot.adapters.scenes.boxes import NO_LABEL
from surefoot.adapters.scenes.masks import MASK_ENDINGS
from surefoot.adapters.scenes.pictures import by_title
from surefoot.core import DiagnosticsError
from surefoot.documents import counted, csv, json, listed, quoted
from surefoot.project.components import TIME_LIMIT, answers_form, model_arguments, read_rows
from surefoot.project.definition import ModelSource
from surefoot.project.project import from_data
from surefoot.project.proposal.columns import ANSWERS, INPUTS, LABELS, NO_GUESS
from surefoot.project.proposal.commented import TEST, Draft, definition_of
from surefoot.project.tasks import DETECTION, SEGMENTATION

COCO_KEYS = ("images", "annotations", "categories")
CORNERS, SIZES = {"x1", "y1", "x2", "y2"}, {"x", "y", "width", "height"}
MOT_COLUMNS = 7
MASK_SIDES = 2
TRIED = 3
"""Pictures that the model looks at."""
OF_ONE_SIDE = 2.0
"""Boxes no larger than so many pixels are shares of the picture."""


@dataclass(frozen=True)
class Given:
    """What somebody said beside model and data, with places as the project file names them."""

    where: str
    images: str | None = None
    predictions: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    detector: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ImageTask:
    """What a truth about images asks for."""

    task: str
    objects: bool
    """Whether it lists objects, and not class numbers of pixels."""


def image_task(place: Mapping[str, Any], home: Path, *, given: bool, answers: tuple[str, ...] = ()) -> ImageTask | None:
    """Whether the truth is boxes or masks; ``given`` says that pictures or answers lie beside a folder.

    COCO has boxes and masks of the same objects: which of them is judged, the answers say.
    """
    if "path" not in place:
        return None
    path = home / place["path"]
    if path.is_dir():
        files = [file for file in visible_files(path) if file.suffix.lower() in MASK_ENDINGS]
        return ImageTask(SEGMENTATION, False) if files and (given or all(f.parent == path for f in files)) else None
    suffix = path.suffix.lower()
    if suffix == ".npz":
        return ImageTask(SEGMENTATION, False) if _arrays_of_masks(path) else None
    found = {".json": _is_coco, ".csv": _is_table, ".txt": _is_mot}.get(suffix)
    if found is None or not found(path):
        return None
    masks = suffix == ".json" and len(answers) == 1 and _has_masks(path) and _has_masks(home / answers[0])
    return ImageTask(SEGMENTATION if masks else DETECTION, True)


def _content(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes(), undefined=True)
    except ValueError as error:
        text = f"this is no JSON that can be read: {error}."
        raise DiagnosticsError.of("data-unreadable", text, where=path.name) from error


def _is_coco(path: Path) -> bool:
    content = _content(path)
    return isinstance(content, Mapping) and set(COCO_KEYS) <= set(content)


def _has_masks(path: Path) -> bool:
    """Whether every object of a file of COCO, truth or results, has a mask."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    content = _content(path)
    rows = content.get("annotations") if isinstance(content, Mapping) else content
    if not isinstance(rows, list) or not rows:
        return False
    return all(isinstance(row, Mapping) and bool(row.get("segmentation")) for row in rows)


def _is_table(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as stream:
        names = set(csv.row(stream.readline().lstrip("\ufeff")))
    return bool(names & {"image", "frame"}) and (names >= CORNERS or names >= SIZES)


def _is_mot(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as stream:
        cells = stream.readline().split(",")
    try:
        return len([float(cell) for cell in cells[:MOT_COLUMNS]]) == MOT_COLUMNS
    except ValueError:
        return False


def _arrays_of_masks(path: Path) -> dict[str, str]:
    """Arrays of one mask an image: the truth, and answers or inputs by their usual names."""
    file = NpzFile(path, path.name)
    arrays = {name: np.asarray(array) for name, array in file.read(file.names).items()}
    real = next((n for n in LABELS if n in arrays and arrays[n].ndim == MASK_SIDES + 1), None)
    if real is None or arrays[real].dtype.kind not in "bui":
        return {}
    answered = next((n for n in ANSWERS if n in arrays and arrays[n].shape == arrays[real].shape), None)
    inputs = next((n for n in INPUTS if n in arrays), None)
    found = {"labels": real, "predictions": answered, "inputs": inputs}
    return {part: name for part, name in found.items() if name is not None}


# Objects with boxes or masks.


def take_objects(draft: Draft, given: Given) -> None:
    """Truth in a file of boxes or masks; answers in another one, or a detector that looks at pictures."""
    folder, path = draft.folder, draft.data["path"]
    masks = draft.task == SEGMENTATION
    why = "objects and answers have masks each: segmentation" if masks else "the file holds boxes of images"
    draft.guess("task", draft.task, why)
    if not masks and path.lower().endswith(".json") and _has_masks(folder / path):
        draft.remarks.append(
            "The truth has masks of objects too. Answers with segmentation make this a task: segmentation, in which "
            "masks must overlap; models are asked for boxes only."
        )
    if not draft.model:
        draft.data["predictions"] = _answers(given, "a file of boxes: COCO results, csv or MOTChallenge text")
    draft.classes = given.classes
    answered = draft.data.get("predictions")
    said: dict[str, Any] = {"classes": given.classes, "masks": masks, "folder": folder, "digest": ""}
    truth = load_scenes(path=path, predictions=answered, **said)
    draft.rows, draft.tracked = len(truth), bool((truth.truth.tracks >= 0).any())
    objects = int((~truth.truth.crowd).sum())
    named = truth.classes if truth.classes != (NO_LABEL,) else ()
    of = f" of {'classes' if len(named) > 1 else 'class'} {listed(named)}" if named else ""
    draft.found.append(f"{given.where}: {draft.rows:,} images, {objects:,} objects{of}")
    if truth.times is not None:
        draft.remarks.append(
            "Images follow each other in time, and neighbours resemble each other. Write block: beside path:, the most "
            "images that can fail together; without it no bound counts for the target."
        )
    if truth.answers is not None:
        things = "masks" if masks else "boxes"
        draft.found.append(f"{Path(given.predictions[0]).name}: {len(truth.answers):,} answered {things}")
        return
    if not named and not given.classes:
        text = "the truth names no classes, and the numbers that a detector answers are places among them."
        hint = "Name them with --classes, in the order of the detector, such as --classes person,car."
        raise DiagnosticsError.of(NO_GUESS, text, where=given.where, hint=hint)
    draft.data["images"] = _pictures(draft, given, truth.names.tolist(), truth.files)
    if str(draft.model.get("path", "")).lower().endswith(".onnx"):
        _take_outputs(draft, given)


def _answers(given: Given, what: str) -> str:
    if len(given.predictions) == 1:
        return given.predictions[0]
    text = "there is no model, and nothing says where its answers are."
    hint = f"Give --model with --images, or --predictions with {what}."
    raise DiagnosticsError.of(NO_GUESS, text, where=given.where, hint=hint)


def _pictures(draft: Draft, given: Given, names: list[str], files: tuple[str, ...]) -> str:
    """The pictures that were named, or a folder beside the truth that has all of them."""
    if given.images is not None:
        pictures_of(given.images, names, files, folder=draft.folder)
        return given.images
    truth = draft.folder / draft.data["path"]
    wanted = [file or name for file, name in zip(files or [""] * len(names), names, strict=True)]
    beside = [place for place in (truth.parent, *sorted(truth.parent.iterdir())) if place.is_dir() and place != truth]
    fitting = [place for place in beside if _has_pictures(place, wanted)]
    if len(fitting) == 1:
        found = Path(draft.data["path"]).parent / fitting[0].relative_to(truth.parent)
        draft.guess("images", found.as_posix(), "the only folder with a picture of every image of the truth")
        return found.as_posix()
    text = "nothing says which pictures the model looks at."
    several = f" {listed([place.name for place in fitting])} have all of them." if fitting else ""
    hint = f"Give --images: the folder of pictures, named as the truth names them, or the film.{several}"
    raise DiagnosticsError.of(NO_GUESS, text, where=given.where, hint=hint)


def _has_pictures(place: Path, wanted: list[str]) -> bool:
    return set(wanted) <= by_title(path for path in place.iterdir() if path.suffix.lower() in IMAGE_ENDINGS).keys()


def _take_outputs(draft: Draft, given: Given) -> None:
    """What comes out of an ONNX detector, as somebody said or as its outputs are called."""
    if given.detector is not None:
        draft.model["detector"] = dict(given.detector)
        return
    name = Path(draft.model["path"]).name
    # A detector of which nothing is said opens where its outputs are plainly called boxes and scores.
    asked = {"path": draft.model["path"], "detector": {}}
    try:
        outputs = describe_isolated(asked, folder=draft.folder, time_limit=TIME_LIMIT).outputs
    except DiagnosticsError as error:
        text = error.diagnostics[0].text
        hint = (
            "Say what comes out, as under detector: of the project file: "
            "--detector '{boxes: NAME, scores: NAME, labels: NAME}', or "
            "--detector '{decode: module:name}' with a function that makes boxes of the outputs (docs/tasks.md)."
        )
        raise DiagnosticsError.of(NO_GUESS, text, where=name, hint=hint) from error
    draft.model["detector"] = dict(outputs)
    draft.guess(
        "detector", draft.model["detector"], "outputs of these names; boxes as corners in pixels, colours RGB over 255"
    )
    draft.remarks.append(
        "What the four numbers of a box are (form, unit), and what becomes of colours before (colours, divide, "
        "subtract), is guessed: a wrong one looks like a bad detector. Compare some boxes with their pictures."
    )


# Masks.


def take_masks(draft: Draft, given: Given) -> None:
    """Truth in a folder of masks or in arrays; answers in another one, or a model that looks at pictures."""
    path = draft.folder / draft.data["path"]
    draft.classes = given.classes
    if path.is_dir():
        draft.guess("task", SEGMENTATION, "a folder of masks: one file for each, with the number of a class a pixel")
        names = [f.relative_to(path).with_suffix("").as_posix() for f in visible_files(path)]
        if draft.model:
            draft.data["images"] = _pictures(draft, given, names, ())
        else:
            draft.data["predictions"] = _answers(given, "a folder of masks of the same names")
    else:
        found = _arrays_of_masks(path)
        draft.guess("task", SEGMENTATION, f"array {quoted(found['labels'])} holds a whole number for each pixel")
        draft.data["labels"] = found["labels"]
        if draft.model:
            if "inputs" not in found:
                text, hint = "no array is plainly the input.", f"Call it {listed(INPUTS[:3])}."
                raise DiagnosticsError.of(NO_GUESS, text, where=given.where, hint=hint)
            draft.remarks.append("Inputs are the array that is called so.")
        else:
            draft.data["predictions"] = found.get("predictions") or _answers(given, "the name of an array of masks")
    draft.remarks.append("Pixels of the number 255 do not count; ignore: names another number.")


# The model looks at a few pictures.


def try_pictures(draft: Draft, where: str) -> None:
    """Read everything as an assessment does, and let the model look at some pictures, whether it is right or not."""
    project = from_data(definition_of(draft), folder=draft.folder)
    part = project.definition.components[draft.component]
    rows = read_rows(project, draft.component, TEST, made=None, with_inputs=False)
    if not draft.rows:
        draft.rows = len(rows)
        draft.found.append(f"{where}: {len(rows):,} masks")
    if part.model is None:
        return
    found = _tried(draft, part.model, answers_form(part))
    name = next(str(draft.model[key]) for key in ("path", "callable", "factory") if key in draft.model)
    if draft.task == SEGMENTATION:
        draft.found.insert(0, f"{Path(name).name}: answers with masks (tried on {counted(TRIED, 'picture')})")
        return
    boxes = np.asarray(found.scores)
    said = boxes[boxes[:, 0] >= 0] if boxes.size else boxes
    draft.found.insert(0, f"{Path(name).name}: {len(said):,} boxes in the first {counted(TRIED, 'picture')}")
    _take_numbers(draft, set(said[:, 6].astype(int).tolist()) if len(said) else set(), name)
    guess = draft.told("detector")
    if guess is not None and len(said) and float(np.abs(said[:, 1:5]).max()) <= OF_ONE_SIDE:
        draft.model["detector"]["unit"] = "share"
        draft.remarks.append("Boxes of the detector are at most 2 pixels wide, so that unit: share was taken.")


def _take_numbers(draft: Draft, labels: set[int], name: str) -> None:
    """Which class a number stands for: an id of the truth's categories, or a place among the classes."""
    if draft.classes:
        known = set(range(len(draft.classes)))
    else:
        truth = load_scenes(path=draft.data["path"], folder=draft.folder, digest="")
        known = set(truth.numbers)
        if not labels <= known and labels <= set(range(len(truth.classes))):
            draft.classes, known = truth.classes, labels
            why = "the detector numbers classes from 0, and these are the truth's, in its order"
            draft.guess("classes", list(truth.classes), why)
        elif known != set(range(len(known))):
            draft.remarks.append(
                "Numbers of classes that the model answers are taken for category ids of the truth. Where they are "
                "places in a list instead, name that list with --classes."
            )
    if not labels <= known:
        text = f"the model answers the class {min(labels - known)}, and {listed(sorted(known), 10)} are known."
        hint = "Name all classes of the detector with --classes, in the order of its numbers, the first one 0."
        raise DiagnosticsError.of(NO_GUESS, text, where=name, hint=hint)


def _tried(draft: Draft, model: ModelSource, answers: Mapping[str, Any] | None) -> Scored:
    """Answers to the first pictures; of a folder of masks the first ones are copied aside, of boxes their names."""
    with TemporaryDirectory(prefix="surefoot-") as place:
        source: dict[str, Any] = {"labels": None, "judged": ["labels", "predictions"], "attributes": [], "classes": []}
        source |= {"images": draft.data.get("images"), "path": _first(draft, Path(place))}
        return score_isolated(
            model_arguments(model),
            source,
            folder=draft.folder,
            batch_size=TRIED,
            time_limit=model.time_limit,
            target=Path(place, "answers.npy"),
            answers=answers,
        )


def _first(draft: Draft, place: Path) -> str:
    path = draft.folder / draft.data["path"]
    if path.is_dir():
        for file in list(visible_files(path))[:TRIED]:
            copyfile(file, place / file.name)
        return str(place)
    if draft.task == SEGMENTATION:
        return str(path.absolute())
    names = load_scenes(path=draft.data["path"], folder=draft.folder, digest="")
    wanted = [file or name for file, name in zip(names.files or names.names, names.names.tolist(), strict=True)]
    lines = ((name, "", "", "", "") for name in wanted[:TRIED])
    csv.write(place / "images.csv", ("image", "x1", "y1", "x2", "y2"), lines)
    return str(place / "images.csv")
