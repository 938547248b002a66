"""The step that carries results of earlier steps through a fault tree to its top event.

Where a target is not met it also tells what each event would need, what to improve first, and how many tests to plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from surefoot.core import Answer, Artefact, Assumption, Estimate, Evidence, InvalidInput, Table, Target, union
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.propagation import on_average
from surefoot.core.validate import listed
from surefoot.documents import percent
from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.analysis import TreeResult
from surefoot.faulttree.charts import as_artefact
from surefoot.faulttree.importance import Importance, Measure
from surefoot.faulttree.quantities import probabilities
from surefoot.hazards.improvement import Candidate, Improvements, candidates, candidates_from_plain, improvements
from surefoot.hazards.improvement.countermeasures import in_tree
from surefoot.hazards.improvement.evaluator import BoundInputs
from surefoot.hazards.improvement.tests_needed import plan_tests
from surefoot.project.definition import TOP_EVENT
from surefoot.project.inputs import CHAINS, FORMATS, WORKSHEETS, NamesFile, tree_of
from surefoot.project.registry import Asked, meaning, step
from surefoot.project.steps.parameters import AnsweredBy, Level, Mix, Unit, answer_of, described, limit, one_sided

# The words of the step for fault trees, and what they mean.

TreeFile = Annotated[
    str | None,
    described("The tree: YAML, JSON, Open-PSA XML, Aralia text or static Galileo, by the ending of the file."),
    NamesFile(FORMATS),
]
InlineTree = Annotated[
    dict[str, Any] | None,
    described("The tree itself in place of a file: `top`, `gates`, `events` and so on, as its YAML file would say."),
]
TopEvent = Annotated[str | None, described("The gate that is the top event, where the file does not say, or another.")]
Draws = Annotated[int, Field(ge=100, le=1_000_000, description="Joint draws of the uncertain inputs.")]
Nodes = Annotated[int, Field(ge=1, description="Most nodes of a decision diagram.")]
TimeLimit = Annotated[
    float,
    Field(gt=0, le=86_400, description="Seconds after which a certain interval is given in place of the exact value."),
]
WorksheetFile = Annotated[
    str, described("The worksheet: YAML, CSV or XLSX, by the ending of the file."), NamesFile(WORKSHEETS)
]
WorksheetBehind = Annotated[
    str | None,
    described("The worksheet whose rows the chains name; the section `hazards` hands over its own."),
    NamesFile(WORKSHEETS),
]
ChainsFile = Annotated[str | None, described("The chains of events: YAML."), NamesFile(CHAINS)]
InlineChains = Annotated[
    dict[str, Any] | None,
    described("The chains in place of a file: `scenarios`, `events`, `gates` and so on, as their file would say."),
]
Candidates = Annotated[
    dict[str, dict[str, Any]] | None,
    described(
        "Improvements to compare, by name: `events` with what each would become (a probability, or a factor such as",
        "`x0.1`), `cost`, `note`.",
    ),
]
Costs = Annotated[
    dict[str, Annotated[float, Field(gt=0)]] | None,
    described("What it costs to make an event ten times rarer, by event."),
]


COMPONENT = "component"
PAGE_WIDTH = 960.0
"""Pixels; a wider drawing would be too small to read in the column of a report."""


@step
@meaning(2)
def fault_tree(
    *,
    asked: Asked,
    file: TreeFile = None,
    inline: InlineTree = None,
    events: Mapping[str, Estimate] | None = None,
    top: TopEvent = None,
    answered_by: AnsweredBy = None,
    candidates: Candidates = None,
    costs: Costs = None,
    level: Level = 0.95,
    draws: Draws = 10_000,
    unit: Unit = PER_DEMAND,
    mix: Mix = False,
    nodes: Nodes = 20_000_000,
    time_limit: TimeLimit = 120.0,
    seed: int = 0,
) -> Evidence:
    """Probability of the top event of a fault tree, exact, with the uncertainty of its basic events.

    `events` names basic events and the results that feed them, in place of what the tree says of these events. Where
    all uncertain events have distributions they are drawn together, one that appears twice once; otherwise their bounds
    are combined by sharing the miss probability among them. A tree beyond `nodes` or `time_limit` gives an interval
    that is certain. Numbers that the tree itself states are stated values: no target is met by them unless
    `answered_by` names who answers for them. Where a target asks about the top event and its number is not met, tells
    what each event that is fed would need, which events to improve first, and what `candidates` would give. Gives
    `top event probability`.
    """
    return analysed(
        tree_of(file, inline, top),
        events or {},
        asked,
        level=level,
        seed=seed,
        unit=unit,
        budget=Budget(nodes, time_limit),
        answer=answer_of(answered_by),
        wishes=ImprovementOptions.read(candidates, costs, draws=draws, mix=mix),
    )


def analysed(
    tree: FaultTree,
    events: Mapping[str, Estimate],
    asked: Asked,
    *,
    level: float,
    wishes: ImprovementOptions,
    answer: Answer | None = None,
    **options: Any,
) -> Evidence:
    """The evidence of a tree with estimates as basic events, held against what targets ask of its top event."""
    target = asked.of(TOP_EVENT)
    shared = {"draws": wishes.draws, "mix": wishes.mix, **options}
    result = fed(tree, events).analyse(level=target.level if target else level, target=target, **shared)
    improved = ranked(result, wishes)
    found, next_ = _evidence(result, events, improved, answer), to_do(result, improved, wishes)
    return replace(found, tables={**next_.tables, **found.tables}, artefacts={**found.artefacts, **next_.artefacts})


def fed(tree: FaultTree, events: Mapping[str, Estimate]) -> FaultTree:
    """The tree with estimates as basic events, each marked with what was measured."""
    if not events:
        return tree
    marks = {name: {COMPONENT: estimate.scope or estimate.quantity} for name, estimate in events.items()}
    said = {name: {**marks[name], **tree.attributes.get(name, {})} for name in events}
    return replace(tree.with_events(events), attributes={**tree.attributes, **said})


def _evidence(
    result: TreeResult, events: Mapping[str, Estimate], improved: Improvements | None, answer: Answer | None
) -> Evidence:
    needed = requirements(result, events, improved)
    own = (
        *(_is_measured(name, estimate) for name, estimate in events.items()),
        *_states_numbers(result, answer),
    )
    details = {**result.top.details, **needed.details}
    method = "faulttree.top_event" if result.compiled else "faulttree.interval"
    provenance = replace(result.top.provenance, method=method)
    assumptions = union(own, result.top.assumptions)
    top = replace(result.top, assumptions=assumptions, details=details, provenance=provenance)
    found = result.evidence()
    return replace(
        found,
        estimates=(top,),
        tables={**needed.tables, **found.tables, **importance_tables(result.importance)},
        artefacts={"fault tree": _diagram(result), **found.artefacts},
    )


def _is_measured(event: str, estimate: Estimate) -> Assumption:
    measured = f"{estimate.quantity} of {estimate.scope}" if estimate.scope else estimate.quantity
    return Assumption("event-is-what-was-measured", f"The probability of {event!r} is the {measured}.", scope=event)


def _states_numbers(result: TreeResult, answer: Answer | None) -> Iterator[Assumption]:
    """That the numbers hold which the tree itself states for events and groups that matter; nothing without any."""
    tree, names = result.tree, result.stated
    if names:
        text = f"What the tree {tree.name!r} states itself holds: {listed(names)}."
        yield Assumption("stated-value", text, scope=tree.name, stated=True, answer=answer)


def _diagram(result: TreeResult) -> Artefact:
    """The tree with the probabilities of its events, and that of the top event where it is known."""
    events = [name for name, quantity in result.tree.events.items() if quantity is not None]
    values = {name: float(value) for name, value in probabilities(result.tree, events=events).items()}
    top = {} if result.probability is None else {result.tree.top: result.probability}
    return Artefact("image/svg+xml", result.tree.draw(width=PAGE_WIDTH, values=values | top).encode())


# What each event that evidence feeds would need for the top event to meet its target.

Row = tuple[str, float | None, float | None, float | None, float]


@dataclass(frozen=True)
class Requirements:
    """Tables for people, and details from which sentences are made."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


def requirements(
    result: TreeResult, events: Mapping[str, Estimate], ranked: Improvements | None = None
) -> Requirements:
    """Nothing where the target is met, or there is none, or no number of an event would show it.

    Where the inputs are drawn together, ``ranked`` tells what an event alone would need; otherwise the other events
    stand at the bounds that enter the top event's.
    """
    target, top = result.target, result.top
    contradicted = any(assumption.status == "contradicted" for assumption in top.assumptions)
    if (
        target is None
        or target.at_most is None
        or _reached(result, target)
        or contradicted
        or not result.exact
        or on_average(top)
    ):
        return Requirements()
    level = _level_of_each(result, 1 - target.alpha)
    counted = "counted together" in top.details
    drawn = ranked if top.dist is not None or counted else None
    found = (
        _alone(drawn, name, estimate, level) if drawn else _row(result, name, estimate, target, level)
        for name, estimate in events.items()
    )
    rows = [row for row in found if row]
    if not rows:
        return Requirements()
    others = (
        "at their bounds"
        if drawn is None
        else "as they were counted and this one known"
        if counted
        else "as uncertain as they are"
    )
    said = {
        name: {"bound": bound, "needed": needed, "best": best, "others": others, "known": _known(ranked, name)}
        for name, _, bound, needed, best in rows
    }
    aim = {"limit": target.cautious_limit(target.alpha), "level": 1 - target.alpha}
    return Requirements({"requirements": _table(rows, level)}, {"requirements": said, "required for": aim})


def _level_of_each(result: TreeResult, level: float) -> float:
    """The level at which bounds enter the top event: where they are not drawn they share its miss probability."""
    if result.top.dist is not None or "counted together" in result.top.details:
        return level
    bound_inputs = BoundInputs(result.tree, level, 1, result.seed)
    return 1 - (1 - level) / max(bound_inputs.counted(bound_inputs.inputs), 1)


def _row(result: TreeResult, event: str, estimate: Estimate, target: Target, level: float) -> Row | None:
    """One event alone, the others at their bounds; None where the top event does not rise with it."""
    try:
        alone = result.tree.allocate(target, events=[event], relax=True)
    except InvalidInput:
        return None
    needed = alone.requirements[event] if alone.feasible else None
    return event, estimate.value, limit(estimate, "upper", level), needed, alone.top


def _alone(ranked: Improvements, event: str, estimate: Estimate, level: float) -> Row | None:
    """One event alone, all others drawn as they are; None where the top event does not rise with it."""
    row = next((row for row in ranked.rows if event in row.events and row.good == 0), None)
    if row is None or (row.needed is None and row.if_perfect <= ranked.aim.limit):
        return None
    best = ranked.aim.limit if row.needed is not None else row.if_perfect
    return event, estimate.value, limit(estimate, "upper", level), row.needed, best


def _known(ranked: Improvements | None, event: str) -> float | None:
    """The probability that would be enough were it known, as it would then take no share of the miss probability."""
    rows = ranked.rows if ranked else ()
    return next((row.needed for row in rows if event in row.events and row.good == 0), None)


def _table(rows: list[Row], level: float) -> Table:
    head = ("event", "today", f"upper bound today ({one_sided(level)})", "needed at most", "top event then")
    return Table(head, tuple(rows))


# Importance of events and of gates as tables that fit a page.

MEASURES: dict[Measure, str] = {"fussell_vesely": "Fussell-Vesely", "birnbaum": "Birnbaum", "raw": "RAW", "rrw": "RRW"}


def importance_tables(importance: Importance | None) -> dict[str, Table]:
    """Criticality with its interval, and the other usual measures; what matters most first."""
    if importance is None:
        return {}
    events, gates = importance.only("event").sorted(), importance.only("gate").sorted()
    found = {"importance": _importance_table("event", events)}
    return found | ({"importance of gates": _importance_table("gate", gates)} if len(gates) else {})


def _importance_table(kind: str, found: Importance) -> Table:
    measures = [measure for measure in MEASURES if any(value is not None for value in found.values[measure])]
    columns: list[tuple[str, tuple[str | float | None, ...]]] = [(kind, found.names)]
    columns.append(("criticality", found.values["criticality"]))
    if found.spread:
        level = "(certain)" if found.kind == "certain" else f"(two-sided at {percent(found.level)})"
        columns.append((f"lower end {level}", found.low["criticality"]))
        columns.append((f"upper end {level}", found.high["criticality"]))
    columns += [(MEASURES[measure], found.values[measure]) for measure in measures]
    return Table(tuple(name for name, _ in columns), tuple(zip(*(values for _, values in columns), strict=True)))


# Which events to improve first, what candidate improvements would give, and how many tests to plan.

SHOWN = (
    "event",
    "today",
    "needed alone",
    "times better alone",
    "top event if ten times better",
    "top event if perfect",
    "top event if known",
    "cost",
    "cost per gain",
)
"""What of the ranking people read; the rest follows from it."""


@dataclass(frozen=True)
class NextSteps:
    """Tables and figures of what to do next."""

    tables: Mapping[str, Table] = field(default_factory=dict)
    artefacts: Mapping[str, Artefact] = field(default_factory=dict)


@dataclass(frozen=True)
class ImprovementOptions:
    """What the project file says about improvements, and how they are to be computed."""

    candidates: Sequence[Candidate]
    costs: Mapping[str, float]
    draws: int
    mix: bool

    @classmethod
    def read(
        cls, candidates: Mapping[str, Any] | None, costs: Mapping[str, float] | None, *, draws: int, mix: bool
    ) -> ImprovementOptions:
        """From the parameters of a step."""
        return cls(candidates_from_plain(candidates or {}), costs or {}, draws, mix)

    def about(self, tree: FaultTree) -> ImprovementOptions:
        """Without what bears on other trees that share the list."""
        known = tree.expanded
        costs = {name: cost for name, cost in self.costs.items() if name in known.events}
        return replace(self, candidates=in_tree(known, self.candidates), costs=costs)


def ranked(result: TreeResult, wishes: ImprovementOptions) -> Improvements | None:
    """What each event could do for a target that is not met; None where there is nothing to do, or nothing known."""
    target = result.target
    if target is None or target.at_most is None or not result.exact or on_average(result.top):
        return None
    if _reached(result, target):
        return None
    found = improvements(result.tree, target, costs=wishes.costs, draws=wishes.draws, seed=result.seed, mix=wishes.mix)
    return found if found.rows else None


def _reached(result: TreeResult, target: Target) -> bool:
    """Whether the number is good enough, whoever answers for what is stated."""
    return bool(result.top.as_if_answered.meets(target))


def to_do(result: TreeResult, found: Improvements | None, wishes: ImprovementOptions) -> NextSteps:
    """The tests to plan for a target of the top event; where it is not met, also what to improve, and how."""
    target = result.target
    if target is None or target.at_most is None or not result.exact:
        return NextSteps()
    planned = dict(_tests(result, target))
    if found is None:
        return NextSteps(planned)
    compared = _compared(result, target, wishes) if wishes.candidates else NextSteps()
    tables = {"improvements": _only(found.table(), SHOWN), **compared.tables, **planned}
    return NextSteps(tables, {"improvements": as_artefact(found.plot()), **compared.artefacts})


def _tests(result: TreeResult, target: Target) -> Iterator[tuple[str, Table]]:
    """Nothing where no test of an event could show the target."""
    try:
        yield "test plan", plan_tests(result.tree, target).table()
    except InvalidInput:
        return


def _compared(result: TreeResult, target: Target, wishes: ImprovementOptions) -> NextSteps:
    found = candidates(result.tree, target, wishes.candidates, draws=wishes.draws, seed=result.seed, mix=wishes.mix)
    pictures = {"candidates": as_artefact(found.plot())} if found.priced and found.options else {}
    return NextSteps({"candidates": found.table()}, pictures)


def _only(table: Table, columns: tuple[str, ...]) -> Table:
    kept = [place for place, column in enumerate(table.columns) if column in columns]
    return Table(
        tuple(table.columns[place] for place in kept), tuple(tuple(row[place] for place in kept) for row in table.rows)
    )
