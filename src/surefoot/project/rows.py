"""Rows of a component: from memory, from a file, or made by code of the project in a process of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from surefoot import adapters
from surefoot.adapters import Arrays, Data
from surefoot.core import DiagnosticsError
from surefoot.project.definition import ModelSource
from surefoot.project.project import Project

TIME_LIMIT = float(ModelSource.model_fields["time_limit"].default)


def make(project: Project, component: str, data: str) -> Arrays | None:
    """What the code of a data set makes; None where its rows come from elsewhere."""
    source = project.definition.components[component].data[data]
    if source.callable is None or f"{component}.{data}" in project.objects:
        return None
    model = project.definition.components[component].model
    limit = model.time_limit if model else TIME_LIMIT
    return adapters.make_isolated(source.callable, folder=project.folder, time_limit=limit)


def read(project: Project, component: str, data: str, *, made: Arrays | None, with_inputs: bool) -> Data:
    """The rows as steps and models see them."""
    part = project.definition.components[component]
    classes = tuple(part.classes)
    given, source = project.objects.get(f"{component}.{data}"), part.data[data]
    if given is not None:
        found = adapters.as_data(given, classes=classes)
    else:
        options: dict[str, Any] = {"classes": classes, "folder": project.folder, "with_inputs": with_inputs}
        found = adapters.load_data(**source.reading, **options, arrays=made)
    if source.rows == "independent":
        return found
    return replace(found, places=np.arange(len(found)), block=source.block)


def size(path: Path) -> int:
    """Bytes of a file, or of all files of a folder."""
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)


def changed(what: str) -> DiagnosticsError:
    """The error of a file that is not what it was when its digest was computed."""
    text = f"{what} changed while it was read."
    return DiagnosticsError.of("file-unreadable", text, where=what, hint="Run again when nothing writes to it.")
