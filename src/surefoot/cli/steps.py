"""``surefoot steps``: what evidence can be computed, and what each step may be told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer

from surefoot.cli.console import say, table

SHARED_KEYS = ("step",)
WORDS = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "object": "mapping",
    "null": "",
}


def steps(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A step, to see its parameters.", show_default="all steps")
    ] = None,
) -> None:
    """List the steps that compute evidence, or the parameters of one."""
    from surefoot.project.step import find, names

    if name is None:
        table(("step", "what it does"), [(each, _summary(each)) for each in names()])
        say("\nsurefoot steps NAME shows the parameters of a step.")
        return
    say(f"{name}\n\n{find(name).documentation}\n")
    table(("parameter", "meaning"), list(_parameters(name)))


def _summary(name: str) -> str:
    from surefoot.core import DiagnosticsError
    from surefoot.project.step import find

    try:
        step = find(name)
    except DiagnosticsError as error:
        return error.diagnostics[0].text
    return f"{step.summary} ({step.distribution})" if step.distribution else step.summary


def _parameters(name: str) -> Iterator[tuple[str, str]]:
    from surefoot.project import step_schema

    definitions = step_schema()["$defs"]
    schema = definitions[f"step.{name}"]
    for key, about in schema["properties"].items():
        if key not in SHARED_KEYS:
            needed = "; needed" if key in schema["required"] else _default(about.get("default"))
            yield key, f"{_type(about, definitions)}{needed}\n{about.get('description', '')}".strip()


def _default(value: Any) -> str:
    return "" if value is None else f"; {json.dumps(value).strip(chr(34))} by default"


def _type(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A JSON Schema in a few words."""
    if "$ref" in schema:
        return _type(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(word for part in schema["anyOf"] if (word := _type(part, definitions))))
    if "enum" in schema or "const" in schema:
        return ", ".join(map(str, schema.get("enum", [schema.get("const")])))
    kind = schema.get("type", "anything")
    if kind == "array":
        inner = schema.get("items")
        return f"list of {_type(inner, definitions)}" if isinstance(inner, Mapping) else "list"
    return WORDS.get(kind, kind)
