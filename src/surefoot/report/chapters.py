"""The chapters of the page: which there are, what each gathers from a result, and the small pictures in them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from surefoot.case.coverage_matrix import Coverage, coverage
from surefoot.case.evaluation import CHECKS_WORST_FIRST
from surefoot.case.wording import asked
from surefoot.core import Assumption, Bound, Check, Diagnostic, Estimate, InvalidInput, Table, Target, validate
from surefoot.documents import counted, hyphenated, listed, significant, visible
from surefoot.hazards import Property
from surefoot.project.definition import HAZOP, TREE_STEPS
from surefoot.project.iterations import Iteration, Judged, Measured, last_two, rounded_bound
from surefoot.project.result import Answer, Result
from surefoot.report.wording import bound_at, contradicted, counting_bound, level_words, rounded

HAZARDS, TREE, EVIDENCE = "hazards", "tree", "evidence"
OTHERS = "Other evidence"
STEPS = {
    HAZOP: HAZARDS,
    **dict.fromkeys(TREE_STEPS, TREE),
    "reliability_cells": "reliability",
    "reliability_balls": "reliability",
    "metric_opinion": "trust",
    "monitor": "monitors",
    "monitor_layer": "monitors",
    "system_study": "systems",
}
"""Chapters of steps; all others are further evidence."""


@dataclass(frozen=True)
class Chapter:
    """A chapter of evidence."""

    id: str
    short: str
    """Its name in the list of contents."""
    title: str
    says: str
    """What it is about."""


OF_EVIDENCE = (
    Chapter(
        HAZARDS,
        "Hazards",
        "Hazard analysis",
        "Where the requirements come from: for each node and flow of the system, guide words name deviations; a team "
        "says why each may happen, what follows and what is done about it. What a mitigation promises is a safety "
        "property of its own, which has to be examined in turn.",
    ),
    Chapter(
        TREE,
        "Fault tree",
        "The fault tree",
        "How failures of components lead to the hazard. Events that rest on a learned component are marked; what was "
        "measured of them is carried up to the top event, and what the top event may be is carried back to them.",
    ),
    Chapter(
        "reliability",
        "Reliability maps",
        "Reliability maps",
        "Where in the space of inputs operation lies, where the component fails, and how much each part adds to its "
        "failure probability.",
    ),
    Chapter(
        "trust",
        "Trust chain",
        "The trust chain",
        "A metric as an opinion: what speaks for it, what against it and what is not known; discounted by how far "
        "labels, calibration and coverage of the conditions can be trusted.",
    ),
    Chapter(
        "monitors",
        "Monitors",
        "Monitors",
        "What watches the component in operation: how much risk it takes away, how much is left, and what it costs.",
    ),
    Chapter(
        "systems",
        "Systems",
        "Systems of modules",
        "How errors of one module become errors of the next, and what the system does with inputs that it rejects.",
    ),
    Chapter(EVIDENCE, "Evidence", "Evidence", ""),
)


def evidence_chapters(result: Result) -> list[tuple[Chapter, list[str]]]:
    """Chapters of evidence that are there, with the names of their steps in the order of the project."""
    steps: dict[str, list[str]] = {}
    for name, item in result.evidence.items():
        steps.setdefault(STEPS.get(item.provenance.method.removeprefix("step."), EVIDENCE), []).append(name)
    there = [(chapter, steps[chapter.id]) for chapter in OF_EVIDENCE if chapter.id in steps]
    if len(there) > 1 and there[-1][0].id == EVIDENCE:
        there[-1] = (replace(there[-1][0], short=OTHERS, title=OTHERS), there[-1][1])
    return there


def contents(result: Result, *, iterations: bool) -> list[tuple[str, str]]:
    """Ids and names of the chapters that are there."""
    return [
        *([("targets", "Targets")] if result.answers else []),
        ("case", "Case"),
        *((chapter.id, chapter.short) for chapter, _ in evidence_chapters(result)),
        *([("iterations", "Iterations")] if iterations else []),
        ("assumptions", "Assumptions"),
        ("conditions", "Operating conditions"),
        ("register", "Register"),
        *([("matrix", "Standards")] if standards_matrix(result) else []),
        ("caveats", "Caveats"),
        ("provenance", "Provenance"),
        ("signature", "Signature"),
        ("glossary", "Glossary"),
    ]


# What the page shows, gathered from a result: every assumption once, every caveat once, steps in their order.

MOST_ALIKE = 20
"""Caveats of a kind that are told in full where there are more."""


def alike(found: Sequence[tuple[Diagnostic, tuple[str, ...]]]) -> tuple[list[Any], list[tuple[str, str, int, str]]]:
    """Caveats to tell in full; and of each kind with very many the severity, code, number, and names of the others."""
    seen: Counter[tuple[str, str]] = Counter()
    full, more = [], dict[tuple[str, str], list[tuple[str, ...]]]()
    for caveat, names in found:
        kind = caveat.severity, caveat.code
        seen[kind] += 1
        if seen[kind] <= MOST_ALIKE:
            full.append((caveat, names))
        else:
            more.setdefault(kind, []).append(names)
    rest = [
        (*kind, len(each), listed(list(dict.fromkeys(n for names in each for n in names)), MOST_ALIKE))
        for kind, each in more.items()
    ]
    return full, rest


SEVERITIES = ("error", "warning", "note")
SHOWN_LEVEL = 0.95


@dataclass(frozen=True)
class LookedAt:
    """What one look at an assumption found, and for which scopes and steps."""

    check: Check | None
    scopes: tuple[str, ...]
    steps: tuple[str, ...]

    @property
    def status(self) -> str:
        """``supported``, ``contradicted`` or ``unchecked``."""
        return self.check.status if self.check else "unchecked"


@dataclass(frozen=True)
class AssumptionUse:
    """An assumption with every look at it and everything that rests on it."""

    id: str
    text: str
    looks: tuple[LookedAt, ...]
    targets: tuple[str, ...]

    @property
    def status(self) -> str:
        """The worst that a look found."""
        return self.looks[0].status


def assumptions(result: Result) -> list[AssumptionUse]:
    """All assumptions of all steps, the doubtful ones first."""
    groups: dict[tuple[str, str], list[tuple[Assumption, str]]] = {}
    for step, evidence in result.evidence.items():
        for assumption in evidence.assumptions:
            groups.setdefault((assumption.id, assumption.text), []).append((assumption, step))
    found = [_assumption_use(users, result) for users in groups.values()]
    return sorted(found, key=lambda use: CHECKS_WORST_FIRST.index(use.status))


def _assumption_use(users: Sequence[tuple[Assumption, str]], result: Result) -> AssumptionUse:
    looks: dict[Check | None, list[tuple[Assumption, str]]] = {}
    for assumption, step in users:
        looks.setdefault(assumption.check, []).append((assumption, step))
    ordered = sorted(
        (_looked_at(check, each) for check, each in looks.items()),
        key=lambda look: CHECKS_WORST_FIRST.index(look.status),
    )
    first = users[0][0]
    targets = [a.name for a in result.answers if any(_same(first, each) for each in a.estimate.assumptions)]
    return AssumptionUse(first.id, first.text, tuple(ordered), tuple(targets))


def _looked_at(check: Check | None, users: Sequence[tuple[Assumption, str]]) -> LookedAt:
    scopes = dict.fromkeys(assumption.scope for assumption, _ in users if assumption.scope)
    return LookedAt(check, tuple(scopes), tuple(dict.fromkeys(step for _, step in users)))


def different_assumptions(estimate: Estimate) -> int:
    """How many assumptions an estimate rests on; one that concerns several parts of it is one, as in the register."""
    return len({(assumption.id, assumption.text) for assumption in estimate.assumptions})


def _same(one: Assumption, other: Assumption) -> bool:
    return (one.id, one.text) == (other.id, other.text)


def registered(result: Result) -> str:
    """How many documents, data sets, models and results there are."""
    kinds = [entry.kind for entry in result.register]
    return ", ".join(counted(kinds.count(kind), kind) for kind in dict.fromkeys(kinds)) or "empty"


def standards_matrix(result: Result) -> list[tuple[str, list[Coverage], list[Coverage]]]:
    """For each standard the clauses on which the case has nothing, and those that nodes speak to."""
    found: dict[str, tuple[list[Coverage], list[Coverage]]] = {}
    for row in coverage(result.case, result.evaluation):
        found.setdefault(row.standard, ([], []))[row.state != "gap"].append(row)
    return [(standard, gaps, there) for standard, (gaps, there) in found.items()]


def caveat_words(result: Result) -> str:
    """How many caveats there are of each severity."""
    found = [caveat.severity for caveat, _ in caveats(result)]
    return ", ".join(counted(found.count(each), each) for each in SEVERITIES if each in found) or "none"


def caveats(result: Result) -> list[tuple[Diagnostic, tuple[str, ...]]]:
    """All caveats, each once, with the steps and targets that carry it; the severe ones first."""
    found: dict[Diagnostic, dict[str, None]] = {caveat: {} for caveat in result.caveats}
    carriers = [(step, estimate) for step, evidence in result.evidence.items() for estimate in evidence.estimates]
    carriers += [(answer.name, answer.estimate) for answer in result.answers]
    for name, estimate in carriers:
        for caveat in estimate.caveats:
            found.setdefault(caveat, {})[name] = None
    return sorted(
        ((c, tuple(names)) for c, names in found.items()), key=lambda item: SEVERITIES.index(item[0].severity)
    )


def conditions(result: Result) -> list[tuple[Mapping[str, Any], tuple[LookedAt, ...]]]:
    """The operating conditions as stated, each with every look at it, the worst first."""
    looked_at = {(use.id, use.text): use.looks for use in assumptions(result)}
    stated = result.definition.get("conditions", {}).get("assumptions", ())
    unseen = (LookedAt(None, (), ()),)
    return [(condition, looked_at.get((condition["id"], condition["text"]), unseen)) for condition in stated]


def trees(result: Result) -> list[str]:
    """Names of the steps that are fault trees, which have a chapter of their own."""
    return [name for step in TREE_STEPS for name in _of_step(result, step)]


def worksheets(result: Result) -> list[str]:
    """Names of the steps that are worksheets of hazard analyses."""
    return _of_step(result, HAZOP)


def _of_step(result: Result, step: str) -> list[str]:
    return [name for name, item in result.evidence.items() if item.provenance.method == f"step.{step}"]


def estimate_bounds(estimate: Estimate) -> list[tuple[str, Any, str]]:
    """Side, limit and words of every bound, at the level the estimate was made for."""
    level = estimate.details.get("level", SHOWN_LEVEL)
    both = len({family.side for family in estimate.bounds}) == 2
    discount = ", does not count: contradicted" if contradicted(estimate) else ""
    found = [(family.side, bound_at(family, level)) for family in estimate.bounds]
    return [
        (side, bound, f"{level_words(bound, estimate, both=both)}{discount}" if bound else "") for side, bound in found
    ]


def anchors(result: Result) -> dict[str, str]:
    """Where the page shows steps, their results and assumptions: ids of elements."""
    found = {step: f"step-{place}" for place, step in enumerate(result.evidence, start=1)}
    for step, evidence in result.evidence.items():
        found |= {f"{step}.{estimate.reference}": found[step] for estimate in evidence.estimates}
    for place, use in enumerate(assumptions(result), start=1):
        scopes = [scope for look in use.looks for scope in look.scopes]
        names = [use.id, *(f"{use.id}[{scope}]" for scope in scopes)]
        found |= {name: f"assumption-{place}" for name in names if name not in found}
    return found


# Safety properties of a worksheet beside the results that are to verify them.

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


@validate.arguments
def requirements(result: Result) -> dict[str, list[Requirement]]:
    """Safety properties of every worksheet beside the results that are to verify them.

    Parameters
    ----------
    result
        What ``surefoot.run`` gave.

    Returns
    -------
    dict
        For each worksheet its properties with what was found.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
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


# The chapter on iterations: what each changed, what that did, and how the last one compares with the one before.

MOST_PICTURES = 4
MOST_CHANGES = 12
MOST_BOUNDS = 12
FEWEST = 2


@dataclass(frozen=True)
class Line:
    """One iteration as a row of the table."""

    number: int
    date: str
    this: bool
    changed: tuple[str, ...]
    bounds: tuple[Measured | Judged, ...]
    tops: tuple[Measured, ...]
    targets: tuple[Judged, ...]

    @classmethod
    def of(cls, iteration: Iteration) -> Line:
        """The row of an iteration; long lists end with a count."""
        date = iteration.created.partition("T")[0]
        changed = cut(iteration.changed)
        return cls(
            iteration.number,
            date,
            iteration.this,
            changed,
            iteration.component_bounds[:MOST_BOUNDS],
            iteration.tops,
            iteration.targets,
        )


@dataclass(frozen=True)
class IterationsChapter:
    """Everything the chapter shows."""

    lines: tuple[Line, ...]
    earlier: int
    """How many iterations the store has before the first that is shown."""
    left_out: int
    """The most component bounds that a row leaves out."""
    has_tops: bool
    sentences: tuple[str, ...]
    compared: Table | None
    caveats: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]
    """Name of each target, and its picture."""

    @property
    def present(self) -> bool:
        """Whether the result of the page is one of the iterations."""
        return any(line.this for line in self.lines)


def chapter(result: Result) -> IterationsChapter | None:
    """What to show; None where there is nothing to compare yet."""
    iterations = result.iterations
    if len(iterations) < FEWEST:
        return None
    compared = last_two(iterations)
    return IterationsChapter(
        lines=tuple(map(Line.of, iterations)),
        earlier=max(0, iterations[0].number - 1),
        left_out=max(0, max(len(each.component_bounds) for each in iterations) - MOST_BOUNDS),
        has_tops=any(each.tops for each in iterations),
        sentences=compared.sentences() if compared else (),
        compared=compared.table() if compared else None,
        caveats=compared.caveats() if compared else (),
        pictures=tuple(_pictures(iterations)),
    )


def cut(texts: Sequence[str]) -> tuple[str, ...]:
    """The first texts, and how many are left out."""
    more = len(texts) - MOST_CHANGES
    return (*texts[:MOST_CHANGES], *([f"{more} more"] if more > 0 else []))


def _pictures(iterations: Sequence[Iteration]) -> list[tuple[str, str]]:
    names = [target.name for target in iterations[-1].targets][:MOST_PICTURES]
    return [(name, trend_picture(iterations, name, f"iterations-{place}")) for place, name in enumerate(names, start=1)]


TREND_TOP, TREND_ROW, TREND_FOOT = 8.0, 19.0, 22.0


@validate.arguments
def trend_picture(iterations: Sequence[Iteration], target: str, identity: str) -> str:
    """A small picture of a target over the iterations: a row for each, with value, bound, and the limit of that time.

    Parameters
    ----------
    iterations, target
        The iterations of a result, oldest first, and the name of the target.
    identity
        The id of the title inside the picture.

    Returns
    -------
    str
        One ``<svg>`` element; its colours come from the page.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    rows = [(each, found) for each in reversed(iterations) if (found := _found(each, target))]
    axis = Axis.over([number for _, judged in rows for number in _numbers(judged)], rows[0][1].target)
    bottom = TREND_TOP + TREND_ROW * len(rows)
    drawn = "".join(_row(axis, each, judged, place) for place, (each, judged) in enumerate(rows))
    return (
        f'<svg class="sf-bound" viewBox="0 0 {WIDTH:g} {bottom + TREND_FOOT:g}" role="img" '
        f'aria-labelledby="{identity}"><title id="{identity}">{escape(visible(_title(target, rows)))}</title>'
        f"{drawn}{_ticks(axis, bottom)}</svg>"
    )


def _found(iteration: Iteration, name: str) -> Judged | None:
    return next((target for target in iteration.targets if target.name == name), None)


def _numbers(judged: Judged) -> list[float]:
    return [judged.value, judged.cautious, *([] if judged.bound is None else [judged.bound])]


def _title(target: str, rows: Sequence[tuple[Iteration, Judged]]) -> str:
    bounds = ", ".join(rounded_bound(judged) for _, judged in rows)
    last = rows[0][1]
    told = f"Bounds of {target} over the iterations, the last one first: {bounds}"
    return f"{told}; target {last.relation} {significant(last.cautious)}"


def _row(axis: Axis, iteration: Iteration, judged: Judged, place: int) -> str:
    """The allowed side of the limit, the value as a dot, and a bar from it to the bound."""
    top = TREND_TOP + TREND_ROW * place
    middle, limit, value = top + TREND_ROW / 2, axis.place(judged.cautious), axis.place(judged.value)
    start, stop = (LEFT, limit) if judged.relation == "at most" else (limit, RIGHT)
    off = " off" if axis.log and judged.value <= 0 else ""
    bound = axis.place(judged.bound) if judged.bound is not None else None
    bar = (
        ""
        if bound is None
        else f'<path class="bar" d="M{value:.1f} {middle:g}H{bound:.1f}M{bound:.1f} {top + 4:g}v11"/>'
    )
    label = f"Iteration {iteration.number}" if not iteration.this else f"This: {iteration.number}"
    return (
        f'<g class="{escape(hyphenated(judged.status))}"><rect class="allowed" x="{start:.1f}" y="{top:g}" '
        f'width="{stop - start:.1f}" height="{TREND_ROW:g}"/>'
        f'<path class="limit" d="M{limit:.1f} {top:g}v{TREND_ROW:g}"/>'
        f'<text class="row" x="0" y="{middle + 4:g}">{label}</text>{bar}'
        f'<circle class="dot{off}" cx="{value:.1f}" cy="{middle:g}" r="4"/>'
        f'<text class="number" x="{WIDTH:g}" y="{middle + 4:g}" text-anchor="end">{rounded_bound(judged)}</text></g>'
    )


def _ticks(axis: Axis, bottom: float) -> str:
    places = [(axis.place(number), number) for number in axis.ticks()]
    marks = "".join(
        f'<path class="axis" d="M{x:.1f} {bottom:g}v4"/>'
        f'<text class="tick" x="{x:.1f}" y="{bottom + 16:g}" text-anchor="middle">{significant(float(number))}</text>'
        for x, number in places
    )
    return f'<path class="axis" d="M{LEFT:g} {bottom:g}H{RIGHT:g}"/>{marks}'


WIDTH, LEFT, RIGHT = 360.0, 86.0, 298.0
BOUND_TOP, BOUND_ROW, BOUND_FOOT = 24.0, 25.0, 22.0
LOG_RATIO = 20.0
PAD = 0.12
MOST_TICKS = 4
NOTHING = 1e-290
"""Smaller numbers are drawn as zero: dividing by them is no longer exact."""


@dataclass(frozen=True)
class Axis:
    """From numbers to places; ``log`` where the numbers are of different magnitude."""

    low: float
    high: float
    log: bool

    @classmethod
    def over(cls, numbers: Sequence[float], target: Target) -> Axis:
        """An axis on which all finite numbers can be told apart."""
        finite = [number for number in numbers if math.isfinite(number)]
        above = [number for number in finite if number > NOTHING]
        if above and min(finite) >= 0 and max(above) / min(above) > LOG_RATIO:
            return cls(10 ** (math.log10(min(above)) - PAD), 10 ** (math.log10(max(above)) + PAD), True)
        low, high = min(finite), max(finite)
        if target.relation == "at most" and low >= 0:
            low = 0.0
        room = next(size for size in (high - low, abs(high), 1.0) if size > NOTHING) * PAD
        share = target.is_share
        return cls(
            max(low - room, 0.0) if low >= 0 else low - room, min(high + room, 1.0) if share else high + room, False
        )

    def place(self, number: float) -> float:
        """Where a number stands; what lies outside stands at the edge."""
        if self.log:
            share = 0.0 if number <= self.low else math.log(number / self.low) / math.log(self.high / self.low)
        else:
            share = (number - self.low) / (self.high - self.low) if math.isfinite(number) else math.copysign(9, number)
        return LEFT + min(max(share, 0.0), 1.0) * (RIGHT - LEFT)

    def ticks(self) -> list[float]:
        """A few round numbers."""
        return self._decades() if self.log else self._steps()

    def _decades(self) -> list[float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        step = max(1, math.ceil((last - first + 1) / MOST_TICKS))
        return [10.0**power for power in range(first, last + 1, step)]

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / MOST_TICKS
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [number * step for number in range(first, last + 1)]


@validate.arguments
def bound_picture(answer: Answer, identity: str) -> str:
    """A small picture for a target: its value, its bound, and the limit, on one axis.

    Parameters
    ----------
    answer
        The target with what was found.
    identity
        The id of the title inside the picture.

    Returns
    -------
    str
        One ``<svg>`` element; its colours come from the page.

    See Also
    --------
    write : Writes it to a file, with an example of a whole result.

    """
    target, bounds = answer.target, _bounds(answer)
    numbers = [answer.estimate.value, target.limit, *target.interval, *(bound.limit for _, bound in bounds)]
    axis = Axis.over(numbers, target)
    bottom = BOUND_TOP + BOUND_ROW * (1 + len(bounds))
    rows = [_value(axis, answer.estimate.value)]
    rows += [_bound(axis, answer, label, bound, place + 1) for place, (label, bound) in enumerate(bounds)]
    named = f'role="img" aria-labelledby="{identity}"><title id="{identity}">{escape(_picture_title(answer, bounds))}'
    return (
        f'<svg class="sf-bound {hyphenated(answer.status)}" viewBox="0 0 {WIDTH:g} {bottom + BOUND_FOOT:g}" '
        f"{named}</title>{_ground(axis, target, bottom)}{''.join(rows)}</svg>"
    )


def _bounds(answer: Answer) -> list[tuple[str, Bound]]:
    if counting_bound(answer) is None:
        return []
    found = [(answer.verdict.bound, "")]
    if answer.corrected is not None:
        found.append((answer.corrected.bound, f"At look {answer.looks}"))
    return [(label or f"{bound.side.capitalize()} bound", bound) for bound, label in found if bound is not None]


def _picture_title(answer: Answer, bounds: Sequence[tuple[str, Bound]]) -> str:
    shown = "".join(f", {label.lower()} {rounded(bound)}" for label, bound in bounds)
    return f"Value {significant(answer.estimate.value)}{shown}; target {asked(answer.verdict)}"


def _ground(axis: Axis, target: Target, bottom: float) -> str:
    limit, low, high = (axis.place(number) for number in (target.limit, *target.interval))
    allowed = (LEFT, low) if target.relation == "at most" else (high, RIGHT)
    unsure = "" if target.uncertainty is None else _area("unsure", low, high, bottom)
    anchor = "start" if limit < LEFT + 60 else "end" if limit > RIGHT - 60 else "middle"
    ticks = "".join(_tick(axis.place(number), bottom, number) for number in axis.ticks())
    return (
        f"{_area('allowed', *allowed, bottom)}{unsure}"
        f'<path class="axis" d="M{LEFT:g} {bottom:g}H{RIGHT:g}"/>{ticks}'
        f'<path class="limit" d="M{limit:.1f} {BOUND_TOP - 3:g}V{bottom:g}"/>'
        f'<text class="limit-word" x="{limit:.1f}" y="{BOUND_TOP - 9:g}" text-anchor="{anchor}">'
        f"{target.relation} {significant(target.limit)}</text>"
    )


def _area(name: str, start: float, stop: float, bottom: float) -> str:
    size = f'width="{stop - start:.1f}" height="{bottom - BOUND_TOP:g}"'
    return f'<rect class="{name}" x="{start:.1f}" y="{BOUND_TOP:g}" {size}/>'


def _tick(x: float, y: float, number: float) -> str:
    text = f'<text class="tick" x="{x:.1f}" y="{y + 16:g}" text-anchor="middle">{significant(float(number))}</text>'
    return f'<path class="axis" d="M{x:.1f} {y:g}v4"/>{text}'


def _value(axis: Axis, value: float) -> str:
    middle, x = BOUND_TOP + BOUND_ROW / 2, axis.place(value)
    off = " off" if axis.log and value <= 0 else ""
    dot = f'<circle class="dot{off}" cx="{x:.1f}" cy="{middle:g}" r="5"/>'
    return f"{_row_words('Value', significant(value), middle)}{dot}"


def _bound(axis: Axis, answer: Answer, label: str, bound: Bound, row: int) -> str:
    middle, x = BOUND_TOP + BOUND_ROW * (row + 0.5), axis.place(bound.limit)
    start = axis.place(answer.estimate.value)
    bar = f'<path class="bar" d="M{start:.1f} {middle:g}H{x:.1f}M{x:.1f} {middle - 7:g}v14"/>'
    return f"{_row_words(label, rounded(bound), middle)}{bar}"


def _row_words(label: str, number: str, middle: float) -> str:
    return (
        f'<text class="row" x="0" y="{middle + 4.5:g}">{escape(label)}</text>'
        f'<text class="number" x="{WIDTH:g}" y="{middle + 4.5:g}" text-anchor="end">{number}</text>'
    )
