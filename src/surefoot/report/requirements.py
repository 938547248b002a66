"""Safety properties of a worksheet beside the results that are to verify them."""

from __future__ import annotations

from dataclasses import dataclass

from surefoot.core import InvalidInput, Target
from surefoot.hazards import Property
from surefoot.project.result import Result
from surefoot.report.view import worksheets

TABLE = "safety properties"
LEVEL = 0.95
PER = "per "
PROPERTY_WORDS = {"met": "met", "not shown": "not shown", "violated": "violated", "stated": "not by a number here"}
SIDES = {"at most": "at_most", "less than": "at_most", "at least": "at_least", "more than": "at_least"}


@dataclass(frozen=True)
class Requirement:
    """A property, how it is verified, and what the result says about it."""

    property: Property
    status: str
    """``met``, ``violated``, ``not shown`` or ``stated``: by no result of this assessment."""
    finding: str = ""


def requirements(result: Result) -> dict[str, list[Requirement]]:
    """The properties of every worksheet."""
    return {name: _of_sheet(result, name) for name in worksheets(result)}


def _of_sheet(result: Result, name: str) -> list[Requirement]:
    table = result.evidence[name].tables.get(TABLE)
    return [_requirement(result, Property(*row)) for row in table.rows] if table else []


def _requirement(result: Result, asked: Property) -> Requirement:
    if not asked.evidence:
        return Requirement(asked, "stated")
    try:
        estimate = result[asked.evidence]
        target = _target(asked)
        verdict = None if target is None else estimate.meets(target)
    except InvalidInput as error:
        return Requirement(asked, "not shown", str(error))
    if verdict is None:
        return Requirement(asked, "stated", f"{asked.relation!r} is for people to judge.")
    return Requirement(asked, verdict.status, verdict.text)


def _target(asked: Property) -> Target | None:
    """What the property asks of a number; nothing where it asks for something else."""
    if asked.relation not in SIDES or not isinstance(asked.value, float):
        return None
    return Target(**{SIDES[asked.relation]: asked.value}, level=LEVEL, per=asked.unit.removeprefix(PER))  # type: ignore[arg-type]
