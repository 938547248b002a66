"""JSON Schema of a result, for everybody who reads ``result.json`` with other tools."""

from __future__ import annotations

from typing import Any, get_args

from surefoot.case.model import Kind as NodeKind
from surefoot.case.model import Standing
from surefoot.core.assumption import Status as CheckStatus
from surefoot.core.bound import KINDS
from surefoot.core.diagnostics import CODES, Severity
from surefoot.core.target import Status
from surefoot.project.iterations.iteration import VERDICTS
from surefoot.project.result import RESULT_VERSION

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


def result_schema() -> Schema:
    """The schema of ``Result.to_dict()``, which is what ``surefoot assess --json`` writes."""
    result = _object(
        "What an assessment found.",
        version={"const": RESULT_VERSION},
        created=_said(TEXT, "When it was written: ISO 8601, or empty."),
        met=_said({"type": "boolean"}, "Whether there are targets and every one is met."),
        definition=_said(ANY_OBJECT, "The project as it was run; see surefoot schema."),
        answers=_said(_list("answer"), "One a target, in the order of the project file."),
        evidence=_said(_map(_ref("evidence")), "What each step found, by its name."),
        case=_ref("case"),
        keys=_said(_map(TEXT), "The key of each step."),
        digests=_said(_map(TEXT), "SHA-256 of files: component.model, component.data set, evidence.step.parameter."),
        versions=_said(_map(TEXT), "Versions of the libraries that ran."),
        looks=_said(_list("looks"), "How often each test set has been looked at."),
        caveats=_list("diagnostic"),
        iterations=_said(_list("iteration"), "The last iterations of the project, oldest first."),
    )
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Surefoot result"}
    return {**head, **result, "$defs": _answers() | _evidence() | _cases() | _iterations()}


def _answers() -> Schema:
    limit = _or_null(ANY_NUMBER)
    return {
        "answer": _object(
            "A target, the estimate it asks about, and what was found.",
            name=TEXT,
            claim=TEXT,
            reference=_said(TEXT, "step.quantity"),
            target=_ref("target"),
            estimate=_ref("estimate"),
            verdict=_ref("verdict"),
            margin=_said(_or_null(NUMBER), "How many times better the bound is than the limit."),
            needed=_said({"type": "array", "items": TEXT}, "What would be needed, where the target is not met."),
            looks=WHOLE,
            corrected_level=_said(_or_null(NUMBER), "The level at which all looks together keep the target's level."),
            corrected=_said(_or_null(_ref("verdict")), "The verdict at that level."),
            previous=_said(TEXT, "What earlier assessments asked of the same number, where that was something else."),
            optional={"derivation": _said(_ref("table"), "How the limit follows from a principle and its reference.")},
        ),
        "target": _object(
            "What is asked.",
            at_most=limit,
            at_least=limit,
            level=NUMBER,
            per=TEXT,
            source=TEXT,
            kinds={"type": "array", "items": {"enum": list(KINDS)}},
            optional={"uncertainty": _said(_ref("tagged"), "A distribution of the limit itself.")},
        ),
        "verdict": _object(
            "Met, violated, or unproven: neither is shown.",
            status={"enum": list(get_args(Status))},
            text=TEXT,
            bound=_or_null(_ref("tagged")),
            level=NUMBER,
        ),
        "looks": _object("Looks at a data set.", data=TEXT, count=WHOLE),
    }


def _evidence() -> Schema:
    return {
        "evidence": _object(
            "What a step hands back.",
            estimates=_list("estimate"),
            tables=_map(_ref("table")),
            artefacts=_map(_ref("artefact")),
            assumptions=_list("assumption"),
            provenance=_ref("provenance"),
        ),
        "estimate": _object(
            "A quantity with everything it rests on.",
            quantity=TEXT,
            value=NUMBER,
            unit=TEXT,
            scope=TEXT,
            bounds=_list("tagged"),
            dist=_or_null(_ref("tagged")),
            assumptions=_list("assumption"),
            caveats=_list("diagnostic"),
            details=ANY_OBJECT,
            provenance=_ref("provenance"),
        ),
        "tagged": {
            "description": "A bound or a distribution: its type, and the parameters of that type.",
            "type": "object",
            "properties": {"type": TEXT, "side": {"enum": ["upper", "lower"]}, "kind": {"enum": list(KINDS)}},
            "required": ["type"],
        },
        "assumption": _object(
            "A statement that must hold.", id=TEXT, text=TEXT, check=_or_null(_ref("check")), scope=TEXT
        ),
        "check": _object(
            "What was looked at, and what it says.",
            status={"enum": list(get_args(CheckStatus))},
            method=TEXT,
            figures=ANY_OBJECT,
            effect=_said(_or_null(ANY_NUMBER), "Size of the departure."),
        ),
        "table": _object(
            "Named columns; left_out counts the rows that a page does not hold.",
            optional={"left_out": WHOLE},
            columns={"type": "array", "items": TEXT},
            rows={"type": "array", "items": {"type": "array"}},
        ),
        "artefact": _object(
            "Something to look at, in Base64; a page holds its digest and length, and the SHA-256 of what it shows.",
            optional={"left_out": _object("", digest=TEXT, characters=WHOLE, sha256=TEXT, note=TEXT)},
            media_type=TEXT,
            content=TEXT,
        ),
        "provenance": _object(
            "Everything that determines a result.",
            method=TEXT,
            params=ANY_OBJECT,
            inputs={"type": "array", "items": TEXT},
            data=_map(TEXT),
            seed=_or_null(WHOLE),
            versions=_map(TEXT),
        ),
    }


def _cases() -> Schema:
    return {
        "case": _object("A top claim and its context.", top=_ref("node"), context={"type": "array", "items": TEXT}),
        "node": _object(
            "One box of the case.",
            id=TEXT,
            kind={"enum": list(get_args(NodeKind))},
            text=TEXT,
            standing={"enum": list(get_args(Standing))},
            note=TEXT,
            reference=TEXT,
            children=_list("node"),
        ),
        "diagnostic": _object(
            "A finding with a stable code.",
            code={"enum": list(CODES)},
            text=TEXT,
            severity={"enum": list(get_args(Severity))},
            where=TEXT,
            hint=TEXT,
        ),
    }


def _iterations() -> Schema:
    number = _or_null(ANY_NUMBER)
    common = {"name": TEXT, "reference": TEXT, "value": NUMBER, "bound": number, "level": NUMBER}
    return {
        "iteration": _object(
            "What an earlier assessment, or this one, found.",
            number=WHOLE,
            created=TEXT,
            result=_said(TEXT, "Digest of the result when it was recorded."),
            targets=_list("judged"),
            tops=_said(_list("measured"), "Top events of fault trees."),
            events=_said(_list("measured"), "What feeds events of fault trees."),
            required=_said(_map(number), "What each event would need."),
            inputs=_said(_map(TEXT), "SHA-256 of files."),
            looks=_map(WHOLE),
            changed=_said({"type": "array", "items": TEXT}, "What changed since the iteration before."),
            this=_said({"type": "boolean"}, "Whether this result is that iteration."),
        ),
        "measured": _object("A result and its upper bound at a level.", **common),
        "judged": _object(
            "A target, and what was found of it.",
            **common,
            relation={"enum": ["at most", "at least"]},
            limit=ANY_NUMBER,
            cautious=_said(ANY_NUMBER, "What a bound must keep: the limit, or the strict end of an uncertain one."),
            per=TEXT,
            bound_level=_said(NUMBER, "The level of the bound."),
            status={"enum": list(VERDICTS)},
        ),
    }


def _object(description: str, *, optional: Schema | None = None, **properties: Schema) -> Schema:
    said = {"description": description} if description else {}
    return {
        **said,
        "type": "object",
        "properties": {**properties, **(optional or {})},
        "required": list(properties),
        "additionalProperties": False,
    }


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


def _map(items: Schema) -> Schema:
    return {"type": "object", "additionalProperties": items}


def _list(name: str) -> Schema:
    return {"type": "array", "items": _ref(name)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}
