"""JSON Schema of the project file, by which editors complete and check it, and the reference of the steps."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from surefoot.core import DiagnosticsError
from surefoot.project.checks.validation import PATTERN
from surefoot.project.definition import (
    FAULT_TREE,
    HAZOP,
    NAME,
    SCENARIO_TREE,
    VERSION,
    DataSource,
    Definition,
    EvidenceSource,
    HazardsSource,
    LimitSource,
    ModelSource,
    ScenariosSource,
    TargetSource,
    TreeSource,
)
from surefoot.project.definition.system import all_keys
from surefoot.project.registry import COMPONENT_KEYS, DataParameter, Step, find, names, step

DIALECT = "https://json-schema.org/draft/2020-12/schema"
SHORT_FORMS = {
    ModelSource: "A model file, or module:name of a callable.",
    DataSource: "A data file or folder, or module:name of a function that returns the data.",
}
SECTIONS: tuple[tuple[type[BaseModel], str, tuple[str, ...]], ...] = (
    (TreeSource, FAULT_TREE, ()),
    (HazardsSource, HAZOP, ()),
    (ScenariosSource, SCENARIO_TREE, ("top", "worksheet")),
)
"""Sections that stand for steps, and the parameters that they do not take."""
_RESULT: dict[str, Any] = {
    "type": "string",
    "pattern": PATTERN,
    "description": "A result of another step: step.quantity.",
}
_RESULTS: dict[str, dict[str, Any]] = {
    "one": _RESULT,
    "many": {"type": "object", "minProperties": 1, "additionalProperties": _RESULT},
    "list": {"type": "array", "minItems": 1, "items": _RESULT},
}


class _WithoutTitles(GenerateJsonSchema):
    """Titles made from names say nothing that the names do not say."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def json_schema() -> dict[str, Any]:
    """The JSON Schema of ``surefoot.yaml``, with every registered step.

    Returns
    -------
    dict
        JSON Schema, draft 2020-12.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.project.json_schema()["title"]
    'Project file of Surefoot'

    """
    schema = Definition.model_json_schema(schema_generator=_WithoutTitles)
    definitions = schema.pop("$defs")
    for kind, description in SHORT_FORMS.items():
        short = {"type": "string", "minLength": 1, "description": description}
        definitions[kind.__name__] = {"anyOf": [short, definitions[kind.__name__]]}
    for source in (LimitSource, TargetSource):
        definitions[source.__name__]["allOf"] = _principles()
    steps = step_schema()
    definitions |= steps.pop("$defs")
    definitions[EvidenceSource.__name__] = {key: value for key, value in steps.items() if not key.startswith("$")}
    for section, name, aside in SECTIONS:
        definitions[section.__name__] = _section(
            definitions[section.__name__], definitions[f"step.{name}"], ("step", *aside)
        )
    short_sheet = {"type": "string", "minLength": 1, "description": "The file of the worksheet."}
    definitions[HazardsSource.__name__] = {"anyOf": [short_sheet, definitions[HazardsSource.__name__]]}
    head = _head("project", "Project file of Surefoot")
    return _closed({**head, **schema, "title": head["title"], "$defs": dict(sorted(definitions.items()))})


def step_schema() -> dict[str, Any]:
    """The JSON Schema of one step of the plan, with the parameters of every registered step.

    Returns
    -------
    dict
        JSON Schema, draft 2020-12.

    Examples
    --------
    >>> import surefoot as sf
    >>> sorted(sf.project.step_schema()["$defs"]["step.stated"]["required"])
    ['quantity', 'source', 'step', 'value']

    """
    found = [(name, *_step(name)) for name in names()]
    choices = [{"const": name, "description": schema["description"].partition("\n")[0]} for name, schema, _ in found]
    definitions = {f"step.{name}": schema for name, schema, _ in found}
    for _, _, inner in found:
        definitions |= inner
    return {
        **_head("step", "A step of a Surefoot project"),
        "type": "object",
        "required": ["step"],
        "properties": {"step": {"oneOf": choices}},
        "allOf": [
            {
                "if": {"properties": {"step": {"const": name}}, "required": ["step"]},
                "then": {"$ref": f"#/$defs/step.{name}"},
            }
            for name in names()
        ],
        "$defs": definitions,
    }


def _principles() -> list[dict[str, Any]]:
    """Which keys go with which principle, and that none goes without one."""
    taken = all_keys()
    every = list(dict.fromkeys(key for keys in taken.values() for key in keys))
    rules: list[dict[str, Any]] = [
        {
            "if": {"properties": {"principle": {"const": principle}}, "required": ["principle"]},
            "then": {
                "required": [key for key, needed in keys.items() if needed],
                "properties": {key: False for key in every if key not in keys},
            },
        }
        for principle, keys in taken.items()
    ]
    without = {"if": {"not": {"required": ["principle"]}}, "then": {"properties": dict.fromkeys(every, False)}}
    return [*rules, without]


def _head(what: str, title: str) -> dict[str, Any]:
    return {"$schema": DIALECT, "$id": f"urn:surefoot:{what}:{VERSION}", "title": title}


def _step(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schema of a step and the definitions it refers to; a step that cannot be loaded allows anything."""
    try:
        step = find(name)
    except DiagnosticsError as error:
        return {"type": "object", "description": str(error)}, {}
    schema = step.parameters.model_json_schema(
        schema_generator=_WithoutTitles, ref_template=f"#/$defs/step.{name}.{{model}}"
    )
    inner = {f"step.{name}.{key}": value for key, value in schema.pop("$defs", {}).items()}
    data_sets = {key: _data_set(parameter) for key, parameter in step.data_sets.items()}
    results = {key: _result(step, key, role) for key, role in step.estimate_names.items()}
    named = [key for key, parameter in step.data_sets.items() if parameter.another]
    required = named + [key for key in results if step.required(key)] + schema.get("required", [])
    properties = {**_common(step), **data_sets, **results, **schema.get("properties", {})}
    return {
        "type": "object",
        "description": step.documentation,
        "properties": properties,
        "required": ["step", *required],
        "additionalProperties": False,
    }, inner


def _section(section: dict[str, Any], step: dict[str, Any], aside: Sequence[str]) -> dict[str, Any]:
    """A section of the project file that stands for a step: the step's parameters beside the section's own keys."""
    parameters = {key: about for key, about in step["properties"].items() if key not in aside}
    required = [key for key in step["required"] if key not in aside]
    own = {**section, "properties": {**parameters, **section.get("properties", {})}, "additionalProperties": False}
    return {**own, "required": required} if required else own


def _common(step: Step) -> dict[str, Any]:
    """The keys that steps share."""
    shared: dict[str, Any] = EvidenceSource.model_json_schema(schema_generator=_WithoutTitles)["properties"]
    return {"step": {"const": step.name}} | {key: shared[key] for key in COMPONENT_KEYS if key in step.keys}


def _data_set(parameter: DataParameter) -> dict[str, Any]:
    name: dict[str, Any] = {"type": "string", "pattern": f"^{NAME}$"}
    kind = name if parameter.required else {"anyOf": [name, {"type": "null"}], "default": None}
    return {**kind, "description": parameter.description}


def _result(step: Step, key: str, role: str) -> dict[str, Any]:
    return _RESULTS[role] if step.required(key) else {"anyOf": [_RESULTS[role], {"type": "null"}], "default": None}


def _closed(schema: Any) -> Any:
    """Names that do not look like names are errors, as they are when the file is read."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    inner = {key: _closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if "patternProperties" in inner else inner


# The reference of the built-in steps, written from their signatures.

BEGIN, END = "<!-- steps: begin -->", "<!-- steps: end -->"
TYPES = {"string": "text", "number": "number", "integer": "whole number", "object": "mapping", "array": "list"}
FROM_STEPS = {"one": "`step.quantity`", "many": "`name: step.quantity`, one or several"}


def reference() -> str:
    """A section for each built-in step: what it does, and its parameters."""
    return "\n\n".join(_reference_section(find(name)) for name in step.own)


def refreshed(text: str) -> str:
    """The text of a page with the reference between its two marks."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{rest.partition(END)[2]}"


def _reference_section(step: Step) -> str:
    schema = step.parameters.model_json_schema()
    required = set(schema.get("required", ()))
    rows = [
        f"| `{name}` | data set | {'needed' if about.another else ''} | {about.description} |"
        for name, about in step.data_sets.items()
    ]
    rows += [
        f"| `{name}` | {FROM_STEPS[role]} | {'needed' if step.required(name) else ''} | Results of earlier steps. |"
        for name, role in step.estimate_names.items()
    ]
    rows += [_row(name, about, name in required) for name, about in schema.get("properties", {}).items()]
    table = "\n".join(["| parameter | values | default | meaning |", "| --- | --- | --- | --- |", *rows])
    return f"### `{step.name}`\n\n{inspect.getdoc(step.function)}\n\n{table}"


def _row(name: str, about: Mapping[str, Any], required: bool) -> str:
    default = "needed" if required else _default(about.get("default"))
    return f"| `{name}` | {_values(about)} | {default} | {about['description']} |"


def _default(value: Any) -> str:
    return "" if value is None else f"`{value if isinstance(value, str) else json.dumps(value)}`"


def _values(about: Mapping[str, Any]) -> str:
    if "anyOf" in about:
        return " or ".join(dict.fromkeys(_values(part) for part in about["anyOf"] if part.get("type") != "null"))
    if "$ref" in about:
        return TYPES["object"]
    if "enum" in about:
        return ", ".join(f"`{word}`" for word in about["enum"])
    if about["type"] == "boolean":
        return "`true`, `false`"
    return f"{TYPES[about['type']]}{_range(about)}"


def _range(about: Mapping[str, Any]) -> str:
    limits = {"exclusiveMinimum": "above", "minimum": "at least", "exclusiveMaximum": "below", "maximum": "at most"}
    found = [f"{word} {about[key]:g}" for key, word in limits.items() if key in about]
    return f" {', '.join(found)}" if found else ""
