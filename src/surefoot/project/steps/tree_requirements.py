"""What each event that evidence feeds would need for the top event to meet its target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from surefoot.core import Estimate, InvalidInput, Table, Target
from surefoot.core.averaging import on_average
from surefoot.faulttree.result import TreeResult
from surefoot.hazards.improvement import Improvements
from surefoot.hazards.improvement.ground import Ground
from surefoot.project.steps.tables import limit, one_sided

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
        or result.verdict
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
    ground = Ground(result.tree, level, 1, result.seed)
    return 1 - (1 - level) / max(ground.counted(ground.inputs), 1)


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
