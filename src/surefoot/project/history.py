"""The history of a project in its store: read before an assessment, and longer after one that found something new.

Makes the record of an assessment, says in words what changed between two, and decides what may be shown of results
where later models may depend on everything that was shown (``looks: adaptive``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from surefoot.core import (
    Diagnostic,
    Estimate,
    Evidence,
    LevelUnavailable,
    MixedKinds,
    Provenance,
    Side,
    Table,
    Target,
    digest,
)
from surefoot.core.bound import TabulatedBound
from surefoot.documents import listed
from surefoot.project.definition import MODEL, TOP_EVENT, TargetSource
from surefoot.project.iterations import Iteration, Judged, Measured, Record
from surefoot.project.looks import Place
from surefoot.project.plan import quantity_of, step_of
from surefoot.project.project import Project
from surefoot.project.store import Store

if TYPE_CHECKING:
    from surefoot.project.result import Answer, Result


MOST_TOLD = 20
"""Iterations in a result; the store keeps all."""
_READ = MOST_TOLD + 5


def project_key(project: Project) -> str:
    """What tells projects that share a store apart: the system's name, and the name of the project file.

    The folder is no part of it, so that a copy elsewhere continues the history.
    """
    return digest({"system": project.definition.system.name, "file": project.path.name if project.path else ""})


@dataclass(frozen=True)
class History:
    """The last iterations of one project; equal ones that two runs recorded at once count as one."""

    store: Store
    project: str
    records: tuple[Record, ...]

    @classmethod
    def of(cls, project: Project, store: Store) -> Self:
        """What the store has; damaged iterations are left out, with a warning of the store."""
        key = project_key(project)
        return cls(store, key, _distinct(store.iterations(key, Record.from_dict, most=_READ)))

    def told(self, result: Result, *, keep: bool) -> Result:
        """The result with its history; with ``keep`` it becomes an iteration where it differs from the last one."""
        found, records = recorded(result), self.records
        if keep and not (records and records[-1].content == found.content):
            number = self.store.record_iteration(self.project, found.to_dict())
            records = (*records, found.numbered(number))
        return result.with_iterations(_iterations(records, found.content), self.store.last_iteration(self.project))


def _distinct(records: Iterable[Record]) -> tuple[Record, ...]:
    found: list[Record] = []
    for record in records:
        if not found or found[-1].content != record.content:
            found.append(record)
    return tuple(found)


def _iterations(records: Sequence[Record], content: str) -> tuple[Iteration, ...]:
    """With what changed from each to the next; the latest one that is the present result is marked."""
    told = [record.iteration for record in records[:1]]
    told += [replace(after.iteration, changed=changes(before, after)) for before, after in pairwise(records)]
    same = [place for place, record in enumerate(records) if record.content == content]
    if same:
        told[same[-1]] = replace(told[same[-1]], this=True)
    return tuple(told[-MOST_TOLD:])


# From a result to the record of an iteration.

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
        unit=target.unit,
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


# What changed between two iterations: models, data, files, worksheet rows, targets, settings, versions.

MOST_NAMED = 8
NOTHING = "no input changed"


def changes(before: Record, after: Record) -> tuple[str, ...]:
    """Short phrases, inputs first; a phrase that says so where nothing that is recorded differs."""
    found = [
        *_inputs(before.iteration.inputs, after.iteration.inputs),
        *_edited_rows(before.rows, after.rows),
        *_targets(before.iteration.targets, after.iteration.targets),
        *_edited_settings(before.settings, after.settings),
        *_versions(before.versions, after.versions),
    ]
    return tuple(found) or (NOTHING,)


def _inputs(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """A file that several steps read is one change."""
    found: dict[tuple[str | None, str | None], list[str]] = {}
    for name, _ in _differences(before, after):
        found.setdefault((before.get(name), after.get(name)), []).append(_input_named(name))
    for (old, new), names in found.items():
        yield f"{' and '.join(names)} {NEW if old is None else GONE if new is None else CHANGED}"


def _input_named(name: str) -> str:
    """``component.model``, ``component.data set`` or ``evidence.step.parameter``, as people say it."""
    first, _, rest = name.partition(".")
    if first == "evidence" and "." in rest:
        step, _, parameter = rest.rpartition(".")
        return f"the {parameter} of {step}"
    return f"the {MODEL} of {first}" if rest == MODEL else f"the data {name}"


def _edited_rows(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    found: dict[str, list[str]] = {}
    for name, how in _differences(before, after):
        found.setdefault(how, []).append(name)
    for how, names in found.items():
        yield f"worksheet rows {_ROWS[how]}: {listed(names, MOST_NAMED)}"


def _targets(before: Iterable[Judged], after: Iterable[Judged]) -> Iterator[str]:
    old, new = ({target.name: target.asked for target in targets} for targets in (before, after))
    for name, how in _differences(old, new):
        yield f"target {name}: {old[name]} → {new[name]}" if how == CHANGED else f"target {name} {how}"


def _edited_settings(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    found = [f"{name} {how}" for name, how in _differences(before, after)]
    if found:
        yield f"project file: {listed(found, MOST_NAMED)}"


def _versions(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    names = [name for name, how in _differences(before, after) if how == CHANGED]
    found = [f"{name} {before[name]} → {after[name]}" for name in names]
    if found:
        yield f"versions: {listed(found, MOST_NAMED)}"


CHANGED, NEW, GONE = "changed", "is new", "is gone"
_ROWS = {CHANGED: "edited", NEW: "added", GONE: "removed"}


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in dict.fromkeys([*before, *after]):
        if name not in before or name not in after:
            yield name, NEW if name in after else GONE
        elif before[name] != after[name]:
            yield name, CHANGED


# What is shown of results that rest on test data, where only verdicts may be shown (``looks: adaptive``).
#
# All of it must follow from the verdicts: an estimate says which limits it was shown to keep, and nothing else. Values,
# counts, distributions, tables, pictures, what checks found, and results for which no target asks are left out.

WITHHELD = "withheld"
NOTE = Diagnostic(
    "verdicts-only",
    "Only the verdict is shown, since later models may depend on it; the value stated is the limit that was asked for.",
    "note",
    hint="The numbers lie in the store; test data whose numbers somebody has seen cannot be used adaptively.",
)


def shown(
    evidence: Mapping[str, Evidence],
    resting: Collection[str],
    targets: Mapping[str, TargetSource],
    places: Mapping[str, Place],
) -> dict[str, Evidence]:
    """The evidence, of which steps that rest on test data tell only which limits they were shown to keep."""
    return {
        step: _verdicts(found, _asked(step, targets, places)) if step in resting else found
        for step, found in evidence.items()
    }


def _asked(
    step: str, targets: Mapping[str, TargetSource], places: Mapping[str, Place]
) -> dict[str, list[tuple[Target, bool]]]:
    found: dict[str, list[tuple[Target, bool]]] = {}
    for name, source in targets.items():
        if step_of(source.estimate) == step:
            found.setdefault(quantity_of(source.estimate), []).append((source.target, bool(places[name].met)))
    return found


def _verdicts(found: Evidence, asked: Mapping[str, Sequence[tuple[Target, bool]]]) -> Evidence:
    estimates = tuple(_verdict(found, found[quantity], answers) for quantity, answers in asked.items())
    assumptions = tuple(replace(assumption, check=None) for assumption in found.assumptions)
    return Evidence(estimates, assumptions=assumptions, provenance=found.provenance)


def _verdict(found: Evidence, estimate: Estimate, answers: Sequence[tuple[Target, bool]]) -> Estimate:
    met = [target for target, kept in answers if kept]
    sides: tuple[Side, ...] = ("upper", "lower")
    families = (_family(estimate, side, [target for target in met if target.proving_side == side]) for side in sides)
    return replace(
        estimate,
        value=(met or [target for target, _ in answers])[0].limit,
        bounds=tuple(family for family in families if family),
        dist=None,
        assumptions=tuple(replace(assumption, check=None) for assumption in estimate.assumptions),
        caveats=(NOTE,),
        details={WITHHELD: True},
        provenance=Provenance(estimate.provenance.method, inputs=(found.key,)),
    )


def _family(estimate: Estimate, side: Side, met: Sequence[Target]) -> TabulatedBound | None:
    """The limits that were kept, each at its level; a stricter one kept at a higher level takes its place."""
    if not met:
        return None
    tightest = min if side == "upper" else max
    levels = sorted({1 - target.alpha for target in met})
    limits = [
        tightest(target.cautious_limit(target.alpha) for target in met if 1 - target.alpha >= level) for level in levels
    ]
    kind = next(family.kind for family in estimate.bounds if family.side == side and family.kind != "expectation")
    return TabulatedBound(tuple(levels), tuple(limits), side, "confidence" if kind == "certain" else kind)
