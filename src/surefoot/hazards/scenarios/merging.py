"""Chains that lead to one top event, merged into a fault tree with a gate for every event that has causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from surefoot.core.diagnostics import DiagnosticsError
from surefoot.core.errors import InvalidInput
from surefoot.documents import did_you_mean
from surefoot.faulttree import FaultTree
from surefoot.hazards.scenarios.links import below
from surefoot.hazards.scenarios.model import Scenario, Scenarios
from surefoot.hazards.scenarios.trace import ROWS, joined

if TYPE_CHECKING:
    from surefoot.hazards.worksheet import Hazop

LEVEL, CHAINS = "level", "scenarios"


def fault_tree(scenarios: Scenarios | Iterable[Scenario] | Hazop, top: str | None = None) -> FaultTree:
    """The fault tree of a top event (paper RAM, Figure 18): every chain that leads to it becomes a path.

    An event that several events bring about is their disjunction, each together with the barriers that must fail;
    ``gates`` of the scenarios say otherwise where they say anything. In the tree each event carries the rows and chains
    that it comes from, and its level: 0 for basic events, the largest of its causes' plus one otherwise. Conflicts and
    loops are errors. ``top`` may be left out where there is only one top event.

    >>> tree = fault_tree([Scenario("S1", ("misclassified", "too close", "collision")),
    ...                    Scenario("S2", ("current is strong", "too close"))], "collision")
    >>> sorted(tree.events), tree.attributes["collision"]["level"]
    (['current is strong', 'misclassified'], '2')
    """
    known = _known(scenarios)
    DiagnosticsError.raise_if_any(known.problems)
    formulas, inputs = known.merged, known.inputs
    chosen = _top(known, top, formulas)
    reached = below(chosen, inputs)
    kept = [group for group in known.groups if not reached.keys().isdisjoint(group.members)]
    members = {member for group in kept for member in group.members}
    linked = {name for effect in reached for link in known.links.get(effect, ()) for name in link.inputs}
    told = [name for name in reached if name in linked or name in known.events]
    basic = [name for name in told if not (name in formulas or name in known.houses)]
    return FaultTree(
        top=chosen,
        gates={name: formulas[name] for name in reached if name in formulas},
        events={name: known.events.get(name) for name in basic if name not in members},
        houses={name: state for name, state in known.houses.items() if name in reached},
        groups=tuple(kept),
        parameters=known.parameters,
        labels={name: text for name, text in known.labels.items() if name in reached},
        attributes=_attributes(known, reached, inputs),
        name=f"{known.name}: {chosen}",
    )


def levels(inputs: Mapping[str, Iterable[str]]) -> dict[str, int]:
    """Level of every event that has causes and of those below, which are 0; there are no loops."""
    from graphlib import TopologicalSorter

    found: dict[str, int] = {}
    for name in TopologicalSorter(inputs).static_order():
        found[name] = 1 + max((found[each] for each in inputs.get(name, ())), default=-1)
    return found


def _known(scenarios: Scenarios | Iterable[Scenario] | Hazop) -> Scenarios:
    if isinstance(scenarios, Scenarios):
        return scenarios
    draft = getattr(scenarios, "scenarios", None)
    return draft() if callable(draft) else Scenarios(tuple(scenarios))  # type: ignore[arg-type]


def _top(scenarios: Scenarios, top: str | None, formulas: Mapping[str, object]) -> str:
    if top is not None and top in formulas:
        return top
    tops = scenarios.tops
    if top is None and len(tops) == 1:
        return tops[0]
    if top is None:
        raise InvalidInput("name the top event", where="fault_tree", found=f"{len(tops)} of them: {list(tops)}")
    if any(top in scenario.events for scenario in scenarios.chains):
        raise InvalidInput("nothing leads to this event", where="fault_tree", found=repr(top))
    raise InvalidInput("no such event", where="fault_tree", found=repr(top), remedy=did_you_mean(top, formulas))


def _attributes(
    scenarios: Scenarios, reached: Mapping[str, None], inputs: Mapping[str, list[str]]
) -> dict[str, dict[str, str]]:
    traced, level = scenarios.trace, levels({name: inputs[name] for name in reached if name in inputs})
    found: dict[str, dict[str, str]] = {}
    for name in reached:
        own = {ROWS: joined(traced.rows.get(name, ())), CHAINS: joined(traced.chains.get(name, ()))}
        said = {key: text for key, text in own.items() if text} | {LEVEL: str(level[name])}
        found[name] = {**said, **scenarios.attributes.get(name, {})}
    return found
