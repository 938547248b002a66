"""A project: what is to be assessed, where its files lie, and where in the project file each thing is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters import Frame, as_model, is_frame
from surefoot.adapters.data_sources import JUDGED_KEYS, KEYS
from surefoot.adapters.labels import LABEL_NAMES
from surefoot.adapters.python_models import class_names
from surefoot.core import Diagnostic, DiagnosticsError, validate
from surefoot.documents import (
    Document,
    Findings,
    Keys,
    Kind,
    Place,
    Problem,
    did_you_mean,
    dotted,
    listed,
    place,
    printable,
    quoted,
    read_text,
    shown,
    yaml,
)
from surefoot.documents.document import START
from surefoot.documents.files import FORBIDDEN
from surefoot.project.checks import validation
from surefoot.project.checks.column_samples import sample_problems, variation_problems
from surefoot.project.checks.parameters import source_problems
from surefoot.project.checks.sections import (
    case_problems,
    condition_problems,
    document_problems,
    step_problems,
    target_problems,
)
from surefoot.project.checks.validation import Draft
from surefoot.project.definition import IN_MEMORY, MODEL, Definition
from surefoot.project.definition.system import KEYS_OF_TASK, OF_SEQUENCES, OF_TASKS

DEEPEST = 50
"""Values of a project are nested no deeper."""
LARGEST = 10**300


FILE = "surefoot.yaml"
PROJECT = Kind(
    "yaml-syntax",
    forbidden="yaml-forbidden",
    empty="missing-key",
    beginning="surefoot init writes a project to start from.",
    columns=True,
    largest=1_000_000,
    deepest=DEEPEST,
    most_values=50_000,
)
ALONE = ("images", "gap", "rows", "block")
"""Parts of a data set that are what they say, and no names of columns."""
MOST_PROBLEMS = 200
"""More are not shown: whoever has so many mends the first ones first."""


@dataclass(frozen=True)
class Project:
    """What is to be assessed, and where its files lie: a definition with its surroundings.

    ``load``, ``from_data`` and ``Project.of`` make only projects without problems.

    Parameters
    ----------
    definition
        What the project file says.
    folder
        Paths of the definition are relative to it.
    path
        The project file; None for a project made in Python.
    places
        Line and column of each key of the file.
    objects
        Models and data in memory: ``component.model`` and ``component.data set``.

    See Also
    --------
    load : Read a project file.
    Project.of : A project from objects in memory.
    run : Assess a project.

    """

    definition: Definition
    folder: Path
    path: Path | None = None
    places: Mapping[Keys, Place] = field(default_factory=dict, repr=False)
    objects: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        system: str | Mapping[str, Any],
        *,
        model: Any = None,
        data: Any = None,
        evidence: Mapping[str, Mapping[str, Any]],
        targets: Mapping[str, Mapping[str, Any]] | None = None,
        tree: Mapping[str, Any] | None = None,
        hazards: str | Mapping[str, Any] | None = None,
        scenarios: Mapping[str, Any] | None = None,
        conditions: Mapping[str, Any] | None = None,
        document: Mapping[str, Any] | None = None,
        classes: Sequence[str] = (),
        name: str = "component",
        seed: int = 0,
        looks: str = "fixed",
        task: str | None = None,
        labels: str | Sequence[str] | None = None,
        inputs: str | Sequence[str] | None = None,
        groups: str | None = None,
        attributes: Sequence[str] = (),
        **judging: Any,
    ) -> Project:
        """A project without a file, of one component; every part says what the project file would say.

        Parameters
        ----------
        system
            The name of the system, or what the section ``system`` would say.
        model
            A callable, a fitted estimator, or text as in a project file.
        data
            ``(inputs, labels)``, a frame of pandas, polars or pyarrow, a mapping with ``inputs``, ``labels``,
            ``scores``, ``groups`` and ``attributes`` (of rows in time also ``sequence``, ``time``, ``gap``, ``rows``
            and ``block``), text as in a project file, or a mapping of names of data sets to such; one data set alone is
            called ``test``.
        labels, inputs, groups, attributes
            Of a frame, names of its columns: the truth, what the model gets (by default all that is nothing else), what
            rows share, and dimensions of the operating conditions.
        evidence, targets, tree, hazards, scenarios, conditions, document, seed, looks
            Sections of the project file.
        classes
            Names of the classes in the order of the scores.
        name
            What the component is called.
        task
            What the component is to do, which says what a failure is: ``classification`` by default, or
            ``multilabel``, ``regression``, ``text`` or ``custom``.
        judging
            What the task takes beside, as in a project file: ``tolerance``, ``largest_error``, ``compare``,
            ``repeats``, ``failed``, ``loss``; functions that judge may be given as they are.

        Returns
        -------
        Project
            Checked; its evidence is kept in memory unless ``run`` is given a store.

        Raises
        ------
        DiagnosticsError
            All that is wrong, at once.

        Examples
        --------
        >>> import numpy as np
        >>> import surefoot as sf
        >>> inputs = np.linspace(-1, 1, 400)[:, None]
        >>> def model(rows):
        ...     return np.column_stack([rows[:, 0] < 0.01, rows[:, 0] >= 0.01]).astype(float)
        >>> project = sf.Project.of(
        ...     "gate",
        ...     model=model,
        ...     data=(inputs, (inputs[:, 0] > 0).astype(int)),
        ...     evidence={"counted": {"step": "binomial_bound"}},
        ...     targets={"misses": {"estimate": "counted.failure probability", "at_most": 0.05}},
        ... )
        >>> print(sf.run(project))
        gate
          answer  Yes, by its target: its number is met, and the case leaves no claim open.
          misses  met: failure probability of component, upper bound 0.01566 (confidence at level 0.95), target at ...

        """
        columns = {"labels": labels, "inputs": inputs, "groups": groups, "attributes": attributes}
        said, functions = _judging(name, data, task, judging)
        columns |= {key: said.pop(key) for key in OF_FRAMES if isinstance(said.get(key), str | list | tuple)}
        component, objects = component_from(name, model, data, classes, columns, judged="failed" in said)
        component, objects = component | said, objects | functions
        parts: dict[str, Any] = {
            "system": {"name": system} if isinstance(system, str) else system,
            "components": {name: component},
            "evidence": evidence,
            "targets": targets or {},
            "conditions": conditions or {},
            "seed": seed,
            "looks": looks,
        }
        sections = {"tree": tree, "hazards": hazards, "scenarios": scenarios, "document": document}
        parts |= {name: section for name, section in sections.items() if section is not None}
        return checked(plain({"version": 1, **parts}), folder=Path.cwd(), objects=objects, confined=False)

    def where(self, *path: str | int) -> str:
        """Where keys are written: ``surefoot.yaml:12``, or the keys themselves where there is no file."""
        return place(self.path, Document(None, self.places), path)

    def line(self, *path: str | int) -> int:
        """The line of the innermost of these keys that is written; 1 where there is no file."""
        return Document(None, self.places).line(path)

    def component_of(self, step: str) -> str:
        """The component that a step of the plan works on."""
        return self.definition.steps[step].component or next(iter(self.definition.components))


# Load a project and find everything that is wrong with it, all at once, before anything is run.


@validate.arguments
def load(path: str | Path) -> Project:
    """Read a project file, or the ``surefoot.yaml`` of a folder.

    Parameters
    ----------
    path
        The file, or its folder.

    Returns
    -------
    Project
        Checked, so that it can be run.

    Raises
    ------
    DiagnosticsError
        All that is wrong, at once, each problem with a code, its line and what to do.

    See Also
    --------
    from_data : The same without a file.

    Examples
    --------
    >>> import surefoot as sf
    >>> project = sf.load("surefoot.yaml")  # doctest: +SKIP
    >>> result = sf.run(project)  # doctest: +SKIP

    """
    file = _file(Path(path))
    document = _read(file)
    return checked(document.data, folder=file.absolute().parent, path=file, places=document.places)


@validate.arguments
def from_data(data: Any, *, folder: Path) -> Project:
    """A project from what its file says, without the file.

    Parameters
    ----------
    data
        What the file says, as plain data.
    folder
        Paths are relative to it.

    Returns
    -------
    Project
        Checked, so that it can be run.

    Raises
    ------
    DiagnosticsError
        All that is wrong, at once.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> sf.run(project).met
    True

    """
    if not isinstance(data, Mapping):
        raise DiagnosticsError.of("wrong-value", "a project must be a mapping of keys and values.", where="the project")
    return checked(plain(data), folder=folder)


def checked(
    data: Mapping[str, Any],
    *,
    folder: Path,
    path: Path | None = None,
    places: Mapping[Keys, Place] | None = None,
    objects: Mapping[str, Any] | None = None,
    confined: bool = True,
) -> Project:
    """A project from plain data, or one error that shows everything that is wrong with it."""
    draft, problems = validation.read(data, folder, objects or {})
    project = Project(draft.definition, folder, path, places or {}, objects or {})
    outside = list(validation.outside_problems(draft)) if confined else []
    # Nothing is opened as long as anything lies outside.
    DiagnosticsError.raise_if_any(_located(chain(problems, outside or _problems(draft)), project))
    return project


def require_confined(project: Project) -> None:
    """Refuse a project of a file that leads out of its folder now, through a link that was changed since."""
    DiagnosticsError.raise_if_any(_located(_outside(project), project))


def _outside(project: Project) -> list[Problem]:
    draft = Draft.of(project.definition, project.folder, project.objects)
    return [] if project.path is None else list(validation.outside_problems(draft))


@validate.arguments
def check(project: Project) -> list[Diagnostic]:
    """Everything that is wrong with a project as things stand now; warnings too.

    Parameters
    ----------
    project
        Checked when it was loaded; files may have changed since.

    Returns
    -------
    list of Diagnostic
        In the order of the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> import surefoot as sf
    >>> by = {"name": "A. Berg", "date": "2026-05-01", "reason": "No log has more."}
    >>> said = {"step": "stated", "quantity": "demand rate", "value": 0.01, "source": "logs", "answered_by": by}
    >>> asked = {"estimate": "demands.demand rate", "at_most": 0.02}
    >>> file = {"version": 1, "system": {"name": "gate"}, "evidence": {"demands": said}, "targets": {"rare": asked}}
    >>> project = sf.project.from_data(file, folder=Path())
    >>> sf.project.check(project)
    []

    """
    draft = Draft.of(project.definition, project.folder, project.objects)
    found = _located(_outside(project) or chain(_problems(draft), sample_problems(draft)), project)
    if any(each.severity == "error" for each in found):
        return found
    return [*found, *_located(variation_problems(project), project)]


def _problems(draft: Draft) -> Iterator[Problem]:
    yield from source_problems(draft)
    yield from step_problems(draft)
    yield from condition_problems(draft)
    yield from target_problems(draft)
    yield from case_problems(draft)
    yield from document_problems(draft)


def _located(problems: Iterable[Problem], project: Project) -> list[Diagnostic]:
    """In the order of the file, and no more than a reader can mend at once."""
    some = list(islice(problems, MOST_PROBLEMS + 1))
    shown = sorted(some[:MOST_PROBLEMS], key=lambda p: project.line(*p.path))
    found = [problem.located(project.path, Document(None, project.places)) for problem in shown]
    if len(some) > MOST_PROBLEMS:
        text = f"There are more than {MOST_PROBLEMS} problems; the others are shown once these are mended."
        found.append(Diagnostic("wrong-value", text, "error", project.where()))
    return list(dict.fromkeys(found))


def _read(file: Path) -> Document:
    """What a project file says; all that is no YAML, or more of it than a project needs, is told with its place."""
    findings = Findings(printable(file.name), PROJECT)
    document = yaml.parse(read_text(file, findings), findings)
    if not isinstance(document.data, dict):
        text = "the file must be a mapping of keys and values."
        findings.stop("wrong-value", text, line=START, hint="Begin: version: 1")
    findings.raise_if_any()
    return document


def _file(path: Path) -> Path:
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:
        raise DiagnosticsError.of("file-unreadable", f"the path cannot be used: {error}.") from error
    if is_folder and not (path / FILE).exists():
        text = f"the folder has no {FILE}."
        hint = "Run surefoot init there, or name the file."
        raise DiagnosticsError.of("file-missing", text, where=printable(path), hint=hint)
    if not is_there:
        text = "there is no such file."
        hint = "surefoot init writes a project to start from."
        raise DiagnosticsError.of("file-missing", text, where=printable(path), hint=hint)
    return path / FILE if is_folder else path


# Projects from Python objects: plain values as a file would hold them, models and data set aside.


def plain(value: Any, at: Keys = ()) -> Any:
    """Texts, finite numbers, lists and mappings, as a file would hold them; anything else is an error."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if len(at) > DEEPEST:
        raise _wrong(at, f"is nested more than {DEEPEST} deep.")
    if isinstance(value, Mapping):
        return {_key(key, at): plain(item, (*at, str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, (*at, number)) for number, item in enumerate(value)]
    if not _fits_in_a_file(value):
        raise _wrong(at, f"must be what a file can hold; found {_shown(value)}.")
    return value


OF_FRAMES = ("predictions", "repeats", "scores", "output")
"""Further columns of a frame that may be named."""


def component_from(
    name: str,
    model: Any,
    data: Any,
    classes: Sequence[Any],
    columns: Mapping[str, Any] | None = None,
    *,
    judged: bool = False,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file would say of the component, and its objects by name."""
    rows, named = _data_sets(data), {key: value for key, value in (columns or {}).items() if value not in (None, ())}
    if named and not any(is_frame(each) for each in rows.values()):
        text = "names a column, and the data are no frame."
        raise DiagnosticsError.of("wrong-value", text, where=next(iter(named)), hint="Give a frame, or leave it out.")
    first = next((title for title in rows if is_frame(rows[title])), "")
    component: dict[str, Any] = {
        "classes": list(classes) if isinstance(classes, str) else list(class_names(classes)),
        "data": {
            title: _frame(title, each, named, title == first, judged) if is_frame(each) else _rows(title, each)
            for title, each in rows.items()
        },
    }
    if model is not None:
        component[MODEL] = _model(model)
    given = [*rows.items(), *([(MODEL, model)] if model is not None else [])]
    return component, {f"{name}.{title}": value for title, value in given if not _is_text(value)}


def _judging(name: str, data: Any, task: str | None, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file would say of the task, and the functions that judge, by the key they stand under."""
    known = {key for keys in KEYS_OF_TASK.values() for key in keys}
    for key in given:
        if key not in known and key not in OF_FRAMES:
            hint = did_you_mean(key, known)
            raise DiagnosticsError.of("unknown-key", "is no part of a project.", where=key, hint=hint)
    functions = {key: value for key, value in given.items() if callable(value)}
    said: dict[str, Any] = {key: value for key, value in given.items() if key not in functions}
    said |= {key: f"{IN_MEMORY}:{getattr(value, '__name__', key)}" for key, value in functions.items()}
    if "failed" in (data if isinstance(data, Mapping) else Frame(data).names if is_frame(data) else ()):
        said.setdefault("failed", "failed")
    return said | ({} if task is None else {"task": task}), {f"{name}:{key}": value for key, value in functions.items()}


def _data_sets(data: Any) -> dict[str, Any]:
    if data is None:
        raise DiagnosticsError.of("missing-key", "is missing.", where="data", hint="Give (inputs, labels).")
    if isinstance(data, Mapping) and not any(key in data for key in (*KEYS, *JUDGED_KEYS)):
        return {_key(title, ("data",)): rows for title, rows in data.items()}
    return {"test": data}


def _model(model: Any) -> str | dict[str, Any]:
    if _is_text(model):
        return str(model)
    as_model(model)
    return _in_memory(model)


def _rows(title: str, rows: Any) -> str | dict[str, Any]:
    if _is_text(rows):
        return str(rows)
    if isinstance(rows, Mapping):
        return _in_memory(rows) | _parts(rows, ("data", title))
    if isinstance(rows, tuple) and len(rows) != 2:
        raise _wrong(("data", title), f"must be (inputs, labels); found {len(rows)} values.")
    if isinstance(rows, np.ndarray) or not (hasattr(rows, "__len__") and hasattr(rows, "__getitem__")):
        raise _wrong(("data", title), f"must be (inputs, labels) or a mapping; found {_shown(rows)}.")
    return _in_memory(rows)


def _frame(title: str, native: Any, named: Mapping[str, Any], first: bool, judged: bool) -> dict[str, Any]:
    """What a file would say of a frame: which columns play which part; only the first needs the truth."""
    there = Frame(native, f"data.{title}").names
    said = {key: [value] if isinstance(value, str) else list(value) for key, value in named.items() if key != "output"}
    lacking = [(key, each) for key, names in said.items() for each in names if each not in there]
    for key, each in (pair for pair in lacking if first or pair[0] != "labels"):
        text = f"names {quoted(each)}, which is no column of the frame ({listed(there)})."
        raise DiagnosticsError.of("data-column", text, where=key, hint=did_you_mean(each, there))
    if first and not judged and not {"labels", "scores", "predictions"} & set(said):
        usual = next((name for name in LABEL_NAMES if name in there), there[-1])
        text = "are a frame, and nothing says which of its columns is the truth."
        hint = f"Write labels={usual!r}, or give (frame, labels)."
        raise DiagnosticsError.of("missing-key", text, where="data", hint=hint)
    gone = {key for key, _ in lacking}
    kept = {key: value for key, value in named.items() if key not in gone}
    return _in_memory(native) | {"labels": None} | plain(kept)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | Path)


def _in_memory(value: Any) -> dict[str, Any]:
    return {"callable": f"{IN_MEMORY}:{type(value).__name__}"}


def _parts(rows: Mapping[str, Any], at: Keys) -> dict[str, Any]:
    """Which parts of a data set the mapping brings."""
    for key in rows:
        if key not in (*KEYS, *JUDGED_KEYS, *ALONE):
            hint = did_you_mean(str(key), (*KEYS, *JUDGED_KEYS, *ALONE))
            raise DiagnosticsError.of(
                "unknown-key", "is no part of a data set.", where=dotted((*at, str(key))), hint=hint
            )
    attributes = rows.get("attributes", {})
    if not isinstance(attributes, Mapping):
        raise _wrong((*at, "attributes"), f"must be a mapping of names to columns; found {_shown(attributes)}.")
    known = ("scores", "groups", *OF_TASKS, *OF_SEQUENCES)
    named: dict[str, Any] = {part: part for part in known if rows.get(part) is not None and part not in ALONE}
    named |= {part: plain(rows[part], (*at, part)) for part in ALONE[1:] if rows.get(part) is not None}
    return {**named, "attributes": list(attributes)}


def _key(key: Any, at: Keys) -> str:
    if not isinstance(key, str) or not _fits_in_a_file(key):
        raise _wrong(at, f"must have text as keys; found {_shown(key)}.")
    return str(key)


def _fits_in_a_file(value: Any) -> bool:
    if isinstance(value, str):
        return not FORBIDDEN.search(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and abs(value) < LARGEST)


def _shown(value: Any) -> str:
    return shown(value) if isinstance(value, str | float) else f"an object of type {type(value).__name__}"


def _wrong(at: Keys, text: str) -> DiagnosticsError:
    return DiagnosticsError.of("wrong-value", text, where=dotted(at))
