"""Steps around hazards: scenario trees, the worksheet of a HAZOP, products, values taken from elsewhere.

``scenario_tree`` merges chains of events into the fault tree of a top event, ``hazop`` shows a worksheet and what
nobody looked at, ``product`` multiplies results of earlier steps, ``stated`` takes a value with its source.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import reduce

import numpy as np

from surefoot.core import (
    Artefact,
    Assumption,
    Check,
    DiagnosticsError,
    Estimate,
    Evidence,
    InvalidInput,
    Side,
    Table,
    TabulatedBound,
    propagate,
    union,
)
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.exact_inversion import count_of
from surefoot.core.propagation import Proven, takes_a_share
from surefoot.core.validate import FloatArray
from surefoot.faulttree import Budget, FaultTree, Formula
from surefoot.faulttree.counted import INDEPENDENT_TESTS, LEVELS
from surefoot.faulttree.quantities import as_quantity
from surefoot.faulttree.uncertainty import counted_inputs
from surefoot.hazards import Deviation, HazardStudy, Hazop, Property, Row, Scenarios
from surefoot.hazards.completeness import Progress, risk_class
from surefoot.hazards.drawing import draw_matrix, draw_system
from surefoot.hazards.trees import joined
from surefoot.project.inputs import hazop_of, scenarios_of
from surefoot.project.registry import Asked, meaning, step
from surefoot.project.steps.fault_tree import (
    Candidates,
    ChainsFile,
    Costs,
    Draws,
    ImprovementOptions,
    InlineChains,
    Nodes,
    TimeLimit,
    TopEvent,
    WorksheetBehind,
    WorksheetFile,
    analysed,
)
from surefoot.project.steps.parameters import (
    AnsweredBy,
    Level,
    Mix,
    Quantity,
    Source,
    Unit,
    UnitOfProduct,
    Value,
    answer_of,
    limit,
    one_sided,
)

CHAINS_COMPLETE = Assumption(
    "chains-complete", "Every way from a cause to the top event that matters is one of the chains."
)


@step
@meaning(2)
def scenario_tree(
    *,
    asked: Asked,
    worksheet: WorksheetBehind = None,
    file: ChainsFile = None,
    inline: InlineChains = None,
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
    """Fault tree of a top event, built from chains of events that come from rows of a worksheet.

    Chains stand in `file` or `inline`; without them each row of the worksheet gives its own: cause, deviation,
    consequence. The tree is analysed as by `fault_tree`, and every basic event can be traced to the rows that it comes
    from; `answered_by` names who answers for probabilities that the chains state. Gives `top event probability`.
    """
    study = _study(worksheet, file, inline)
    tree = study.scenarios.fault_tree(top)
    known = {name: estimate for name, estimate in (events or {}).items() if name in tree.events}
    found = analysed(
        tree,
        known,
        asked,
        level=level,
        seed=seed,
        unit=unit,
        budget=Budget(nodes, time_limit),
        answer=answer_of(answered_by),
        wishes=ImprovementOptions.read(candidates, costs, draws=draws, mix=mix).about(tree),
    )
    return _traced(found, study, tree.top)


def _study(worksheet: str | None, file: str | None, inline: Mapping[str, object] | None) -> HazardStudy:
    hazop = hazop_of(worksheet) if worksheet is not None else None
    scenarios = scenarios_of(file, inline, hazop)
    if hazop is not None:
        DiagnosticsError.raise_if_any(HazardStudy(hazop, scenarios).trace.findings(scenarios, hazop))
    return HazardStudy(hazop or Hazop(scenarios.name), scenarios)


def _traced(found: Evidence, study: HazardStudy, top: str) -> Evidence:
    """The evidence with the way from rows to events, and with what it rests on: that nothing was left out."""
    own = (CHAINS_COMPLETE, *([complete(study.hazop)] if study.hazop.rows else []))
    estimates = tuple(replace(each, assumptions=union(each.assumptions, own)) for each in found.estimates)
    tables = {**found.tables, "chains": chains(study.scenarios, top)}
    last = top if top in study.scenarios.tops else None
    tables["from events to rows"] = study.trace.events_table(last)
    if study.hazop.rows:
        tables["from rows to events"] = study.trace.rows_table(study.hazop, last)
    return replace(found, estimates=estimates, tables=tables)


def chains(scenarios: Scenarios, top: str) -> Table:
    """The chains that lead to a top event, as people read them."""
    leading = set(scenarios.fault_tree(top).gates)
    rows = tuple(
        (each.id, " → ".join(each.chain), _barriers(each.barriers), joined(each.rows))
        for each in scenarios.chains
        if each.consequence in leading
    )
    return Table(("chain", "from cause to consequence", "barriers that must fail", "rows"), rows)


def _barriers(barriers: Mapping[str, tuple[str, ...]]) -> str:
    return "; ".join(f"{', '.join(names)} (before {event})" for event, names in barriers.items())


# The step that shows a HAZOP worksheet: what was found, and what nobody looked at.

SVG = "image/svg+xml"
COLUMN = 760.0
"""Pixels; what fits the column of a report."""
COLUMNS = ("id", "deviation", "causes", "consequences", "mitigations", "endangers", "risk", "status", "remark")


@step
def hazop(*, file: WorksheetFile) -> Evidence:
    """Hazard analysis: the worksheet of a HAZOP, how complete it is, and its safety properties.

    Gives no estimate; what it finds is shown in the report, and how complete it is becomes a side-warrant of every
    target whose fault tree is built from its rows.
    """
    found = hazop_of(file)
    return Evidence(
        (),
        tables={
            "progress": _counted(found),
            "worksheet": worksheet(found),
            **properties(found),
            **missing(found),
        },
        artefacts=_pictures(found),
        assumptions=(complete(found),),
    )


def _counted(found: Hazop) -> Table:
    """How far the team has come; what there is none of is left out."""
    table = Progress.of(found).table()
    return Table(table.columns, tuple(row for row in table.rows if row[1]))


def worksheet(found: Hazop) -> Table:
    """All rows, as a team reads them."""
    return Table(COLUMNS, tuple(_cells(found, row) for row in found.rows))


def _cells(found: Hazop, row: Row) -> tuple[str, ...]:
    rated = " × ".join(filter(None, (row.severity, row.likelihood)))
    risk = ": ".join(filter(None, (risk_class(found, row), rated)))
    mitigations = (str(each).replace(" -> ", " → ") for each in row.mitigations)
    lists = ("; ".join(said) for said in (row.causes, row.consequences, mitigations, row.endangers))
    status = ", ".join(filter(None, (row.status, row.reviewer)))
    return row.id, str(Deviation(*row.deviation)), *lists, risk, status, row.remark


def properties(found: Hazop) -> dict[str, Table]:
    """The safety properties, each a requirement with its verification; nothing where there are none."""
    head = tuple(field.name for field in fields(Property))
    rows = tuple(tuple(getattr(each, name) for name in head) for each in found.properties)
    return {"safety properties": Table(head, rows)} if rows else {}


def missing(found: Hazop) -> dict[str, Table]:
    """What the team still has to do; nothing where all is done."""
    rows = tuple((each.severity, each.text, each.hint, each.where) for each in found.check())
    return {"to do": Table(("severity", "what", "what to do", "where"), rows)} if rows else {}


def complete(found: Hazop) -> Assumption:
    """Whether every deviation was considered, as far as a worksheet can tell."""
    deviations = found.deviations()
    considered = sum(deviation.considered for deviation in deviations)
    waiting = sum(row.status in ("open", "filled") and not row.blank for row in found.rows)
    figures = {"deviations": len(deviations), "considered": considered, "rows without review": waiting}
    done = considered == len(deviations) > 0 and not waiting
    check = Check("supported" if done else "unchecked", "guide words of the worksheet", figures)
    text = "Every deviation that may lead to the hazard was considered, and reviewed, in the hazard analysis."
    return Assumption("hazards-complete", text, check)


def _pictures(found: Hazop) -> dict[str, Artefact]:
    drawn = {"system": draw_system(found, width=COLUMN)} if found.items else {}
    if any(risk_class(found, row) for row in found.rows):
        drawn["risk matrix"] = draw_matrix(found)
    return {title: Artefact(SVG, picture.encode()) for title, picture in drawn.items()}


# The step that multiplies results of earlier steps.

CONDITIONAL = Assumption(
    "conditional-factors", "Each factor holds given the events of the factors before it, or is independent of them."
)


@step
def product(
    *,
    factors: Mapping[str, Estimate],
    quantity: Quantity = "hazard probability",
    unit: UnitOfProduct = None,
    level: Level = 0.95,
    mix: Mix = False,
    seed: int = 0,
) -> Evidence:
    """Product of results of earlier steps, such as exposure times failure probability.

    Factors with distributions are drawn together; bounds without are combined by sharing the miss probability among
    them, which holds however their errors depend on each other. Probabilities that were counted on different data
    have one share together, as in a fault tree. Bounds of probabilities that hold on average give one that does. Gives
    the `quantity` that is named.
    """
    _require_not_negative(factors, level)
    found = propagate(
        _product,
        factors,
        quantity=quantity,
        direction=Proven(dict.fromkeys(factors, 1)),
        level=level,
        seed=seed,
        unit=unit,
        scope=", ".join(dict.fromkeys(factor.scope for factor in factors.values() if factor.scope)),
        assumptions=[CONDITIONAL],
        linear=[name for name, factor in factors.items() if factor.unit == PER_DEMAND],
        mix=mix,
    )
    stated = [
        name
        for name, factor in factors.items()
        if all(family.kind == "certain" for family in factor.bounds if family.side == "upper")
    ]
    share = 1 - (1 - level) / max(len(factors) - len(stated), 1)
    limits = {name: limit(factor, "upper", share) for name, factor in factors.items()}
    if found.dist is None and None not in limits.values():
        found = replace(found, details={**found.details, "factors": limits, "stated": stated})
    found = _counted_together(found, factors, level)
    return Evidence((found,), tables={"factors": _table(factors, found, level)})


def _counted_together(found: Estimate, factors: Mapping[str, Estimate], level: float) -> Estimate:
    """With the bounds that counts of several factors give together, where they were counted on different data."""
    counts = {n: e for n, e in factors.items() if e.unit == PER_DEMAND and count_of(e) is not None}
    if found.dist is not None or {family.kind for family in found.bounds} != {"confidence"} or len(counts) < 2:
        return found
    events = {name: as_quantity(estimate) for name, estimate in counts.items()}
    together = counted_inputs(FaultTree("product", {"product": Formula("and", tuple(counts))}, events))
    if together is None or together.others:
        return found
    rest = {name: factor for name, factor in factors.items() if name not in counts}

    def family(side: Side) -> TabulatedBound:
        shares = 1 + sum(takes_a_share(factor, side) for factor in rest.values())
        levels = sorted({*(each for each in LEVELS if each > level), level})
        limits = [
            together.limit((1 - each) / shares, side)
            * math.prod(factor.bound(side, 1 - (1 - each) / shares).limit for factor in rest.values())
            for each in levels
        ]
        return TabulatedBound.widened(levels, limits, side, "confidence")

    return replace(
        found,
        bounds=tuple(family(bound.side) for bound in found.bounds),
        assumptions=union(found.assumptions, (INDEPENDENT_TESTS,)),
        details={**found.details, **together.details()},
    )


def _product(**factors: FloatArray) -> FloatArray:
    return reduce(np.multiply, factors.values())


def _require_not_negative(factors: Mapping[str, Estimate], level: float) -> None:
    """A product rises with each factor only where no other one is negative."""
    for name, factor in factors.items():
        lowest = min(factor.value, limit(factor, "lower", level) or 0.0)
        if lowest < 0:
            raise InvalidInput("a factor may be negative", where=f"factor {name!r}", found=f"{lowest:g}")


def _table(factors: Mapping[str, Estimate], found: Estimate, level: float) -> Table:
    rows = [(name, e.quantity, e.scope, e.value, limit(e, "upper", level)) for name, e in factors.items()]
    result = ("product", found.quantity, found.scope, found.value, limit(found, "upper", level))
    return Table(("factor", "quantity", "about", "value", f"upper bound ({one_sided(level)})"), (*rows, result))


# The step for a value that nobody measured here.


@step
@meaning(2)
def stated(
    *, quantity: Quantity, value: Value, source: Source, unit: Unit = PER_DEMAND, answered_by: AnsweredBy = None
) -> Estimate:
    """A value taken from elsewhere, with its source; that it holds becomes an assumption.

    It is stated, not measured: a target is met by it, or by what rests on it, only where `answered_by` names who
    answers for it, and the verdict says so then. What was counted in a document belongs into `counted`. Gives the
    `quantity` that is named.
    """
    return Estimate.known(quantity, value, source=source, unit=unit, answer=answer_of(answered_by))
