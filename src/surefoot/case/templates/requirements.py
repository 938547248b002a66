"""Sub-cases on the requirements of a system: SubC1 to SubC3 and SubC8 (RAM, sections 3.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.case.node import Block
from surefoot.case.templates.context import SHOWN
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.job import derived
from surefoot.case.templates.names import goal_id
from surefoot.case.templates.standards import tags
from surefoot.case.words import asked
from surefoot.core import Evidence

LOGIC = ("complete-logic", "chains-complete", "hazards-complete", "order-of-events")
TREES = ("faulttree", "fault tree", "certified interval")
VALID = "The safety requirements R are well-defined, complete and valid."
HAZARDS = "All hazards that matter are identified."
TARGETS = "The quantitative safety targets follow from an accepted principle of how safe is safe enough."
SUFFICIENT = "The fault tree analysis covers what leads from causes to the top events."


def requirements_valid(draft: Draft) -> None:
    """SubC1: R is well-defined, complete (by SubC2) and valid (by SubC3)."""
    module = draft.module("SubC1", "Why the safety requirements are the right ones.")
    options: dict[str, Any] = {"module": module, "tags": tags("requirements")}
    parts = ("SubC1.defined", "SubC1.complete", "SubC1.valid")
    draft.add("SubC1", "sub-case", VALID, of=f"{module}/SubC1.claim", tags=tags("requirements"))
    draft.add("SubC1.claim", "claim", VALID, supported_by=("SubC1.argument",), **options)
    text = "Split by what makes requirements the right ones."
    draft.add("SubC1.argument", "argument", text, block="decomposition", supported_by=parts, **options)
    text = "The safety requirements are verifiable, consistent, unambiguous and traceable."
    draft.add("SubC1.defined", "claim", text, undeveloped=True, **options)
    text = "The safety requirements cover all sources: hazard analysis, standards and law."
    _by(
        draft,
        "SubC1.complete",
        text,
        _hazards(draft),
        "By hazard identification; standards and law add to it.",
        options,
    )
    text = "The safety requirements are valid by a principle of risk acceptance."
    _by(draft, "SubC1.valid", text, _targets(draft), "By the derivation of quantitative targets.", options)


def _by(draft: Draft, identity: str, text: str, below: str, why: str, options: Mapping[str, Any]) -> None:
    argument = f"{identity}.argument"
    draft.add(identity, "claim", text, supported_by=(argument,), **options)
    draft.add(argument, "argument", why, block="substitution", supported_by=(below,), **options)


def _hazards(draft: Draft) -> str:
    """SubC2: the worksheet of the hazard analysis, where there is one."""
    sheets = {name: each for name, each in draft.ingredients.evidence.items() if "worksheet" in each.tables}
    ids = [_sheet(draft, name, each) for name, each in sheets.items()]
    sides = [side for name, each in sheets.items() for side in _complete(draft, name, each)]
    how = "By a structured analysis of deviations, row by row."
    return _developed(draft, "SubC2", HAZARDS, "hazard analysis", below=ids, sides=sides, how=how, within="SubC1")


def _targets(draft: Draft) -> str:
    """SubC3: where each limit comes from, where somebody says so."""
    ids = []
    for goal in draft.ingredients.goals:
        said = derived(draft, goal)
        if said:
            text = f"Target of {goal.name!r}, {asked(goal.verdict)}: {said}"
            identity = f"SubC3.{goal_id(goal.name)}"
            options: dict[str, Any] = {"module": "SubC3", "tags": tags("safety target")}
            ids.append(draft.add(identity, "evidence", text, **options))
    how = "Each limit is derived from a reference, a principle or a requirement that somebody answers for."
    return _developed(draft, "SubC3", TARGETS, "safety target", below=ids, how=how, within="SubC1")


def tree_sufficient(draft: Draft) -> None:
    """SubC8: what the fault trees behind targets could leave out."""
    sides: list[str] = []
    for goal in draft.ingredients.goals:
        if goal.estimate.provenance.method.startswith(TREES):
            own = [each for each in goal.estimate.assumptions if each.id in LOGIC]
            sides += draft.side_claims(goal.reference, own, module="SubC8")
    how = "Split by what a fault tree could leave out: ways through its gates, chains of events, and hazards."
    _developed(draft, "SubC8", SUFFICIENT, "system analysis", sides=sides, how=how, block="decomposition")


def _sheet(draft: Draft, step: str, evidence: Evidence) -> str:
    rows = len(evidence.tables["worksheet"].rows)
    text = f"Worksheet of the hazard analysis, {rows} rows (step {step!r}, content {evidence.digest[:SHOWN]})."
    options: dict[str, Any] = {"module": "SubC2", "tags": tags("hazard analysis")}
    return draft.add(f"SubC2.{step}", "evidence", text, **options)


def _complete(draft: Draft, step: str, evidence: Evidence) -> tuple[str, ...]:
    return draft.side_claims(step, evidence.assumptions, module="SubC2")


def _developed(
    draft: Draft,
    identity: str,
    text: str,
    role: Any,
    *,
    how: str,
    below: Sequence[str] = (),
    sides: Sequence[str] = (),
    within: str = "",
    block: Block = "evidence incorporation",
) -> str:
    """The sub-case, written in module ``within``, with its own module; undeveloped where nothing holds it up."""
    if not below and not sides:
        return draft.add(identity, "sub-case", text, undeveloped=True, tags=tags(role), module=within)
    module = draft.module(identity, text)
    options: dict[str, Any] = {"module": module, "tags": tags(role)}
    argument = f"{identity}.argument"
    draft.add(f"{identity}.claim", "claim", text, supported_by=(argument,), **options)
    draft.add(argument, "argument", how, block=block, supported_by=below, in_context_of=dict.fromkeys(sides), **options)
    return draft.add(identity, "sub-case", text, of=f"{module}/{identity}.claim", tags=tags(role), module=within)
