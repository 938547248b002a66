"""Words of JSON Schema."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
ANY_OBJECT: Schema = {"type": "object"}
INFINITE: Schema = {
    "description": "An infinite number.",
    "type": "object",
    "properties": {"$float": {"enum": ["inf", "-inf"]}},
    "required": ["$float"],
    "additionalProperties": False,
}
ANY_NUMBER: Schema = {"anyOf": [NUMBER, INFINITE]}


def described_object(description: str, *, optional: Schema | None = None, **properties: Schema) -> Schema:
    """An object with exactly these properties; all but the optional ones are needed."""
    told = {"description": description} if description else {}
    return {
        **told,
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def said(schema: Schema, description: str) -> Schema:
    """A schema with a description."""
    return {**schema, "description": description}


def map_of(items: Schema) -> Schema:
    """A mapping from text."""
    return {"type": "object", "additionalProperties": items}


def list_of(name: str) -> Schema:
    """A list of what a definition describes."""
    return {"type": "array", "items": ref(name)}


def ref(name: str) -> Schema:
    """What a definition of that name describes."""
    return {"$ref": f"#/$defs/{name}"}


def or_null(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}
