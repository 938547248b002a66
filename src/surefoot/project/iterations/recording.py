"""From a result to the record of an iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surefoot.core import Estimate, Evidence, LevelUnavailable, MixedKinds, Side, Table, digest
from surefoot.project.definition import TOP_EVENT
from surefoot.project.iterations.iteration import Iteration, Judged, Measured
from surefoot.project.iterations.record import Record
from surefoot.project.withholding import WITHHELD

if TYPE_CHECKING:
    from surefoot.project.answer import Answer
    from surefoot.project.result import Result

WORKSHEET = "worksheet"
REQUIRING = ("requirements", "events")
REQUIREMENT = ("requirement", "needed at most", "at most")
"""Columns that hold what an event would need, the first one that a table has."""
SHORT = 12
USUAL_LEVEL = 0.95
WORDS_ONLY = ("version", "system", "case")
BY_ENTRY = ("components", "evidence")


def recorded(result: Result) -> Record:
    """The record of a result, without a number yet."""
    iteration = Iteration(
        number=0,
        created=result.created,
        result=result.digest,
        targets=tuple(map(_judged, result.answers)),
        tops=tuple(_tops(result)),
        events=tuple(_strictest(_events(result))),
        required=_required(result),
        inputs=result.digests,
        looks={item.data: item.count for item in result.looks},
    )
    found = {step: _content(evidence) for step, evidence in result.evidence.items()}
    return Record(iteration, dict(_settings(result.definition)), found, _rows(result), result.versions)


def _judged(answer: Answer) -> Judged:
    target = answer.target
    return Judged(
        name=answer.name,
        reference=answer.reference,
        relation=target.relation,
        limit=target.limit,
        cautious=target.cautious_limit(target.alpha),
        level=target.level,
        per=target.per,
        value=answer.estimate.value,
        bound=_proving_bound(answer),
        bound_level=1 - target.alpha,
        status=answer.status,
    )


def _proving_bound(answer: Answer) -> float | None:
    """The bound that could show the target met, also where the other one shows it violated."""
    bound, side = answer.verdict.bound, answer.target.proving_side
    if bound is None or any(assumption.status == "contradicted" for assumption in answer.estimate.assumptions):
        return None
    if bound.side == side:
        return bound.limit
    kind = None if bound.kind == "certain" else bound.kind
    return _limit(answer.estimate, side, 1 - answer.target.alpha, kind=kind)


def _limit(estimate: Estimate, side: Side, level: float, **kind: Any) -> float | None:
    try:
        return estimate.bound(side, level, **kind).limit
    except (LevelUnavailable, MixedKinds):
        return None


def _tops(result: Result) -> Iterator[Measured]:
    for step, evidence in result.evidence.items():
        for estimate in _top_events(evidence):
            level = _level(result, step, evidence)
            bound = _limit(estimate, "upper", level)
            yield Measured(estimate.scope or step, f"{step}.{estimate.reference}", estimate.value, bound, level)


def _events(result: Result) -> Iterator[Measured]:
    """What feeds the events of trees, each at the level of its tree."""
    for step, evidence in result.evidence.items():
        shown = any(WITHHELD not in top.details for top in _top_events(evidence))
        fed = evidence.provenance.params.get("events") if shown else None
        for event, reference in (fed or {}).items():
            estimate, level = result[reference], _level(result, step, evidence)
            yield Measured(event, reference, estimate.value, _limit(estimate, "upper", level), level)


def _top_events(evidence: Evidence) -> list[Estimate]:
    return [estimate for estimate in evidence.estimates if estimate.quantity == TOP_EVENT]


def _level(result: Result, step: str, evidence: Evidence) -> float:
    """The level at which a target compares the top event, or that of the step."""
    asked = (1 - answer.target.alpha for answer in result.answers if answer.reference.startswith(f"{step}.{TOP_EVENT}"))
    return float(next(asked, evidence.provenance.params.get("level", USUAL_LEVEL)))


def _strictest(events: Iterable[Measured]) -> Iterable[Measured]:
    """An event of several trees once, at the highest level."""
    found: dict[tuple[str, str], Measured] = {}
    for event in events:
        known = found.setdefault((event.name, event.reference), event)
        found[event.name, event.reference] = max(known, event, key=lambda each: each.level)
    return found.values()


def _required(result: Result) -> dict[str, float | None]:
    """What each event would need, the least of what several trees ask; None where no number would do for one."""
    found: dict[str, list[float | None]] = {}
    for table in _tables(result, *REQUIRING):
        columns = [table.columns.index(name) for name in REQUIREMENT if name in table.columns]
        for row in table.rows if columns and table.columns[0] == "event" else ():
            found.setdefault(str(row[0]), []).append(_number(row[columns[0]]))
    return {event: _least(asked) for event, asked in found.items()}


def _least(asked: Sequence[float | None]) -> float | None:
    known = [number for number in asked if number is not None]
    return min(known) if len(known) == len(asked) else None


def _number(cell: Any) -> float | None:
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _rows(result: Result) -> dict[str, str]:
    """A digest for each id of a worksheet; rows that share an id share the digest."""
    found: dict[str, str] = {}
    for table in _tables(result, WORKSHEET):
        head = digest(table.columns)
        for row in table.rows if table.columns[0] == "id" else ():
            name = str(row[0])
            found[name] = digest([head, found.get(name), row])[:SHORT]
    return found


def _tables(result: Result, *names: str) -> Iterator[Table]:
    for evidence in result.evidence.values():
        yield from (evidence.tables[name] for name in names if name in evidence.tables)


def _content(evidence: Evidence) -> str:
    """What a step found: numbers and tables, without pictures, whose bytes change with the library that draws."""
    tables = {name: table.to_dict() for name, table in evidence.tables.items()}
    return digest([[estimate.digest for estimate in evidence.estimates], tables])[:SHORT]


def _settings(definition: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The parts of a project file; targets are compared by what they ask."""
    for name, section in definition.items():
        if name in BY_ENTRY:
            yield from ((f"{name}.{entry}", digest(said)[:SHORT]) for entry, said in section.items())
        elif name not in (*WORDS_ONLY, "targets"):
            yield name, digest(_without_targets(section))[:SHORT]


def _without_targets(section: Any) -> Any:
    if not isinstance(section, Mapping):
        return section
    tops = {name: top.get("event") for name, top in section.get("tops", {}).items()}
    return {key: value for key, value in section.items() if key not in ("target", "tops")} | {"tops": tops}
