"""A project put together from a model and its data: task, columns, classes, evidence, target, each with its reason."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from surefoot.adapters import ModelDescription, demand_source, make_isolated
from surefoot.adapters.labels import all_decimal, sorted_names
from surefoot.adapters.project_code import locate
from surefoot.adapters.python_models import PICKLED
from surefoot.bounds import trials_needed
from surefoot.core import DiagnosticsError, InvalidInput, validate
from surefoot.documents import counted, listed, percent, quoted
from surefoot.project.checks.validation import allowing
from surefoot.project.components import TIME_LIMIT, read_rows
from surefoot.project.definition.system import CLASSIFICATION, MODEL, NAME
from surefoot.project.looks import fixed_share
from surefoot.project.project import Project, from_data
from surefoot.project.proposal.columns import (
    MOST_CLASSES,
    NO_GUESS,
    Column,
    Parts,
    Stated,
    columns_of_classes,
    looked_at,
    parts_of,
    stem,
)
from surefoot.project.proposal.commented import (
    LEVEL,
    MULTILABEL,
    TEST,
    Draft,
    Guess,
    definition_of,
    file_text,
)
from surefoot.project.proposal.image_tasks import Given, image_task, take_masks, take_objects, try_pictures
from surefoot.project.proposal.trial import Trial, said_of_itself, trusted_types

SHARE_OF_SPREAD = 0.1
"""Of the truth between its 5% and 95% quantiles: the tolerance to start from where nobody says one."""
LONGEST_CLASS = 60
TELLING = ("data-categories",)
"""What a model says of a few rows that is worth a remark."""
KNOWS, IS_REGRESSOR = "the model knows classes", "the model is a regressor"


@dataclass(frozen=True)
class Proposal:
    """A project file that runs, what was found in the files, what was guessed, and what somebody must decide.

    See Also
    --------
    propose : Makes it.

    """

    project: Project
    text: str
    """The project file."""
    found: tuple[str, ...]
    """What the files hold, as sentences."""
    guesses: tuple[Guess, ...]
    """What nobody said, with those that model and data say themselves."""
    remarks: tuple[str, ...]
    """What to look at before anything is believed, as sentences."""


@validate.arguments
def propose(
    folder: str | Path,
    *,
    model: str | None = None,
    weights: str | None = None,
    data: str,
    operation: str | None = None,
    target: float | None = None,
    labels: str | Sequence[str] | None = None,
    predictions: Sequence[str] = (),
    inputs: Sequence[str] = (),
    classes: Sequence[str] = (),
    images: str | None = None,
    detector: Mapping[str, Any] | None = None,
    trust: Sequence[str] = (),
) -> Proposal:
    r"""A first project file from a model and its test data: it runs, and says what was guessed and why.

    The model answers a few rows, in a process of its own. Whether the answers are right is not looked at.

    Parameters
    ----------
    folder
        Where the project will be; nothing is written. Code of the project must lie in it.
    model
        A file, or ``module:name``; left out where the data bring predictions.
    weights
        The ``.safetensors`` file of a torch module that ``model`` builds.
    data
        Rows that the model has never seen, with the truth: a file, a folder of images, or ``module:name``. Boxes are a
        file of COCO, csv or MOTChallenge; masks are a folder with a file for each, or an npz file.
    operation
        Rows from operation, without labels.
    target
        The largest failure probability that is acceptable; 0.05 to start from.
    labels, predictions, inputs
        Columns that hold the truth, answers made elsewhere, and what the model takes, where they are not plain; several
        of the truth are several labels a row. Of boxes and masks ``predictions`` is the file or folder of the answers.
    classes
        Names of the classes in the order of the model's columns.
    images
        The folder of pictures, or the film, that a detector or a segmentation looks at.
    detector
        What goes into an ONNX detector and what comes out, as under ``detector`` of a project file.
    trust
        ``pickle``, or types of a skops file.

    Returns
    -------
    Proposal
        The text of the file, what was found, what was guessed.

    Raises
    ------
    DiagnosticsError
        Where a file is missing or cannot be read, or where something needed is not plain and must be said.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import surefoot as sf
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "test.csv").write_text("truth,predicted\n" + "car,car\ntree,tree\n" * 100)
    ...     found = sf.project.propose(folder, data=str(Path(folder, "test.csv")), target=0.05)
    >>> [(guess.key, guess.value) for guess in found.guesses]
    [('labels', 'truth'), ('scores', 'predicted'), ('task', 'classification')]
    >>> found.found
    ('test.csv: 200 rows, 2 columns; no model, because the data bring answers',)

    """
    home = Path(folder)
    draft = Draft(home, _component_name(model, home))
    if target is not None:
        draft.target = validate.fraction(target, where="propose", name="target")
    said = None
    place, where = _place(data, home, what="data")
    draft.data = {**place}
    if model is not None:
        draft.model = _model_source(model, weights, home, tuple(trust))
    several = (labels,) if isinstance(labels, str) else tuple(labels or ())
    answers = _beside_each(predictions, home)
    kind = image_task(place, home, given=bool(images or predictions), answers=answers)
    if kind is not None:
        draft.task, draft.objects = kind.task, kind.objects
        given = Given(where, _beside(images, home, "images"), answers, tuple(classes), detector)
        (take_objects if kind.objects else take_masks)(draft, given)
        try_pictures(draft, where)
        return _finished(draft, target)
    if model is not None:
        with _saying_how_to_trust():
            said = said_of_itself(draft.model, home)
    if _is_images(place, home):
        _take_images(draft, said, where)
    else:
        source = _source(place, home)
        columns = looked_at(source)
        stated = Stated(_whole_or_split(several, columns), tuple(predictions), tuple(inputs))
        _take_parts(draft, columns, stated, said, where, table=_is_table(source, columns), classes=tuple(classes))
    if operation is not None:
        if model is None:
            remedy = "Give --model, or leave --operation out."
            raise InvalidInput("rows of operation are for a model to answer", where="propose", remedy=remedy)
        _take_operation(draft, operation)
    _try(draft, said, where, tuple(classes))
    return _finished(draft, target)


def _finished(draft: Draft, target: float | None) -> Proposal:
    if target is None:
        draft.guess("target", draft.target, "nobody said what is acceptable; this number is only to start from")
    _remark_on_size(draft)
    project = from_data(definition_of(draft), folder=draft.folder)
    return Proposal(project, file_text(draft), tuple(draft.found), tuple(draft.guesses), tuple(draft.remarks))


def _whole_or_split(names: tuple[str, ...], columns: Mapping[str, Column]) -> tuple[str, ...]:
    """Names of columns; one with commas may be several."""
    if len(names) == 1 and names[0] not in columns:
        return tuple(name.strip() for name in names[0].split(","))
    return names


def _beside(given: str | None, home: Path, what: str) -> str | None:
    """A file or folder beside the data, as the project file names it."""
    return None if given is None else str(_place(given, home, what=what)[0].get("path", given))


def _beside_each(given: Sequence[str], home: Path) -> tuple[str, ...]:
    """Files of answers; what is no file is the name of an array."""
    return tuple(str(_beside(name, home, "predictions")) if Path(name).exists() else name for name in given)


NO_NAMES = (MODEL, TEST, "data", "predict", "predict_proba", "forward", "build")
"""Names of models that tell a reader nothing."""


def _component_name(model: str | None, home: Path) -> str:
    """The name of the model's file or function, or else of the project's folder, as a name of a project file may be."""
    titles = [] if model is None else [model.rpartition(":")[2] if _is_code(model) else Path(model).stem]
    for title in (*titles, home.absolute().name):
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", title).strip("-_")[:40]
        if re.fullmatch(NAME, name) and name.lower() not in NO_NAMES:
            return name
    return "component"


# Where model and data lie, as the project file will say it.


def _is_code(given: str) -> bool:
    return ":" in given and "/" not in given and "\\" not in given


def _place(given: str, home: Path, *, what: str) -> tuple[dict[str, Any], str]:
    """As the project file names it, and as messages do; a file is named relative to the project's folder."""
    if _is_code(given) and not Path(given).exists():
        _check_module(given, home)
        return {"callable": given}, given
    locate(given, Path.cwd(), what=what)
    place = Path(given)
    real = Path(os.path.realpath(place.absolute().parent), place.absolute().name)
    return {"path": Path(os.path.relpath(real, os.path.realpath(home.absolute()))).as_posix()}, place.name


def _check_module(reference: str, home: Path) -> None:
    """Code is found in the project's folder only: a module that lies here is no part of a project elsewhere."""
    top = reference.partition(":")[0].partition(".")[0]
    here = [path for path in (Path(f"{top}.py"), Path(top, "__init__.py")) if path.exists()]
    there = any((home / path).exists() for path in (f"{top}.py", f"{top}/__init__.py"))
    if here and not there and home.resolve() != Path.cwd():
        raise DiagnosticsError.of(
            "file-missing",
            f"{here[0]} is not in {home}, and a project finds code in its own folder.",
            where=reference,
            hint=f"Make the project here with: surefoot init . --model {reference} ... Or move the code to {home}.",
        )


def _model_source(given: str, weights: str | None, home: Path, trust: tuple[str, ...]) -> dict[str, Any]:
    if weights is not None:
        place, _ = _place(weights, home, what="weights")
        if not _is_code(given):
            text = f"{quoted(given)} builds no module."
            hint = "With --weights, --model is module:name of the function that builds the torch module."
            raise DiagnosticsError.of("wrong-value", text, where=given, hint=hint)
        _check_module(given, home)
        return {"factory": given, "weights": place["path"]}
    place, _ = _place(given, home, what="model")
    path = place.get("path", "")
    if Path(path).suffix.lower() in PICKLED:
        return {"path": path} | ({"trust": "pickle"} if "pickle" in trust else {})
    types = trusted_types(path, home, trust) if path else ()
    return place | ({"trust": list(types)} if types else {})


@contextmanager
def _saying_how_to_trust() -> Iterator[None]:
    """What the project file would say is an option here."""
    try:
        yield
    except DiagnosticsError as error:
        hint = "Where you trust the origin of the file, add --trust {}."
        types = re.search(r"trust: \[(.*)\]", error.diagnostics[0].hint)
        said = " --trust ".join(types[1].split(", ")) if types else "pickle"
        DiagnosticsError.raise_if_any(
            replace(each, hint=hint.format(said)) if each.code == "model-untrusted" else each
            for each in error.diagnostics
        )


def _source(place: dict[str, Any], home: Path) -> Any:
    if "callable" not in place:
        return demand_source(path=place["path"], folder=home)
    return make_isolated(place["callable"], folder=home, time_limit=TIME_LIMIT)


def _is_images(place: dict[str, Any], home: Path) -> bool:
    return "path" in place and (home / place["path"]).is_dir()


def _is_table(source: Any, columns: dict[str, Column]) -> bool:
    """Whether single columns are inputs, and not one array."""
    return source.tabular or not any(column.kind == "array" for column in columns.values())


# Task, columns and classes.


def _take_images(draft: Draft, said: ModelDescription | None, where: str) -> None:
    if said is None:
        text = "a folder of images has no answers, and there is no model."
        raise DiagnosticsError.of(NO_GUESS, text, where=where, hint="Give --model.")
    *size, channels = said.shape or (None,)
    if len(size) == 2 and channels in (1, 3) and all(isinstance(side, int) for side in size):
        draft.data["image_size"] = size
        draft.guess("image_size", size, "the model takes rows of this shape")
    draft.guess("labels", "the names of the folders", "a folder of images has one folder a class", certain=True)


def _take_parts(
    draft: Draft,
    columns: dict[str, Column],
    stated: Stated,
    said: ModelDescription | None,
    where: str,
    *,
    table: bool,
    classes: tuple[str, ...],
) -> None:
    draft.rows = next((column.rows for column in columns.values() if column.rows), 0)
    what = "columns" if table else "arrays"
    no_model = "; no model, because the data bring answers" if said is None else ""
    draft.found.append(f"{where}: {draft.rows:,} rows, {len(columns)} {what}{no_model}")
    parts = parts_of(columns, stated, said, where, table=table)
    draft.task, why = _task(parts, said, classes)
    if parts.several:
        _take_several(draft, parts, classes)
    elif parts.labels is not None:
        draft.data["labels"] = parts.labels.name
        draft.classes_seen = parts.labels.distinct
        _said_or_guessed(draft, "labels", parts.labels.name, parts)
    _take_inputs(draft, parts, table=table)
    _take_answers(draft, parts, columns, classes)
    draft.guess("task", draft.task, why, certain=why in (KNOWS, IS_REGRESSOR))
    if draft.task == "regression":
        _take_tolerance(draft, parts.labels)
    if draft.task == "text":
        draft.compare = "exact"
        draft.guess("compare", "exact", "a text that is not the expected one fails; see tasks.md for other judges")
    if parts.groups is not None:
        draft.data["groups"] = parts.groups.name
        draft.largest_group = parts.groups.most
        draft.guess("groups", parts.groups.name, f"{parts.reasons['groups']}: rows of one may resemble each other")
    if parts.attributes:
        draft.data["attributes"] = [column.name for column in parts.attributes]
        draft.odd = {column.name: list(column.values) for column in parts.attributes}
        draft.guess("attributes", draft.data["attributes"], parts.reasons["attributes"])
        draft.guess("odd", "their values", "all that occur in the files; add what operation has beside")
    _remark_on_rest(draft, parts)


def _take_several(draft: Draft, parts: Parts, classes: tuple[str, ...]) -> None:
    """Several labels a row: columns of 0 and 1, or one array of them."""
    names = [column.name for column in parts.several]
    draft.data["labels"] = value = names if len(names) > 1 else names[0]
    _said_or_guessed(draft, "labels", value, parts)
    if any(not column.marks for column in parts.several):
        odd = next(column.name for column in parts.several if not column.marks)
        text = f"column {quoted(odd)} is no label of its own: it holds more than 0 and 1."
        raise DiagnosticsError.of(NO_GUESS, text, where=odd, hint="Name one column, or several of 0 and 1.")
    stems = [stem(column) for column in parts.several]
    draft.classes = classes
    if not classes and len(names) > 1 and stems != names:
        draft.classes = tuple(stems)
        draft.guess("classes", stems, "the columns of the labels are called so", certain=True)
    if parts.several[0].one_each:
        draft.remarks.append(
            "Each row has exactly one label. Where that is always so, keep the number of the class (argmax) as the "
            "only label, and leave task: multilabel out."
        )


def _remark_on_rest(draft: Draft, parts: Parts) -> None:
    """Columns without a part, those with one reason together."""
    for reason in dict.fromkeys(parts.left_out.values()):
        names = [quoted(name) for name, why in parts.left_out.items() if why == reason]
        what = f"Column {names[0]} is" if len(names) == 1 else f"Columns {listed(names)} are"
        draft.remarks.append(f"{what} left out: {reason.rstrip('.')}.")


def _said_or_guessed(draft: Draft, key: str, value: Any, parts: Parts) -> None:
    if key in parts.reasons:
        draft.guess(key, value, parts.reasons[key])


def _take_inputs(draft: Draft, parts: Parts, *, table: bool) -> None:
    if not parts.inputs:
        return
    names = [column.name for column in parts.inputs]
    draft.data["inputs"] = value = names if table else names[0]
    if "inputs" in parts.reasons:
        draft.guess("inputs", value, parts.reasons["inputs"], certain=parts.inputs_certain)


def _task(parts: Parts, said: ModelDescription | None, classes: tuple[str, ...]) -> tuple[str, str]:
    """What a failure is, from the truth and from the model."""
    truth = parts.labels
    if parts.several:
        return MULTILABEL, "several columns of 0 and 1 are the truth"
    if truth is None or parts.marks is not None:
        return "custom", f"column {quoted(parts.marks.name if parts.marks else '')} says which rows failed"
    if classes:
        return CLASSIFICATION, "classes were named"
    if truth.kind == "numbers":
        return "regression", f"column {quoted(truth.name)} holds numbers that are no names of classes"
    if said is not None and said.task == "regression":
        return "regression", IS_REGRESSOR
    if said is not None and said.task == CLASSIFICATION:
        return CLASSIFICATION, KNOWS
    if truth.kind == "text" and _is_prose(truth, parts.predictions):
        return "text", f"column {quoted(truth.name)} holds {truth.distinct:,} different texts"
    if truth.kind == "text":
        return CLASSIFICATION, f"column {quoted(truth.name)} holds {truth.distinct:,} different texts"
    if truth.kind == "whole numbers" and truth.distinct > MOST_CLASSES:
        return "regression", f"column {quoted(truth.name)} holds {truth.distinct:,} different numbers"
    return CLASSIFICATION, f"column {quoted(truth.name)} holds {truth.distinct:,} different whole numbers"


def _is_prose(truth: Column, answers: Sequence[Column]) -> bool:
    return (
        truth.distinct > min(MOST_CLASSES, truth.rows / 2) and len(answers) == 1 and answers[0].kind == "text"
    ) or any(len(value) > LONGEST_CLASS for value in truth.values)


def _take_answers(draft: Draft, parts: Parts, columns: dict[str, Column], classes: tuple[str, ...]) -> None:
    """Answers that were made elsewhere, as the task reads them."""
    if draft.task == "custom":
        assert parts.marks is not None
        draft.failed = parts.marks.name
        draft.data.pop("labels", None)
        draft.guess("failed", parts.marks.name, parts.reasons["failed"])
        return
    answers = parts.predictions
    if not answers:
        return
    names = [column.name for column in answers]
    value = names[0] if len(names) == 1 else names
    key = "scores" if draft.task == CLASSIFICATION else "predictions"
    draft.data[key] = value
    why = parts.reasons.get("scores") or parts.reasons.get("predictions")
    if why:
        draft.guess(key, value, why)
    if draft.task == CLASSIFICATION:
        _take_scores(draft, parts, columns, classes)


def _take_scores(draft: Draft, parts: Parts, columns: dict[str, Column], classes: tuple[str, ...]) -> None:
    truth, answers = parts.labels, parts.predictions
    assert truth is not None
    if len(answers) == 1 and answers[0].kind in ("text", "whole numbers"):
        draft.data["output"] = "label"
        draft.classes = classes
        return
    draft.has_scores = True
    if classes or (len(answers) > 1 and answers != columns_of_classes(truth, columns)):
        draft.classes = classes
    elif len(answers) > 1:
        draft.classes = truth.values
    elif truth.kind == "text" and len(answers) == 1:
        _guess_classes(draft, truth, len(truth.values) if answers[0].kind == "array" else 2)


def _take_tolerance(draft: Draft, truth: Column | None) -> None:
    if truth is None or not truth.spread or _is_interval(draft):
        return
    draft.tolerance = float(f"{truth.spread * SHARE_OF_SPREAD:.0e}")
    why = f"a tenth of the range of {quoted(truth.name)} (5% to 95%); say what your system can stand"
    draft.guess("tolerance", f"{draft.tolerance:g}", why)
    draft.remarks.append(
        f"The tolerance, {draft.tolerance:g}, decides what a failure is and is only a number to start from."
    )


def _is_interval(draft: Draft) -> bool:
    return isinstance(draft.data.get("predictions"), list)


# Rows from operation.


def _take_operation(draft: Draft, given: str) -> None:
    place, where = _place(given, draft.folder, what="data of operation")
    if _is_images(place, draft.folder):
        draft.operation = {**place, **{key: draft.data[key] for key in ("image_size",) if key in draft.data}}
        draft.found.append(f"{where}: images from operation")
        return
    columns = looked_at(_source(place, draft.folder))
    inputs = draft.data.get("inputs")
    wanted = [] if inputs is None else [inputs] if isinstance(inputs, str) else list(inputs)
    lacking = [name for name in wanted if name not in columns]
    if lacking:
        text = f"the data of operation lack columns that the model takes: {listed([quoted(name) for name in lacking])}."
        raise DiagnosticsError.of("data-column", text, where=where)
    rows = next((column.rows for column in columns.values() if column.rows), 0)
    draft.found.append(f"{where}: {rows:,} rows from operation, {len(columns)} columns")
    shared = [name for name in draft.data.get("attributes", []) if name in columns]
    for name in shared:
        beside = set(columns[name].values) - set(draft.odd[name])
        draft.odd[name] = sorted({*draft.odd[name], *beside})
        if beside:
            text = f"Operation has values of {quoted(name)} that no test row shows: {listed(sorted(beside))}."
            draft.remarks.append(text)
    parts = {"inputs": inputs, "attributes": shared}
    draft.operation = {**place, **{key: value for key, value in parts.items() if value}}


# The model answers a few rows.


def _try(draft: Draft, said: ModelDescription | None, where: str, classes: tuple[str, ...]) -> None:
    tried = _read(draft, where, classes)
    rows = tried.rows
    if not draft.rows:
        draft.rows = len(rows)
        draft.found.append(f"{where}: {len(rows):,} images of {len(rows.classes)} classes")
        draft.classes_seen = len(rows.classes)
    if said is None:
        return
    if draft.task == CLASSIFICATION:
        _try_classes(draft, said, tried, classes)
    else:
        draft.found.insert(0, _model_words(draft, said, tried.answers()))
    _read(draft, where, draft.classes)


def _read(draft: Draft, where: str, classes: tuple[str, ...]) -> Trial:
    """The rows as an assessment reads them, so that what is wrong with them is said now."""
    part = draft.part if draft.classes else draft.part | ({"classes": list(classes)} if classes else {})
    said = {"version": 1, "system": {"name": "proposal"}, "components": {draft.component: part}}
    said |= {"evidence": {"errors": {"step": "binomial_bound"}}}
    project = from_data(allowing(said, draft.folder), folder=draft.folder)
    callable = draft.data.get("callable")
    made = None if callable is None else make_isolated(callable, folder=draft.folder, time_limit=TIME_LIMIT)
    rows = read_rows(project, draft.component, TEST, made=made, with_inputs=bool(draft.model))
    return Trial(project, draft.component, rows, where)


def _try_classes(draft: Draft, said: ModelDescription, tried: Trial, classes: tuple[str, ...]) -> None:
    """Classes as the model has them; where it has no names, in the order that is usual."""
    present, where = tried.rows.classes, tried.where
    if classes:
        draft.classes = classes
    elif said.classes and all_decimal(said.classes) and not all_decimal(present):
        _guess_columns(draft, present, len(said.classes), where)
    elif said.classes:
        draft.classes = said.classes
        draft.guess("classes", list(said.classes), "the model knows them, in the order of its columns", certain=True)
    else:
        answers = tried.answers()
        if answers.dtype.kind not in "U" and not _is_label(answers):
            _guess_columns(draft, present, 2 if answers.ndim == 1 else answers.shape[1], where)
    found = tried.scores(draft.classes or present)
    draft.remarks += [f"{caveat.text} {caveat.hint}".strip() for caveat in found.caveats if caveat.code in TELLING]
    draft.has_scores = found.output != "label"
    draft.found.insert(0, _model_words(draft, said, found.scores, of=found.output))


def _is_label(answers: NDArray[Any]) -> bool:
    return answers.ndim == 1 and answers.dtype.kind in "biu"


def _guess_columns(draft: Draft, present: tuple[str, ...], columns: int, where: str) -> None:
    """Which column of a model without names belongs to which class."""
    numbers = [str(number) for number in range(columns)]
    if set(present) <= set(numbers):
        if list(present) != numbers:
            draft.classes = tuple(numbers)
            draft.guess("classes", numbers, f"the model answers with {columns} columns, numbered from 0")
        return
    if len(present) != columns:
        text = f"the model answers with {columns} columns, and the labels have {len(present)} classes: "
        text += f"{listed(present[:MOST_CLASSES])}."
        hint = "Name all classes in the order of the columns with --classes."
        raise DiagnosticsError.of(NO_GUESS, text, where=where, hint=hint)
    _set_classes(draft, sorted_names(present, where))


def _guess_classes(draft: Draft, truth: Column, columns: int) -> None:
    if len(truth.values) != columns:
        text = f"a single score is for two classes, and the labels have {len(truth.values)}."
        raise DiagnosticsError.of(NO_GUESS, text, where=truth.name, hint="Name both with --classes.")
    _set_classes(draft, truth.values)


def _set_classes(draft: Draft, names: tuple[str, ...]) -> None:
    draft.classes = names
    if tuple(name.lower() for name in names) == ("false", "true"):
        draft.guess("classes", list(names), "false is 0, and true is 1", certain=True)
        return
    draft.guess("classes", list(names), "labels in sorted order; nothing says in which order the model has them")
    draft.remarks.append(
        "The order of the classes is guessed. A wrong one takes right answers for errors, and errors for right answers."
    )


def _model_words(draft: Draft, said: ModelDescription, answers: NDArray[Any], of: str = "") -> str:
    name = next(str(draft.model[key]) for key in ("path", "callable", "factory") if key in draft.model)
    taken = ""
    if said.columns is not None:
        taken = f"takes {counted(said.columns, 'column')}, "
    elif said.shape:
        taken = f"takes rows of shape {' x '.join('any' if size is None else str(size) for size in said.shape)}, "
    kind = {"probability": "probabilities", "score": "scores", "label": "labels"}.get(of, "numbers")
    if answers.dtype.kind in "US":
        kind = "texts"
    many = f" of {answers.shape[1]} classes" if of and answers.ndim == 2 else ""
    taken += "knows the names of its columns, " if said.features else ""
    taken += "knows its classes, " if said.classes else ""
    return f"{Path(name).name}: {taken}answers with {kind}{many} (tried on {len(answers):,} rows)"


# What the number of rows allows to show.


def _remark_on_size(draft: Draft) -> None:
    first = 1 - fixed_share(1) * (1 - LEVEL)
    least = trials_needed(draft.target, level=first)
    if draft.rows < least:
        draft.remarks.append(
            f"{draft.rows:,} rows cannot show a failure probability of at most {draft.target:g}, even without a "
            f"failure: it takes {least:,} at the level of a first look, {percent(first)}."
        )
