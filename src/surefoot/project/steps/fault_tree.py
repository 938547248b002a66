"""The step that carries results of earlier steps through a fault tree to its top event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from surefoot.core import Artefact, Assumption, Estimate, Evidence, union
from surefoot.core.estimate import PER_DEMAND
from surefoot.faulttree import Budget, FaultTree
from surefoot.faulttree.quantities import probabilities
from surefoot.faulttree.result import TreeResult
from surefoot.hazards.improvement import Improvements
from surefoot.project.asked import Asked
from surefoot.project.definition import TOP_EVENT
from surefoot.project.step import step
from surefoot.project.steps.parameters import Level, Mix, Unit
from surefoot.project.steps.tree_importance import importance_tables
from surefoot.project.steps.tree_improvement import Wishes, ranked, to_do
from surefoot.project.steps.tree_parameters import (
    Candidates,
    Costs,
    Draws,
    InlineTree,
    Nodes,
    TimeLimit,
    TopEvent,
    TreeFile,
)
from surefoot.project.steps.tree_requirements import requirements
from surefoot.project.trees import tree_of

COMPONENT = "component"
PAGE_WIDTH = 960.0
"""Pixels; a wider drawing would be too small to read in the column of a report."""


@step
def fault_tree(
    *,
    asked: Asked,
    file: TreeFile = None,
    inline: InlineTree = None,
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
    """Probability of the top event of a fault tree, exact, with the uncertainty of its basic events.

    `events` names basic events and the results that feed them, in place of what the tree says of these events. Where
    all uncertain events have distributions they are drawn together, one that appears twice once; otherwise their bounds
    are combined by sharing the miss probability among them. A tree beyond `nodes` or `time_limit` gives an interval
    that is certain. Where a target asks about the top event and is not met, tells what each event that is fed would
    need, which events to improve first, and what `candidates` would give. Gives `top event probability`.
    """
    return analysed(
        tree_of(file, inline, top),
        events or {},
        asked,
        level=level,
        seed=seed,
        unit=unit,
        budget=Budget(nodes, time_limit),
        wishes=Wishes.read(candidates, costs, draws=draws, mix=mix),
    )


def analysed(
    tree: FaultTree,
    events: Mapping[str, Estimate],
    asked: Asked,
    *,
    level: float,
    wishes: Wishes,
    **options: Any,
) -> Evidence:
    """The evidence of a tree with estimates as basic events, held against what targets ask of its top event."""
    target = asked.of(TOP_EVENT)
    shared = {"draws": wishes.draws, "mix": wishes.mix, **options}
    result = fed(tree, events).analyse(level=target.level if target else level, target=target, **shared)
    improved = ranked(result, wishes)
    found, next_ = _evidence(result, events, improved), to_do(result, improved, wishes)
    return replace(found, tables={**next_.tables, **found.tables}, artefacts={**found.artefacts, **next_.artefacts})


def fed(tree: FaultTree, events: Mapping[str, Estimate]) -> FaultTree:
    """The tree with estimates as basic events, each marked with what was measured."""
    if not events:
        return tree
    marks = {name: {COMPONENT: estimate.scope or estimate.quantity} for name, estimate in events.items()}
    said = {name: {**marks[name], **tree.attributes.get(name, {})} for name in events}
    return replace(tree.with_events(events), attributes={**tree.attributes, **said})


def _evidence(result: TreeResult, events: Mapping[str, Estimate], improved: Improvements | None) -> Evidence:
    needed = requirements(result, events, improved)
    own = tuple(_is_measured(name, estimate) for name, estimate in events.items())
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


def _diagram(result: TreeResult) -> Artefact:
    """The tree with the probabilities of its events, and that of the top event where it is known."""
    events = [name for name, quantity in result.tree.events.items() if quantity is not None]
    values = {name: float(value) for name, value in probabilities(result.tree, events=events).items()}
    top = {} if result.probability is None else {result.tree.top: result.probability}
    return Artefact("image/svg+xml", result.tree.draw(width=PAGE_WIDTH, values=values | top).encode())
