"""What the first rows of a table already tell: columns that no step or model can take, and what would be guessed.

No model is loaded: a long run shall not end with what its first thousand rows show. Nothing of the project is run but
functions that vary inputs (``within:``), on a few rows and in a process of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Arrays, Frame, FrameTable, apply_isolated, is_frame
from surefoot.adapters.column_roles import FEATURE_LIKE, Roles, StatedRoles, roles_in
from surefoot.adapters.data_sources import READERS
from surefoot.adapters.exported_models import onnx_inputs
from surefoot.adapters.labels import REGRESSION
from surefoot.adapters.table_data import SAMPLE as FIRST
from surefoot.core import DiagnosticsError, MissingExtra, SurefootError
from surefoot.documents import Keys, Problem, listed, printable, quoted
from surefoot.monitors.detectors.base import DETECTORS
from surefoot.project.checks.validation import Draft
from surefoot.project.definition import Component, DataSource, ModelSource
from surefoot.project.inputs import NamesFunctions, files_named

if TYPE_CHECKING:
    from surefoot.project.plan import Task
    from surefoot.project.project import Project

ONLY_NUMBERS = (".onnx", ".tflite")
"""Models in such files take arrays of numbers, unless a graph has an input for each column."""
OF_ALL_COLUMNS = ("reliability_cells", "reliability_balls")
"""Steps that compute with every input as a number."""
TRIAL = "surefoot.project.inputs:tried"
BALLS_TAKE = (
    "Balls are regions of numbers. Take reliability_cells, with columns: such as {mass: number, sex: [female, male]}, "
    "or binomial_bound, which counts rows of any; or name columns of numbers under inputs, if the model takes no more."
)
NUMBERS = "Name columns of numbers under inputs, or take a model of frames."


def sample_problems(draft: Draft) -> Iterator[Problem]:
    """Problems of the first rows of every table that is named or was handed over."""
    for name, component in draft.definition.components.items():
        for title, source in component.data.items():
            at = ("components", name, "data", title)
            try:
                table = _table(draft, source, f"{name}.{title}")
            except DiagnosticsError as error:
                yield from _told(error, at)
            else:
                if table is not None:
                    yield from _of_table(draft, name, component, title, source, table, at)


def _table(draft: Draft, source: DataSource, key: str) -> Any:
    """The rows, opened; None where they are no table."""
    given = draft.objects.get(key)
    path = None if source.path is None else draft.folder / source.path
    try:
        if is_frame(given):
            return FrameTable(Frame(given, "data"), "data")
        if given is None and path is not None and path.is_file():
            reader = READERS[path.suffix.lower()](path, printable(str(source.path)))
            return reader if reader.tabular else None
    except (MissingExtra, KeyError, OSError):
        return None
    return None


def _told(error: DiagnosticsError, at: Keys) -> Iterator[Problem]:
    yield from (Problem(d.code, at, _sentence(d.text), d.hint, d.severity, d.where) for d in error.diagnostics)


def _of_table(
    draft: Draft, name: str, component: Component, title: str, source: DataSource, table: Any, at: Keys
) -> Iterator[Problem]:
    try:
        yield from _of_labels(component, source, table, at)
        if isinstance(source.inputs, str) or (component.model is None and f"{name}.model" not in draft.objects):
            return
        frame = _sample(component, source, table)
        if frame is None:
            return
        frame.check()
        yield from (Problem(odd.code, at, odd.text, odd.hint, odd.severity, odd.where) for odd in frame.oddities())
        yield from _of_model(component, frame, at, draft.folder)
        yield from _of_steps(draft, name, title, frame)
    except DiagnosticsError as error:
        yield from _told(error, at)
    except MissingExtra as error:
        yield Problem("missing-extra", at, f"is a table of other columns than numbers: {error.problem}.", error.remedy)


def _of_labels(component: Component, source: DataSource, table: Any, at: Keys) -> Iterator[Problem]:
    """What would be taken for the labels, and labels that are no classes."""
    if not component.classifies:
        return
    roles = _roles(component, source, table, with_inputs=False)
    if roles.labels_guessed and roles.labels == FEATURE_LIKE:
        text = f"has no labels:, so that its column {quoted(FEATURE_LIKE)} is taken for them."
        yield Problem("labels-taken", at, text, "Write labels: y, or labels: null where it is an input.", "warning")
    if roles.labels is None:
        return
    with suppress(MissingExtra):
        frame = table.frame[:FIRST] if isinstance(table, FrameTable) else table.sample([roles.labels])
        values = frame.numbers(roles.labels).astype(float) if roles.labels in frame.numeric else np.empty(0)
        odd = np.flatnonzero(np.isfinite(values) & (values != np.floor(values)))
        if odd.size:
            found = f"column {quoted(roles.labels)} has {values[odd[0]]:g} in row {odd[0]}"
            yield Problem("data-type", at, f"has labels that are no classes: {found}.", REGRESSION)


def _roles(component: Component, source: DataSource, table: Any, *, with_inputs: bool) -> Roles:
    judged = (source.labels, source.predictions, source.repeats, component.failed, component.loss)
    others = None if component.classifies else [name for said in judged for name in _names(said) if ":" not in name]
    said = {key: source.reading[key] for key in ("inputs", "scores", "output", "groups", "attributes")}
    labels = source.reading["labels"] if component.classifies else None
    return roles_in(table, StatedRoles(**said, labels=labels, judged=others), with_inputs=with_inputs)


def _sample(component: Component, source: DataSource, table: Any) -> Frame | None:
    """The first rows of the inputs where they are more than numbers; None where they are numbers and all there."""
    inputs = _roles(component, source, table, with_inputs=True).inputs
    unknown = [name for name in source.types if name not in table.names]
    if unknown:
        text = f"types: names {quoted(unknown[0])}, which is no column ({listed(table.names)})."
        raise DiagnosticsError.of("data-column", text, where=table.where)
    if not inputs:
        return None
    if isinstance(table, FrameTable):
        return table.frame.select(inputs)[:FIRST]
    return None if table.numbers_only(inputs) and not source.types else table.sample(inputs, types=source.types)


def _takes_columns(path: Path) -> bool:
    """Whether a graph has an input for each column."""
    return path.suffix.lower() == ".onnx" and path.is_file() and len(onnx_inputs(path)) > 1


def _of_model(component: Component, frame: Frame, at: Keys, folder: Path) -> Iterator[Problem]:
    model = component.model
    if model is None:
        return
    path = model.path or ""
    fixed = model.factory is not None or (path.lower().endswith(ONLY_NUMBERS) and not _takes_columns(folder / path))
    odd = [name for name in frame.names if name not in frame.numeric]
    if odd and (model.takes == "array" or (fixed and model.takes is None)):
        text = (
            f"has columns that are no numbers ({listed(odd)}), and the model of its component takes arrays of numbers."
        )
        yield Problem("data-type", at, text, NUMBERS)


def _of_steps(draft: Draft, name: str, title: str, frame: Frame) -> Iterator[Problem]:
    """Steps that compute with inputs as numbers, and columns that are none or lack values."""
    only = len(draft.definition.components) == 1
    for key, said in draft.definition.steps.items():
        if said.component not in (name, None if only else name):
            continue
        used = {said.on, *(value for value in said.parameters.values() if isinstance(value, str))}
        columns, all_of_them = said.parameters.get("columns"), said.step in OF_ALL_COLUMNS
        if title not in used or not (all_of_them or (said.step == "monitor" and _looks_at_inputs(said.parameters))):
            continue
        ways = dict.fromkeys(columns, "number") if isinstance(columns, list) else columns
        hint = BALLS_TAKE
        if said.step != "reliability_balls":
            hint = "Name columns with columns:, such as {mass: number, sex: [female, male], day: date}."
        yield from _no_numbers(frame, ways or dict.fromkeys(frame.names, "number"), key, said.step, hint)


def _looks_at_inputs(parameters: Mapping[str, Any]) -> bool:
    named = parameters.get("detector", "max_softmax")
    if "score" in parameters or "alarm" in parameters or not DETECTORS.knows(str(named)):
        return False
    return DETECTORS.get(str(named)).takes == "features"


def _no_numbers(frame: Frame, ways: Mapping[str, Any], key: str, step: str, hint: str) -> Iterator[Problem]:
    for name, how in ways.items():
        filled = isinstance(how, Mapping)
        if name not in frame.names:
            text = f"names the column {quoted(name)}, which the inputs lack ({listed(frame.names)})."
            yield Problem("data-column", ("evidence", key), text, hint)
        elif (how["as"] if filled else how) == "number" and not frame.is_numeric(name):
            text = f"needs numbers, and column {quoted(name)} holds none."
            yield Problem("data-type", ("evidence", key), text, hint)
        elif frame.missing(name).any() and not filled:
            row = int(np.flatnonzero(frame.missing(name))[0])
            text = f"cannot take missing values, and column {quoted(name)} has none in row {row}."
            remedy = (
                f"Leave such rows out, or say what stands for none: {{{printable(name)}: {{as: number, missing: 0}}}}."
            )
            yield Problem(
                "data-missing-values", ("evidence", key), text, hint if step == "reliability_balls" else remedy
            )


# Functions of the project that vary inputs, tried on a few rows in a process of their own.

TRIED = 8


def variation_problems(project: Project) -> Iterator[Problem]:
    """Functions in ``within:`` that raise, or give something else than inputs."""
    from surefoot.project.plan import plan

    for task in plan(project):
        for place, (text, mark) in files_named(task.step.fields, task.parameters).items():
            if isinstance(mark, NamesFunctions):
                given = task.parameters[str(place[0])][text]
                at = (*project.definition.place_of_step(task.name), *place)
                yield from _tried(project, task, {text: given}, at)


def _tried(project: Project, task: Task, within: Mapping[str, Any], at: Keys) -> Iterator[Problem]:
    inputs = _first_inputs(project, task)
    if inputs is None:
        return
    said = {"within": {str(project.folder.absolute() / key): each for key, each in within.items()}}
    text = json.dumps({**said, "picture": task.parameters.get("picture")})
    ends = task.parameters.get("input_range", (0, 1))
    rng = np.random.default_rng(0)
    columns = {
        "inputs": np.asarray(inputs, np.float32 if inputs.dtype.itemsize <= 4 else np.float64),
        "places": rng.random((len(inputs), 1 + sum(map(len, within.values())))),
        "within": np.array([text] * len(inputs)),
        "ends": np.tile(np.asarray(ends, float), (len(inputs), 1)),
    }
    try:
        model = project.definition.components[task.component or ""].model
        limit = model.time_limit if model else ModelSource.model_fields["time_limit"].default
        apply_isolated(TRIAL, Arrays(columns, "trial"), folder=project.folder, time_limit=limit)
    except DiagnosticsError as error:
        yield from (Problem(d.code, at, f"cannot be used: {d.text}", d.hint) for d in error.diagnostics)


def _first_inputs(project: Project, task: Task) -> NDArray[Any] | None:
    """The first inputs that a step looks at; None where code makes them, or they cannot be read, which is told else."""
    from surefoot.project.components import read_rows

    component, data = task.component or "", task.data or ""
    if project.definition.components[component].data[data].callable is not None:
        return None
    try:
        inputs = read_rows(project, component, data, made=None, with_inputs=True).inputs
    except (SurefootError, OSError):
        return None
    few = None if inputs is None else inputs[:TRIED]
    array = few.matrix() if isinstance(few, Frame) else few
    return array if array is not None and array.dtype.kind in "buif" else None


def _names(value: Any) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
