"""JSON Schema of a result, for everybody who reads ``result.json`` with other tools."""

from __future__ import annotations

from typing import Any, get_args

from surefoot.case.evaluation import Standing
from surefoot.core.assumption import Status as CheckStatus
from surefoot.core.bound import KINDS
from surefoot.core.diagnostics import CODES, Severity
from surefoot.core.target import Status
from surefoot.project.interchange import MEASURED, SAME
from surefoot.project.iterations import VERDICTS
from surefoot.project.result import RESULT_VERSION


def result_schema() -> Schema:
    """The schema of ``Result.to_dict()``, and of files, in which ``{"$same": name}`` stands for an entry of ``shared``.

    Returns
    -------
    dict
        JSON Schema, draft 2020-12.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.report.result_schema()["title"]
    'Surefoot result'

    """
    result = described_object(
        "What an assessment found.",
        version={"const": RESULT_VERSION},
        document=said(or_null(ANY_OBJECT), "Control of the document, as in the project file."),
        created=said(TEXT, "When it was written: ISO 8601, or empty."),
        met=said({"type": "boolean"}, "Whether there are targets, every one is met, and operation contradicts none."),
        headline=said(ref("headline"), "The answer in one line, and what it counts."),
        definition=said(ANY_OBJECT, "The project as it was run; see surefoot schema."),
        answers=said(list_of("answer"), "One a target, in the order of the project file."),
        evidence=said(map_of(ref("evidence")), "What each step found, by its name."),
        case=said(ANY_OBJECT, "The assurance case: nodes by their ids, as in a case file."),
        confidence=said(map_of(_confidence()), "For each node its standing and its confidence."),
        feedback=list_of("feedback"),
        keys=said(map_of(TEXT), "The key of each step."),
        digests=said(map_of(TEXT), "SHA-256 of files: component.model, component.data set, evidence.step.parameter."),
        versions=said(map_of(TEXT), "Versions of the libraries that ran."),
        looks=said(list_of("looks"), "How many pairs of a model and a target each test set has judged."),
        caveats=list_of("diagnostic"),
        iterations=said(list_of("iteration"), "The last iterations of the project, oldest first."),
        optional={
            "history": said(TEXT, "SHA-256 of the last iteration in the store, each of which names the one before."),
            "shared": said(ANY_OBJECT, "What occurs several times in a file, by name."),
        },
    )
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Surefoot result"}
    return {**head, **result, "$defs": _answers() | _evidence() | _findings() | _iterations()}


def _confidence() -> Schema:
    items = [{"enum": list(get_args(Standing))}, or_null({**NUMBER, "minimum": 0, "maximum": 1})]
    return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}


_UNIT = "In place of ``per``: the unit of a quantity that is per nothing."


def _answers() -> Schema:
    limit = or_null(ANY_NUMBER)
    names = {"type": "array", "items": TEXT}
    return {
        "headline": described_object(
            "How many numbers are met, and what the case leaves open.",
            status={"enum": ["met", "not shown", "violated", "none"]},
            text=TEXT,
            numbers_met=WHOLE,
            numbers=WHOLE,
            open_claims=said(names, "Claims that the top claim needs and nothing shows, where this begins."),
            doubts=said(names, "Defeaters that nobody eliminated."),
            unattached=said(names, "Targets that the case of an author does not use."),
            unaccepted=said(names, "Steps of documents that the top claim rests on and that nobody accepted."),
        ),
        "answer": described_object(
            "A target, the estimate it asks about, and what was found.",
            name=TEXT,
            claim=TEXT,
            reference=said(TEXT, "step.quantity"),
            target=ref("target"),
            estimate={"anyOf": [ref("estimate"), _MEASURED]},
            status=said(
                {"enum": list(VERDICTS)}, "What counts: alone is met by itself, and not so that all looks are covered."
            ),
            verdict=said(ref("verdict"), "At the level of the target."),
            margin=said(or_null(NUMBER), "How many times better the bound is than the limit."),
            needed=said({"type": "array", "items": TEXT}, "What would be needed, where the target is not met."),
            looks=said(WHOLE, "The number of this look at the test data."),
            corrected_level=said(
                or_null(NUMBER), "The level of this look: all looks together keep the target's level."
            ),
            corrected=said(or_null(ref("verdict")), "The verdict at that level."),
            previous=said(TEXT, "What earlier assessments asked of the same number, where that was something else."),
            optional={
                "derivation": said(ref("table"), "How the limit follows from a principle and its reference."),
                "refuted": said(TEXT, "What operation brought against it, where that contradicts the target."),
                "new_tests": said(ref("table"), "How many new tests show it with which probability, by the true rate."),
            },
        ),
        "target": described_object(
            "What is asked.",
            at_most=limit,
            at_least=limit,
            level=NUMBER,
            per=TEXT,
            source=TEXT,
            kinds={"type": "array", "items": {"enum": list(KINDS)}},
            optional={
                "uncertainty": said(ref("tagged"), "A distribution of the limit itself."),
                "unit": said(TEXT, _UNIT),
            },
        ),
        "verdict": described_object(
            "Met, violated, or not shown: neither of the two.",
            status={"enum": list(get_args(Status))},
            text=TEXT,
            bound=or_null(ref("tagged")),
            level=NUMBER,
            optional={"answered_by": said({"type": "array", "items": TEXT}, "Who answers for stated values.")},
        ),
        "looks": described_object("Looks at a data set.", data=TEXT, count=WHOLE),
    }


def _evidence() -> Schema:
    return {
        "evidence": described_object(
            "What a step hands back.",
            estimates=list_of("estimate"),
            tables=map_of(ref("table")),
            artefacts=map_of({"anyOf": [ref("artefact"), ref("deflated")]}),
            assumptions=list_of("assumption"),
            provenance=ref("provenance"),
        ),
        "estimate": described_object(
            "A quantity with everything it rests on.",
            quantity=TEXT,
            value=NUMBER,
            unit=TEXT,
            scope=TEXT,
            bounds=list_of("tagged"),
            dist=or_null(ref("tagged")),
            assumptions=list_of("assumption"),
            caveats=list_of("diagnostic"),
            details=ANY_OBJECT,
            provenance=ref("provenance"),
        ),
        "tagged": {
            "description": "A bound or a distribution: its type, and the parameters of that type.",
            "type": "object",
            "properties": {"type": TEXT, "side": {"enum": ["upper", "lower"]}, "kind": {"enum": list(KINDS)}},
            "required": ["type"],
        },
        "assumption": described_object(
            "A statement that must hold; beyond_tests where it reaches inputs that nobody tested.",
            optional={
                "beyond_tests": {"const": True},
                "stated": said({"const": True}, "It is that of a value which was stated, not measured."),
                "answer": described_object("Who answers for it.", by=TEXT, date=TEXT, reason=TEXT),
            },
            id=TEXT,
            text=TEXT,
            check=or_null(ref("check")),
            scope=TEXT,
        ),
        "check": described_object(
            "What was looked at, and what it says.",
            status={"enum": list(get_args(CheckStatus))},
            method=TEXT,
            figures=ANY_OBJECT,
            effect=said(or_null(ANY_NUMBER), "Size of the departure."),
        ),
        "table": described_object(
            "Named columns; left_out counts the rows that a page does not hold.",
            optional={"left_out": WHOLE},
            columns={"type": "array", "items": TEXT},
            rows={"type": "array", "items": {"type": "array"}},
        ),
        "artefact": described_object(
            "Something to look at, in Base64; a page holds its digest and length, and the SHA-256 of what it shows.",
            optional={"left_out": described_object("", digest=TEXT, characters=WHOLE, sha256=TEXT, note=TEXT)},
            media_type=TEXT,
            content=TEXT,
        ),
        "deflated": described_object(
            "Something to look at, deflated (zlib) and in Base64, as files have it.", media_type=TEXT, deflated=TEXT
        ),
        "provenance": described_object(
            "Everything that determines a result.",
            method=TEXT,
            params=ANY_OBJECT,
            inputs={"type": "array", "items": TEXT},
            data=map_of(TEXT),
            seed=or_null(WHOLE),
            versions=map_of(TEXT),
        ),
    }


def _findings() -> Schema:
    return {
        "feedback": described_object(
            "What operation brought since.",
            claim=said(TEXT, "The claim of the case it speaks of."),
            exposure=NUMBER,
            per=TEXT,
            incidents=WHOLE,
            since=TEXT,
            until=TEXT,
            source=TEXT,
        ),
        "diagnostic": described_object(
            "A finding with a stable code.",
            code={"enum": list(CODES)},
            text=TEXT,
            severity={"enum": list(get_args(Severity))},
            where=TEXT,
            hint=TEXT,
        ),
    }


def _iterations() -> Schema:
    number = or_null(ANY_NUMBER)
    common = {"name": TEXT, "reference": TEXT, "value": NUMBER, "bound": number, "level": NUMBER}
    return {
        "iteration": described_object(
            "What an earlier assessment, or this one, found.",
            number=WHOLE,
            created=TEXT,
            result=said(TEXT, "Digest of the result when it was recorded."),
            targets=list_of("judged"),
            tops=said(list_of("measured"), "Top events of fault trees."),
            events=said(list_of("measured"), "What feeds events of fault trees."),
            required=said(map_of(number), "What each event would need."),
            inputs=said(map_of(TEXT), "SHA-256 of files."),
            looks=map_of(WHOLE),
            changed=said({"type": "array", "items": TEXT}, "What changed since the iteration before."),
            this=said({"type": "boolean"}, "Whether this result is that iteration."),
        ),
        "measured": described_object("A result and its upper bound at a level.", **common),
        "judged": described_object(
            "A target, and what was found of it.",
            **common,
            relation={"enum": ["at most", "at least"]},
            limit=ANY_NUMBER,
            cautious=said(ANY_NUMBER, "What a bound must keep: the limit, or the strict end of an uncertain one."),
            per=TEXT,
            bound_level=said(NUMBER, "The level of the bound."),
            status={"enum": list(VERDICTS)},
            optional={"unit": said(TEXT, _UNIT)},
        ),
    }


# Words of JSON Schema.

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
_SAME: Schema = {"type": "object", "properties": {SAME: TEXT}, "required": [SAME], "additionalProperties": False}
_MEASURED: Schema = {
    "description": "The step and the place among its estimates, and what differs from that.",
    "type": "object",
    "properties": {MEASURED: {"type": "array", "prefixItems": [TEXT, WHOLE], "items": False}},
    "required": [MEASURED],
}


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
    """A mapping from text, or the name of what is shared."""
    return {"anyOf": [_SAME, {"type": "object", "additionalProperties": items}]}


def list_of(name: str) -> Schema:
    """A list of what a definition describes."""
    return {"type": "array", "items": ref(name)}


def ref(name: str) -> Schema:
    """What a definition of that name describes, or the name of what is shared."""
    return {"anyOf": [{"$ref": f"#/$defs/{name}"}, _SAME]}


def or_null(schema: Schema) -> Schema:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}
