"""The reference of the built-in steps, written from their signatures."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

from surefoot.project.step import Step, find, step

BEGIN, END = "<!-- steps: begin -->", "<!-- steps: end -->"
TYPES = {"string": "text", "number": "number", "integer": "whole number", "object": "mapping", "array": "list"}
FROM_STEPS = {"one": "`step.quantity`", "many": "`name: step.quantity`, one or several"}


def reference() -> str:
    """A section for each built-in step: what it does, and its parameters."""
    return "\n\n".join(_section(find(name)) for name in step.own)


def refreshed(text: str) -> str:
    """The text of a page with the reference between its two marks."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{reference()}\n\n{END}{rest.partition(END)[2]}"


def _section(step: Step) -> str:
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
    if "enum" in about:
        return ", ".join(f"`{word}`" for word in about["enum"])
    if about["type"] == "boolean":
        return "`true`, `false`"
    return f"{TYPES[about['type']]}{_range(about)}"


def _range(about: Mapping[str, Any]) -> str:
    limits = {"exclusiveMinimum": "above", "minimum": "at least", "exclusiveMaximum": "below", "maximum": "at most"}
    found = [f"{word} {about[key]:g}" for key, word in limits.items() if key in about]
    return f" {', '.join(found)}" if found else ""
