"""Boxes, masks and pictures of a project's data sets: where they are read from, as rows and as what is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from surefoot import adapters
from surefoot.adapters import Arrays, Data
from surefoot.adapters.scenes import Masks, Scenes
from surefoot.adapters.scenes.masks import IGNORE
from surefoot.project.definition import Component
from surefoot.project.project import Project


def read_scenes(project: Project, component: str, data: str, *, made: Arrays | None) -> Scenes:
    """Images with their true boxes and, where no model is to give them, those that were answered."""
    part, given = project.definition.components[component], project.objects.get(f"{component}.{data}")
    source = part.data[data]
    keys = {"path", "predictions", "attributes", "groups", "sequence", "time", "frame_rate"}
    said = source.model_dump(include=keys) | {"masks": part.task == "segmentation"}
    if given is not None or made is not None:
        said |= {"path": None, "predictions": None}
    return adapters.scenes.load_scenes(**said, made=made, given=given, classes=part.classes, folder=project.folder)


def has_objects(project: Project, component: str, data: str) -> bool:
    """Whether images hold objects: with boxes, or in a segmentation with a mask each."""
    part, given = project.definition.components[component], project.objects.get(f"{component}.{data}")
    if part.task != "segmentation":
        return part.task == "detection"
    if given is None:
        return (part.data[data].path or "").lower().endswith(".json")
    labels = given.get("labels") if isinstance(given, Mapping) else given[1] if isinstance(given, tuple) else None
    if not isinstance(labels, list | tuple) or not labels:
        return False
    return all(isinstance(each, Mapping) or hasattr(each, "masks") for each in labels)


def read_masks(project: Project, component: str, data: str, made: Callable[[str, str], Arrays | None]) -> Masks:
    """Images with their true masks and, where no model is to give them, those that were answered."""
    part, given = project.definition.components[component], project.objects.get(f"{component}.{data}")
    source, arrays = part.data[data], made(component, data)
    said = source.model_dump(include={"path", "predictions", "labels", "groups"})
    if given is not None or arrays is not None:
        said |= {"path": None}
    limits: dict[str, Any] = {
        "classes": len(part.classes) or None,
        "ignore": ignored(part),
        "attributes": source.columns_of_rows,
    }
    return adapters.scenes.load_masks(**said, **limits, made=arrays, given=given, folder=project.folder)


def ignored(part: Component) -> int:
    """The number in masks of pixels that do not count."""
    return IGNORE if part.ignore is None else part.ignore


def mask_rows(project: Project, component: str, data: str, *, made: Arrays | None, with_inputs: bool) -> Data:
    """Images as rows; with the pictures that a model looks at."""
    part = project.definition.components[component]
    masks, source = read_masks(project, component, data, lambda *_: made), part.data[data]
    rows = masks.rows()
    if source.images is not None and with_inputs and part.model is not None:
        rows = masks.rows(adapters.scenes.pictures_of(source.images, masks.names, [], folder=project.folder))
    if source.path is not None and f"{component}.{data}" not in project.objects:
        rows = replace(rows, digest=digest_of_images(project, component, data))
    return rows


def digest_of_images(project: Project, component: str, data: str) -> str:
    """Digest of the files that boxes or masks, answers and pictures come from."""
    source = project.definition.components[component].data[data]
    in_file = source.path is not None and source.path.lower().endswith(".npz")
    second = None if in_file else source.predictions
    said: dict[str, Any] = {"predictions": second, "images": source.images}
    return adapters.scenes.scenes_digest(path=source.path or "", **said, folder=project.folder)


def scene_rows(project: Project, component: str, data: str, *, made: Arrays | None, with_inputs: bool) -> Data:
    """Images as rows; with the pictures that a model looks at."""
    part = project.definition.components[component]
    scenes, images = read_scenes(project, component, data, made=made), part.data[data].images
    rows = scenes.rows()
    if images is not None and with_inputs and part.model is not None:
        pictures = adapters.scenes.pictures_of(images, scenes.names.tolist(), scenes.files, folder=project.folder)
        rows = scenes.rows(pictures)
    path = part.data[data].path
    if path is not None and f"{component}.{data}" not in project.objects:
        rows = replace(rows, digest=digest_of_images(project, component, data))
    return replace(rows, times=scenes.times, sequences=scenes.sequences, in_seconds=scenes.in_seconds)
