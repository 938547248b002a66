"""Problems of what a step is told: parameters, component, data sets, results of other steps, files and modules.

Files are looked at as far as their heads; modules are parsed and never imported.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.machinery import all_suffixes
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError

from surefoot.adapters.data_sources import READERS
from surefoot.adapters.model_sources import HINTS, LIBRARIES
from surefoot.adapters.project_code import split, top_names
from surefoot.adapters.python_models import PICKLED
from surefoot.core import DiagnosticsError, SurefootError
from surefoot.documents import Keys, Problem, closest, did_you_mean, printable, shown
from surefoot.project.checks import validation
from surefoot.project.checks.validation import SHAPES, Draft, fits, references, step_in
from surefoot.project.definition import IN_MEMORY, MODEL, Component, DataSource, EvidenceSource, ModelSource, NamesClass
from surefoot.project.definition.system import CLASSIFICATION, OF_IMAGES, OF_TASKS
from surefoot.project.registry import COMPONENT_KEYS, DataParameter, Step
from surefoot.project.tasks.judging import (
    COMPARISONS,
    FOR_ALL,
    KEYS_OF_CLASSES,
    KEYS_OF_FUNCTIONS,
    OF_CLASSES,
    OF_DETECTION,
)


def parameter_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Everything about parameters but results of other steps."""
    given = source.parameters
    yield from (_unknown_key(key, step, at) for key in given if key not in step.keys)
    own = {key: value for key, value in given.items() if key in step.fields}
    try:
        step.read(own)
    except ValidationError as error:
        meant = misspelt(given, step)
        for problem in validation.pydantic_problems(error, own, step.parameters, at):
            if problem.code != "missing-key" or problem.path[-1] not in meant:
                yield problem
    component = component_of(draft, source)
    if component and component.classes and component.task in (CLASSIFICATION, "multilabel"):
        yield from _class_problems(own, step, component.classes, at)


def misspelt(given: Mapping[str, Any], step: Step) -> set[str | None]:
    """What the unknown keys were probably meant to be."""
    return {closest(key, step.keys) for key in given if key not in step.keys}


def _unknown_key(key: str, step: Step, at: Keys) -> Problem:
    if key in step.roles:
        return Problem("unknown-key", (*at, key), "is provided by Surefoot and cannot be set here.", "Leave it out.")
    return Problem(
        "unknown-key", (*at, key), f"is no parameter of the step {step.name!r}.", did_you_mean(key, step.keys)
    )


def _class_problems(given: Mapping[str, Any], step: Step, classes: list[str], at: Keys) -> Iterator[Problem]:
    for key, value in given.items():
        if NamesClass in step.fields[key].metadata or _mentions(step.fields[key].annotation):
            for name in value if isinstance(value, list) else [value]:
                if isinstance(name, str) and name not in classes:
                    text = f"names the class {shown(name)}, which the component does not have."
                    yield Problem("unknown-reference", (*at, key), text, did_you_mean(name, classes))


def _mentions(kind: Any) -> bool:
    return kind is NamesClass or any(_mentions(part) for part in get_args(kind))


# Problems of what a step says about its component and data set.


def component_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Problems of ``component`` and ``on``, and of what the step needs of the component."""
    if not step.uses_component:
        yield from _needless(source, step, at)
        return
    yield from _choice_problems(draft, source, at)
    component = component_of(draft, source)
    if component is None:
        return
    if source.on not in component.data:
        text = f"names the data set {shown(source.on)}, which the component does not have."
        yield Problem("unknown-reference", (*at, "on"), text, did_you_mean(source.on, component.data))
    elif component.model is None:
        yield from _without_model(component, source, step, at)
    if not component.classifies:
        yield from _of_another_task(component, source, step, at)
    yield from _of_detectors(component, source, step, at)


def _of_another_task(component: Component, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Steps, and keys of steps, that speak of classes, where the component has another task."""
    remedy = f"Steps for every task: {', '.join(FOR_ALL)}."
    if step.name in OF_CLASSES:
        text = f"looks at scores of classes, and the task of its component is {component.task}."
        yield Problem("step-of-classes", (*at, "step"), text, remedy)
        return
    for key in (key for key in KEYS_OF_CLASSES if source.parameters.get(key) is not None):
        text = f"is about classes, and the task of the component is {component.task}."
        yield Problem(
            "step-of-classes", (*at, key), text, "Leave it out; of: names a kind of failure, where there are."
        )


def _of_detectors(component: Component, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Steps about boxes and times, where there are none, or what they need is not said."""
    said = component.data.get(source.on)
    per_pixel = said is not None and said.path is not None and not said.path.lower().endswith(".json")
    if step.name in OF_DETECTION and (
        component.task not in OF_IMAGES or (component.task == "segmentation" and per_pixel)
    ):
        of_pixels = ", of class numbers of pixels" if component.task == "segmentation" else ""
        text = f"is about objects, and the task of its component is {component.task}{of_pixels}."
        yield Problem("step-of-task", (*at, "step"), text, "Write task: detection, or use another step.")
        return
    key = KEYS_OF_FUNCTIONS.get(str(source.parameters.get("function"))) if step.name == "encounter_bound" else None
    if key and component.task in OF_IMAGES and getattr(component, key) is None:
        text = f"needs {key}: of the component, a number of frames."
        yield Problem("step-of-task", (*at, "function"), text, f"Write {key}: and a number of frames there.")


def component_of(draft: Draft, source: EvidenceSource) -> Component | None:
    """The component a step works on; None where it is unclear or could not be read."""
    only = next(iter(draft.component_names)) if len(draft.component_names) == 1 else None
    return draft.definition.components.get(source.component or only or "")


def _needless(source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    for key in (key for key in COMPONENT_KEYS if key in source.model_fields_set):
        text = f"is not needed: the step {step.name!r} works on no component."
        yield Problem("unknown-key", (*at, key), text, "Leave it out.")


def _choice_problems(draft: Draft, source: EvidenceSource, at: Keys) -> Iterator[Problem]:
    known = draft.component_names
    if source.component is None and len(known) > 1:
        text = "is missing, and there are several components."
        yield Problem("missing-key", (*at, "component"), text, did_you_mean("", known))
    elif source.component is not None and known and source.component not in known:
        text = f"names the component {shown(source.component)}, which is not there."
        yield Problem("unknown-reference", (*at, "component"), text, did_you_mean(source.component, known))


def _without_model(component: Component, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    roles = step.roles.values()
    if "model" in roles:
        yield Problem("missing-key", at, "needs the model of its component, which has none.", "Add model: to it.")
    elif not component.classifies:
        return
    elif "tested" in roles and component.data[source.on].scores is None and has_scores(component):
        text = f"names the data set {shown(source.on)}, which has no scores, while the component has no model."
        yield Problem("missing-key", (*at, "on"), text, "Name its scores with scores:, or add a model.")


def has_scores(component: Component) -> bool:
    """Whether a data set brings scores or other answers, so that no model is needed."""
    if component.classifies:
        return any(data.scores is not None for data in component.data.values())
    return component.task == "custom" or any(data.predictions is not None for data in component.data.values())


def _function_problems(component: Component, draft: Draft, at: Keys) -> Iterator[Problem]:
    """Functions that judge and are not there, and comparisons that there are none of."""
    for key, name in component.functions.items():
        if f"{at[1]}:{key}" not in draft.objects:
            yield from module_problems(name, draft.folder, (*at, key))
    if component.compare is not None and "compare" not in component.functions and component.compare not in COMPARISONS:
        text = (
            f"must be one of {', '.join(COMPARISONS)}, or module:name of a function; found {shown(component.compare)}."
        )
        yield Problem("wrong-value", (*at, "compare"), text, did_you_mean(component.compare, COMPARISONS))
    if component.task == "regression" and component.tolerance is None and not _answers_intervals(component):
        text = "is missing: the largest error that is no failure."
        hint = "Write tolerance: 0.5, tolerance: {relative: 0.05} or tolerance: {column: name}."
        yield Problem("missing-key", (*at, "tolerance"), text, hint)


def _answers_intervals(component: Component) -> bool:
    """Whether answers may be intervals: a model's, an array's, or two columns."""
    columns = [data.predictions for data in component.data.values() if data.path is not None]
    return component.model is not None or not any(isinstance(each, str) for each in columns)


# Problems of the data sets that a step names.


def data_set_problems(draft: Draft, source: EvidenceSource, step: Step, at: Keys) -> Iterator[Problem]:
    """Names that are no data set of the component, and names that are missing."""
    component = component_of(draft, source)
    known = list(component.data) if component else []
    for key, parameter in step.data_sets.items():
        if key in source.parameters:
            yield from _named(source.parameters[key], parameter, source.on, known, (*at, key))
        elif parameter.another and key not in misspelt(source.parameters, step):
            others = [name for name in known if name != source.on]
            yield Problem("missing-key", (*at, key), "is missing.", _which(source.on, others))


def _named(value: object, parameter: DataParameter, on: str, known: list[str], at: Keys) -> Iterator[Problem]:
    if value is None and not parameter.required:
        return
    if not isinstance(value, str):
        yield Problem("wrong-value", at, f"must be the name of a data set; found {shown(value)}.")
    elif known and value not in known:
        text = f"names the data set {shown(value)}, which the component does not have."
        yield Problem("unknown-reference", at, text, did_you_mean(value, known))
    elif parameter.another and value == on:
        others = [name for name in known if name != on]
        yield Problem("wrong-value", at, f"names the data set {shown(value)}, which is that of on.", _which(on, others))


def _which(on: str, others: list[str]) -> str:
    there = f" ({', '.join(others)})" if others else ", and add it to the component"
    return f"Name another data set of the component than {on}{there}."


# Problems of references to results of steps.

MOST_COMPARED = 300
"""Names a misspelt one is compared with: comparing every mistake of a huge file with all would take minutes."""


def result_problems(draft: Draft, given: Mapping[str, Any], step: Step, at: Keys) -> Iterator[Problem]:
    """Problems of the parameters that take results of other steps."""
    for key, role in step.estimate_names.items():
        value = given.get(key)
        if value is None:
            if step.required(key) and key not in misspelt(given, step):
                yield Problem("missing-key", (*at, key), "is missing.", f"It must {SHAPES[role]}.")
        elif not fits(role, value):
            yield Problem("wrong-value", (*at, key), f"must {SHAPES[role]}; found {shown(value)}.")
        else:
            for inner, text in references(role, value).items():
                yield from reference_problems(draft, text, (*at, key, *inner))


def reference_problems(draft: Draft, text: Any, at: Keys) -> Iterator[Problem]:
    """Whether ``step.quantity`` names a step of the project; quantities are known only once it has run."""
    step = step_in(text)
    if step is None:
        is_step = isinstance(text, str) and text in draft.step_names
        hint = f"Write {text}. and the name of one of its results." if is_step else ""
        yield Problem("wrong-value", at, f"must {SHAPES['one']}; found {shown(text)}.", hint)
    elif draft.step_names and step not in draft.step_names:
        problem = f"refers to the step {shown(step)}, which is not there."
        yield Problem("unknown-reference", at, problem, did_you_mean(step, list(draft.step_names)[:MOST_COMPARED]))


# Whether the files and modules that a project names are there. No code of the project is run.

WEIGHTS = (".safetensors",)
MODELS = tuple(suffix for suffix in LIBRARIES if suffix not in WEIGHTS)
DATA = tuple(READERS)


def source_problems(draft: Draft) -> Iterator[Problem]:
    """Problems of every model and data set that does not come from memory, and components that have no scores."""
    for name, component in draft.definition.components.items():
        if component.model is None and not has_scores(component):
            key = "scores" if component.classifies else "predictions"
            hint = f"Add model:, or name the {key} of a data set with {key}:."
            at = ("components", name, MODEL)
            yield Problem("missing-key", at, f"is missing, and no data set has {key}.", hint)
        yield from _function_problems(component, draft, ("components", name))
    for path, source in draft.sources.items():
        if f"{path[1]}.{path[-1]}" in draft.objects:
            continue
        if isinstance(source, ModelSource):
            yield from _model_problems(source, draft.folder, path)
        elif _task_of(draft, path) in OF_IMAGES:
            yield from _image_problems(source, draft.folder, path)
        else:
            yield from _data_problems(source, draft.folder, path)


def _model_problems(source: ModelSource, folder: Path, at: Keys) -> Iterator[Problem]:
    if source.path is not None:
        yield from file_problems(source.path, folder, (*at, "path"), MODELS)
        if _suffix(source.path) in PICKLED and source.trust != "pickle":
            text = "is a pickled model, and reading it runs whatever code it holds."
            yield Problem("model-untrusted", (*at, "path"), text, "Save it with skops, or add trust: pickle.")
    if source.weights is not None:
        yield from file_problems(source.weights, folder, (*at, "weights"), WEIGHTS)
    for number, file in enumerate(source.files):
        yield from file_problems(file, folder, (*at, "files", number))
    if source.detector is not None and source.detector.decode is not None:
        yield from module_problems(source.detector.decode, folder, (*at, "detector", "decode"))
    for key in ("callable", "factory"):
        if getattr(source, key) is not None:
            yield from module_problems(getattr(source, key), folder, (*at, key))


def _data_problems(source: DataSource, folder: Path, at: Keys) -> Iterator[Problem]:
    if source.callable is not None:
        yield from module_problems(source.callable, folder, (*at, "callable"))
    elif source.path is not None and not os.path.isdir(folder / source.path):
        problems = list(file_problems(source.path, folder, (*at, "path"), DATA))
        yield from problems or column_problems(source, folder / source.path, at)


def _task_of(draft: Draft, path: Keys) -> str:
    component = draft.definition.components.get(str(path[1]))
    return CLASSIFICATION if component is None else component.task


def _image_problems(source: DataSource, folder: Path, at: Keys) -> Iterator[Problem]:
    """Files of boxes or masks, and pictures; whether they fit together is found when they are read."""
    if source.callable is not None:
        yield from module_problems(source.callable, folder, (*at, "callable"))
    said = {"path": source.path, "images": source.images}
    if source.path is not None and isinstance(source.predictions, str) and _suffix(source.path) != ".npz":
        said["predictions"] = source.predictions
    for key, value in said.items():
        if value is not None and not os.path.exists(folder / value):
            text = f"names a file that is not there: {printable(value, 80)}."
            yield Problem("file-missing", (*at, key), text, _near(folder / value))


def file_problems(text: str, folder: Path, at: Keys, suffixes: tuple[str, ...] = ()) -> Iterator[Problem]:
    """A file that is not there, may not be read, or has another ending than those that will do."""
    path = folder / text
    if os.path.isdir(path):
        yield Problem("wrong-value", at, f"must be a file; found the folder {printable(text, 80)}.")
    elif not os.path.exists(path):
        yield Problem("file-missing", at, f"names a file that is not there: {printable(text, 80)}.", _near(path))
    elif not os.access(path, os.R_OK):
        yield Problem("file-unreadable", at, f"names a file that may not be read: {printable(text, 80)}.")
    elif suffixes and _suffix(text) not in suffixes:
        problem = f"must end in {_listed(suffixes)}; found {printable(text, 80)}."
        yield Problem("wrong-value", at, problem, HINTS.get(_suffix(text), "") if suffixes == MODELS else "")


def _suffix(text: str) -> str:
    return Path(text).suffix.lower()


def _listed(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _near(path: Path) -> str:
    """A file of nearly that name in the same folder."""
    try:
        there = [printable(name) for name in os.listdir(path.parent)]
    except (OSError, ValueError):
        return "Paths are relative to the folder of the project file."
    close = closest(path.name, there)
    return f"Did you mean {close!r}?" if close else "Paths are relative to the folder of the project file."


# Whether a data file has the columns that a project names, read from its head alone.

ROLES = ("inputs", "labels", "scores", "groups", "attributes", "sequence", "time", *OF_TASKS)


def column_problems(source: DataSource, path: Path, at: Keys) -> Iterator[Problem]:
    """Names that are no column of the file; a file whose head cannot be read is told about when it is run."""
    there = _names_in(path)
    for keys, name in _columns_named(source):
        if there and name not in there:
            text = f"names {shown(name)}, which is not in {printable(source.path, 80)}."
            yield Problem("data-column", (*at, *keys), text, did_you_mean(name, there))


def _names_in(path: Path) -> tuple[str, ...]:
    try:
        return READERS[path.suffix.lower()](path, printable(path.name)).names
    except (SurefootError, OSError):
        return ()


def _columns_named(source: DataSource) -> Iterator[tuple[Keys, str]]:
    for role in ROLES:
        value = getattr(source, role)
        if isinstance(value, str):
            yield (role,), value
        else:
            yield from (((role, number), name) for number, name in enumerate(value or ()))


# Whether ``module:name`` leads to something, found out without importing anything.

_ANY_NAME = "*"


def module_problems(text: str, folder: Path, at: Keys) -> Iterator[Problem]:
    """What is wrong with ``module:name``; modules of the project folder come before installed ones."""
    if text.startswith(f"{IN_MEMORY}:"):
        yield Problem(
            "file-missing", at, "was an object in memory, which no file holds.", "Run the program it came from."
        )
        return
    try:
        module, name = split(text)
    except DiagnosticsError as error:
        yield from (Problem(d.code, at, f"cannot be used: {d.text}", d.hint) for d in error.diagnostics)
        return
    source = _file_of(module, folder, (".py",))
    if source:
        yield from _name_problems(source, module, name.partition(".")[0], at)
    elif not _is_there(module, folder):
        problem = f"names the module {printable(module, 80)!r}, which is neither in the project folder nor installed."
        yield Problem("unknown-reference", at, problem, did_you_mean(module, top_names(folder)))


def function_problems(text: str, given: Any, folder: Path, at: Keys) -> Iterator[Problem]:
    """What ``module_problems`` finds, and a function of the project that does not take what it is to be given."""
    missing = list(module_problems(text, folder, at))
    yield from missing
    if missing or not isinstance(given, Mapping):
        return
    module, name = split(text)
    source = _file_of(module, folder, (".py",))
    tree = ast.parse(source.read_bytes()) if source else ast.Module([], [])
    for node in (each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name):
        if not node.decorator_list and (why := _refusal(node.args, [str(key) for key in given])):
            taken = ", ".join(["inputs", *map(str, given)])
            hint = f"Write def {name}({taken}): in {module}, or name the parameters that it takes."
            yield Problem("variation-function", at, f"cannot be called with what it is given: {why}.", hint)


def _refusal(takes: ast.arguments, names: list[str]) -> str:
    """Why a function cannot be called with inputs and these names; empty where it can."""
    placed = [*takes.posonlyargs, *takes.args]
    if not placed and takes.vararg is None:
        return "it takes no inputs as its first argument"
    named = [each.arg for each in (*takes.args, *takes.kwonlyargs) if each not in placed[:1]]
    unknown = [each for each in names if each not in named]
    if unknown and takes.kwarg is None:
        return f"it takes no {shown(unknown[0])}"
    after = placed[1:]
    needed = after[: len(after) - len(takes.defaults)] if len(takes.defaults) < len(after) else []
    needed += [each for each, usual in zip(takes.kwonlyargs, takes.kw_defaults, strict=True) if usual is None]
    lacking = [each.arg for each in needed if each.arg not in (*names, "rngs")]
    return f"it needs {shown(lacking[0])}" if lacking else ""


def _is_there(module: str, folder: Path) -> bool:
    if _file_of(module, folder, tuple(all_suffixes())) or os.path.isdir(folder.joinpath(*module.split("."))):
        return True
    top = module.partition(".")[0]
    if _file_of(top, folder, (".py",)):
        return False
    with suppress(ValueError, ImportError):
        return importlib.util.find_spec(top) is not None
    return False


def _file_of(module: str, folder: Path, suffixes: tuple[str, ...]) -> Path | None:
    base = folder.joinpath(*module.split("."))
    files = (Path(f"{stem}{suffix}") for suffix in suffixes for stem in (base, base / "__init__"))
    return next((file for file in files if os.path.isfile(file)), None)


def _name_problems(source: Path, module: str, name: str, at: Keys) -> Iterator[Problem]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        problem = f"names the module {module!r}, which is not valid Python ({printable(str(error), 80)}{line})."
        yield Problem("file-unreadable", at, problem)
        return
    known = set(_bound(tree))
    if name not in known and _ANY_NAME not in known and "__getattr__" not in known:
        problem = f"names {name!r}, which the module {module!r} does not define."
        yield Problem("unknown-reference", at, problem, did_you_mean(name, known))


def _bound(tree: ast.Module) -> Iterator[str]:
    """Names that the module binds while it is imported, in whatever block."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
            continue
        if isinstance(node, ast.alias):
            yield node.asname or node.name.partition(".")[0]
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        waiting.extend(ast.iter_child_nodes(node))
