"""What of a project file could be read, and what is wrong with the rest, in the words of the file.

``Draft`` is the readable part, so that everything else can be checked although a part is wrong. Findings of pydantic
become problems with one sentence each; results of other steps are written ``step.quantity``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from glob import escape, glob
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from surefoot.adapters.project_code import IMPORTABLE, REFERENCE
from surefoot.core import DiagnosticsError, SurefootError
from surefoot.documents import Keys, Problem, closest, did_you_mean, printable, shown
from surefoot.project.definition import (
    COMPUTED,
    DOCUMENT,
    HAZARDS,
    MODEL,
    NAME,
    SCENARIOS,
    TREE,
    VERSION,
    Component,
    Conditions,
    DataSource,
    Definition,
    DocumentControl,
    EvidenceSource,
    HazardsSource,
    ModelSource,
    ScenariosSource,
    TargetSource,
    TreeSource,
)
from surefoot.project.inputs import files_named
from surefoot.project.registry import Step, find, keys_at

Entry = TypeVar("Entry", bound=BaseModel)
Source = ModelSource | DataSource


@dataclass(frozen=True)
class Draft:
    """The readable part of a definition, and the names of all that was written, readable or not."""

    definition: Definition
    sources: Mapping[Keys, Source]
    """Readable models and data sets by their keys, also those of components that are wrong elsewhere."""
    component_names: Collection[str]
    step_names: Collection[str]
    folder: Path
    objects: Mapping[str, Any]

    @classmethod
    def of(cls, definition: Definition, folder: Path, objects: Mapping[str, Any]) -> Draft:
        """The draft of a whole definition."""
        sources: dict[Keys, Source] = {}
        for name, component in definition.components.items():
            if component.model is not None:
                sources["components", name, MODEL] = component.model
            sources |= {("components", name, "data", title): source for title, source in component.data.items()}
        return cls(definition, sources, definition.components, definition.steps, folder, objects)


def read(data: Mapping[str, Any], folder: Path, objects: Mapping[str, Any]) -> tuple[Draft, list[Problem]]:
    """Validate data against the definition: what could be read, and what is wrong with the rest."""
    problems = _version_problems(data)
    if any(problem.code == "unsupported-version" for problem in problems):
        return _Readable({}, frozenset()).draft(folder, objects), problems
    problems += _missing_parts(data)
    try:
        return Draft.of(_validated(Definition, data), folder, objects), problems
    except ValidationError as error:
        problems += [p for p in pydantic_problems(error, data, Definition) if p.path != ("version",)]
    wrong = frozenset(problem.path[:depth] for problem in problems for depth in range(len(problem.path) + 1))
    return _Readable(data, wrong).draft(folder, objects), problems


def _version_problems(data: Mapping[str, Any]) -> list[Problem]:
    version = data.get("version")
    if version == VERSION and type(version) is int:
        return []
    if version is None:
        return [Problem("missing-key", ("version",), "is missing.", f"Write version: {VERSION} in the first line.")]
    if type(version) is not int:
        return [Problem("wrong-value", ("version",), f"must be {VERSION}; found {shown(version)}.")]
    text = f"is {shown(version)}, and this Surefoot reads version {VERSION}."
    hint = "Run: pip install --upgrade surefoot" if version > VERSION else f"Write version: {VERSION} and check again."
    return [Problem("unsupported-version", ("version",), text, hint)]


def _missing_parts(data: Mapping[str, Any]) -> list[Problem]:
    """What only some projects may leave out: whatever is computed, and the components that steps work on."""
    if not any(key in data for key in COMPUTED):
        return [Problem("missing-key", ("evidence",), "is missing.", f"Or add one of {', '.join(COMPUTED[1:])}.")]
    evidence = data.get("evidence")
    steps = evidence.values() if isinstance(evidence, Mapping) else ()
    if "components" not in data and any(map(_works_on_component, steps)):
        return [Problem("missing-key", ("components",), "is missing.", "Name the model and its data.")]
    return []


def _works_on_component(said: Any) -> bool:
    name = said.get("step") if isinstance(said, Mapping) else None
    try:
        return isinstance(name, str) and find(name).uses_component
    except DiagnosticsError:
        return False


@dataclass(frozen=True)
class _Readable:
    """Data of which some parts are known to be wrong."""

    data: Mapping[str, Any]
    wrong: frozenset[Keys]

    def draft(self, folder: Path, objects: Mapping[str, Any]) -> Draft:
        definition = Definition.model_construct(
            conditions=Conditions() if ("conditions",) in self.wrong else self._value(Conditions, "conditions"),
            components=self._entries(Component, "components"),
            evidence=self._entries(EvidenceSource, "evidence"),
            targets=self._entries(TargetSource, "targets"),
            tree=self._section(TreeSource, TREE),
            hazards=self._section(HazardsSource, HAZARDS),
            scenarios=self._section(ScenariosSource, SCENARIOS),
            document=self._section(DocumentControl, DOCUMENT),
            allow_outside=_texts(self.data.get("allow_outside")),
        )
        components = self._at("components")
        tops = self._at(SCENARIOS, "tops") or [name for name in (SCENARIOS,) if name in self.data]
        sections = [name for name in (TREE, HAZARDS) if name in self.data]
        steps = {**self._at("evidence"), **dict.fromkeys((*sections, *tops))}
        return Draft(definition, self._sources(components), components, steps, folder, objects)

    def _section(self, kind: type[Entry], name: str) -> Entry | None:
        return self._value(kind, name) if self.data.get(name) and (name,) not in self.wrong else None

    def _sources(self, components: Collection[str]) -> dict[Keys, Source]:
        found: dict[Keys, Source] = {}
        for name in components:
            at = ("components", name)
            if self._at(*at).get(MODEL) is not None and (*at, MODEL) not in self.wrong:
                found[*at, MODEL] = self._value(ModelSource, *at, MODEL)
            data = self._entries(DataSource, *at, "data")
            found |= {(*at, "data", title): source for title, source in data.items()}
        return found

    def _entries(self, kind: type[Entry], *path: str) -> dict[str, Entry]:
        return {name: self._value(kind, *path, name) for name in self._at(*path) if (*path, name) not in self.wrong}

    def _value(self, kind: type[Entry], *path: str) -> Entry:
        return _validated(kind, self._at(*path[:-1]).get(path[-1], {}))

    def _at(self, *path: str) -> Mapping[str, Any]:
        """The mapping that the keys lead to; empty where there is none."""
        value: Any = self.data
        for key in path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value if isinstance(value, Mapping) else {}


# Whether what a project names lies in its folder, found out before any of it is opened.


def outside_problems(draft: Draft) -> Iterator[Problem]:
    """Files, folders and code outside the project's folder and all that ``allow_outside`` names."""
    allowed = draft.definition.allow_outside
    for number, name in enumerate(allowed):
        if not os.path.isdir(draft.folder / name):
            text = f"names a folder that is not there: {printable(name, 80)}."
            yield Problem("file-missing", ("allow_outside", number), text, "Remove it, or correct the path.")
    roots = [draft.folder, *(draft.folder / name for name in allowed)]
    for at, text, path in _leading_outside(draft, roots):
        real = os.path.realpath(path)
        leads = (
            "" if real == os.path.normpath(draft.folder.absolute() / text) else f", which leads to {printable(real)}"
        )
        problem = f"lies outside the folder of the project: {printable(text, 80)}{leads}."
        hint = f"Copy it into the project, or write allow_outside: [{printable(_around(text, path, draft.folder))}]."
        yield Problem("path-outside", at, problem, hint)


def allowing(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The same with all folders outside that it names files in, for a project that somebody writes for its author."""
    draft = read(data, folder, {})[0]
    found = (_around(text, path, folder) for _, text, path in _leading_outside(draft, [folder]))
    folders = list(dict.fromkeys(found))
    return {**data, "allow_outside": folders} if folders else {**data}


def _leading_outside(draft: Draft, roots: list[Path]) -> Iterator[tuple[Keys, str, str]]:
    """Where each is written, how, and the first path that leads out."""
    real = [os.path.realpath(root) for root in roots]
    for at, text in _paths_named(draft):
        with suppress(ValueError):  # A path that cannot be is told about where it is looked for.
            out = (path for path in _ends(text, draft.folder) if not _lies_in(os.path.realpath(path), real))
            yield from ((at, text, path) for path in islice(out, 1))


def _lies_in(path: str, roots: Iterable[str]) -> bool:
    return any(path == root or path.startswith(os.path.join(root, "")) for root in roots)


def _around(text: str, path: str, folder: Path) -> str:
    """The folder around what lies outside, as the author wrote it where that is the same one."""
    real = os.path.realpath(path)
    if os.path.isdir(folder / text) and os.path.realpath(folder / text) == real:
        return text
    written = os.path.dirname(text) or "."
    return written if os.path.realpath(folder / written) == os.path.dirname(real) else os.path.dirname(real)


def _ends(text: str, folder: Path) -> Iterator[str]:
    """What a path or ``module:name`` leads to: the file, the tables beside it, or a folder with the links inside."""
    if REFERENCE.fullmatch(text):
        names = text.partition(":")[0].split(".")
        for depth in range(1, len(names) + 1):
            base = os.path.join(folder, *names[:depth])
            yield from (base, *(f"{base}{suffix}" for suffix in IMPORTABLE))
        return
    path = os.path.join(folder, text)
    yield path
    if path.endswith(".csv"):
        yield from glob(f"{escape(path.removesuffix('.csv'))}.*.csv")
    for place, folders, files in os.walk(path):
        yield from filter(os.path.islink, (os.path.join(place, name) for name in (*folders, *files)))


def _paths_named(draft: Draft) -> Iterator[tuple[Keys, str]]:
    """Every path, and every ``module:name``, that is read from disk, with its keys."""
    for at, source in draft.sources.items():
        if f"{at[1]}.{at[-1]}" not in draft.objects:
            yield from (((*at, *keys), text) for keys, text in _of_source(source))
    for name, component in draft.definition.components.items():
        functions = {key: text for key, text in component.functions.items() if f"{name}:{key}" not in draft.objects}
        yield from ((("components", name, key), text) for key, text in functions.items())
    for name, step in draft.definition.steps.items():
        with suppress(DiagnosticsError):  # A step that there is none of is told about elsewhere.
            named = files_named(find(step.step).fields, step.parameters)
            yield from (((*draft.definition.place_of_step(name), *at), text) for at, (text, _) in named.items())
    if draft.definition.case.file is not None:
        yield ("case", "file"), draft.definition.case.file


def _of_source(source: Source) -> Iterator[tuple[Keys, str]]:
    keys = ("path", "weights", "callable", "factory", "images")
    yield from (((key,), text) for key in keys if isinstance(text := getattr(source, key, None), str))
    several = getattr(source, "files", None) or getattr(source, "predictions", None) or ()
    key = "files" if isinstance(source, ModelSource) else "predictions"
    yield from [((key,), several)] if isinstance(several, str) else (((key, n), text) for n, text in enumerate(several))
    if isinstance(source, ModelSource) and source.detector is not None and source.detector.decode is not None:
        yield ("detector", "decode"), source.detector.decode


def _texts(given: Any) -> list[str]:
    """The texts among what was given, one or several."""
    several = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return [text for text in several if isinstance(text, str)]


def _validated(kind: type[Entry], value: Any) -> Entry:
    # As JSON, because there a list may become a tuple while nothing else changes its type.
    return kind.model_validate_json(json.dumps(value))


# Findings of pydantic in the words of a project file: no jargon, one sentence for each mistake.

EXPECTED = {
    "string_type": "text",
    "string_too_short": "text with at least {min_length} characters",
    "string_too_long": "text with at most {max_length} characters",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "none_required": "empty",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "frozen_set_type": "a list",
    "missing": "longer",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
    "dict_type": "a mapping of keys and values",
    "mapping_type": "a mapping of keys and values",
    "model_type": "a mapping of keys and values",
    "literal_error": "{expected}",
    "enum": "{expected}",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "string_pattern_mismatch": "text that matches {pattern}",
    "multiple_of": "a multiple of {multiple_of}",
}

KEY_ITSELF = "[key]"
"""The last part of a location where a key is wrong, not its value."""


@dataclass(frozen=True)
class _Finding:
    """One error of pydantic: where in the data, and whether it is one branch of an either-or."""

    path: Keys
    branch: bool
    error: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.error["type"])

    @property
    def context(self) -> Mapping[str, Any]:
        return self.error.get("ctx", {})


def pydantic_problems(
    error: ValidationError, data: Mapping[str, Any], model: type[BaseModel], at: Keys = ()
) -> list[Problem]:
    """All findings as problems; ``data`` is what was validated against ``model`` and stands at ``at``."""
    findings = [_Finding(*_path(data, e), e) for e in error.errors(include_url=False)]
    misspelt = _misspelt(findings, model)
    told = [f for f in _furthest(findings) if not (f.kind == "missing" and f.path in misspelt)]
    return [_problem(group, model, at) for group in _by_path(told)]


def _path(data: Any, error: Mapping[str, Any]) -> tuple[Keys, bool]:
    """The part of a location that stands in the data, or is missing there; the rest names branches of a union."""
    location = error["loc"]
    path: list[str | int] = []
    passed = 0
    for number, key in enumerate(location, start=1):
        if _has(data, key):
            data = data[key]
            path.append(key)
        elif key == KEY_ITSELF:
            passed += 1
        elif number == len(location) and error["type"] == "missing" and isinstance(data, dict):
            path.append(key)
    return tuple(path), len(path) + passed < len(location)


def _has(data: Any, key: str | int) -> bool:
    if isinstance(data, dict):
        return key in data
    return isinstance(data, list) and isinstance(key, int) and key < len(data)


def _misspelt(findings: Iterable[_Finding], model: type[BaseModel]) -> set[Keys]:
    """Paths of the keys that unknown keys were probably meant to be."""
    unknown = [f.path for f in findings if f.kind == "extra_forbidden"]
    return {(*path[:-1], closest(str(path[-1]), keys_at(model, path[:-1])) or "") for path in unknown}


def _furthest(findings: list[_Finding]) -> list[_Finding]:
    """Of an either-or only the branch that got furthest says what was meant."""
    passed = {finding.path[:depth] for finding in findings for depth in range(len(finding.path))}
    return [finding for finding in findings if not (finding.branch and finding.path in passed)]


def _by_path(findings: Iterable[_Finding]) -> Iterable[list[_Finding]]:
    groups: dict[Keys, list[_Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.path, []).append(finding)
    return groups.values()


def _problem(group: list[_Finding], model: type[BaseModel], at: Keys) -> Problem:
    first = group[0]
    path = (*at, *first.path)
    if first.kind == "missing" and isinstance(first.error["loc"][-1], str):
        close = closest(str(path[-1]), [key for key in first.error["input"] if isinstance(key, str)])
        return Problem("missing-key", path, "is missing.", f"Is {close!r} meant to be it?" if close else "")
    if first.kind == "extra_forbidden":
        known = keys_at(model, first.path[:-1])
        return Problem("unknown-key", path, "is no key that is known here.", did_you_mean(str(path[-1]), known))
    if first.kind == "value_error":
        return _from_validator(first.context["error"], path)
    value = first.error["input"]
    expected = " or ".join(dict.fromkeys(_expected(finding) for finding in group))
    return Problem("wrong-value", path, f"must be {expected}; found {shown(value)}.", _hint(group, value))


def _from_validator(raised: Exception, path: Keys) -> Problem:
    if isinstance(raised, SurefootError):
        seen = "" if raised.found is None else f"; found {raised.found}"
        return Problem("wrong-value", path, f"is not possible: {raised.problem}{seen}.", raised.remedy)
    return Problem("wrong-value", path, f"{raised}.")


def _expected(finding: _Finding) -> str:
    if finding.context.get("min_length") == 1:
        return "more than empty"
    if finding.context.get("pattern") == f"^{NAME}$":
        return "a name: a letter, then letters, digits, - and _"
    if finding.kind in EXPECTED:
        return EXPECTED[finding.kind].format(**{key: _number(value) for key, value in finding.context.items()})
    text = str(finding.error["msg"])
    return text.partition(" should be ")[2] or f"acceptable ({text})"


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _hint(group: list[_Finding], value: Any) -> str:
    if any(finding.kind == "string_type" for finding in group) and isinstance(value, bool | int | float):
        return "Put it in quotes."
    allowed = [word for f in group for word in re.findall(r"'([^']*)'", f.context.get("expected", ""))]
    close = closest(value, allowed) if isinstance(value, str) else None
    return f"Did you mean {close!r}?" if close else ""


# Results of earlier steps as a project file refers to them: ``step.quantity``.

PATTERN = rf"^{NAME}\..+$"
_EXAMPLE = "written step.quantity, for example 'counted.failure probability'"
SHAPES = {
    "one": f"be a result {_EXAMPLE}",
    "many": f"be a mapping of names to results, each {_EXAMPLE}",
    "list": f"be a list of results, each {_EXAMPLE}",
}
_REFERENCE = re.compile(PATTERN)


def step_in(reference: Any) -> str | None:
    """The step that a reference names; None where it is no reference.

    >>> step_in("counted.failure probability"), step_in("counted")
    ('counted', None)
    """
    fits = isinstance(reference, str) and _REFERENCE.match(reference)
    return reference.partition(".")[0] if fits else None


def fits(role: str, value: Any) -> bool:
    """Whether a value has the shape of one result, of a mapping of results, or of a list."""
    if role == "one":
        return isinstance(value, str)
    return bool(value) and isinstance(value, Mapping if role == "many" else list)


def references(role: str, value: Any) -> dict[Keys, Any]:
    """Each result in a value that fits, by the keys that lead to it."""
    if role == "one":
        return {(): value}
    items = value.items() if role == "many" else enumerate(value)
    return {(key,): item for key, item in items}


def needed_steps(step: Step, given: Mapping[str, Any]) -> list[str]:
    """The steps whose results the parameters refer to."""
    values = [(role, given[key]) for key, role in step.estimate_names.items() if key in given]
    texts = [text for role, value in values if fits(role, value) for text in references(role, value).values()]
    return [name for name in map(step_in, texts) if name]
