"""The step that merges chains of events into the fault tree of a top event, and analyses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from surefoot.core import Assumption, DiagnosticsError, Estimate, Evidence, Table, union
from surefoot.core.estimate import PER_DEMAND
from surefoot.faulttree import Budget
from surefoot.hazards import Hazop, Scenarios, Study
from surefoot.hazards.scenarios.trace import joined
from surefoot.project.asked import Asked
from surefoot.project.step import step
from surefoot.project.steps.fault_tree import analysed
from surefoot.project.steps.hazop import complete
from surefoot.project.steps.parameters import Level, Mix, Unit
from surefoot.project.steps.tree_improvement import Wishes
from surefoot.project.steps.tree_parameters import (
    Candidates,
    ChainsFile,
    Costs,
    Draws,
    InlineChains,
    Nodes,
    TimeLimit,
    TopEvent,
    WorksheetBehind,
)
from surefoot.project.trees import hazop_of, scenarios_of

CHAINS_COMPLETE = Assumption(
    "chains-complete", "Every way from a cause to the top event that matters is one of the chains."
)


@step
def scenario_tree(
    *,
    asked: Asked,
    worksheet: WorksheetBehind = None,
    file: ChainsFile = None,
    inline: InlineChains = None,
    events: Mapping[str, Estimate] | None = None,
    top: TopEvent = None,
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
    from. Gives `top event probability`.
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
        wishes=Wishes.read(candidates, costs, draws=draws, mix=mix).about(tree),
    )
    return _traced(found, study, tree.top)


def _study(worksheet: str | None, file: str | None, inline: Mapping[str, object] | None) -> Study:
    hazop = hazop_of(worksheet) if worksheet is not None else None
    scenarios = scenarios_of(file, inline, hazop)
    if hazop is not None:
        DiagnosticsError.raise_if_any(Study(hazop, scenarios).trace.findings(scenarios, hazop))
    return Study(hazop or Hazop(scenarios.name), scenarios)


def _traced(found: Evidence, study: Study, top: str) -> Evidence:
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
