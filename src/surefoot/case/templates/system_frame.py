"""The frame of a whole system (RAM, section 3.1; Figure 3).

The figure is not in the text; its structure is rebuilt from the section: the system is safe enough if it keeps its
safety requirements R (TLC2), and R is well-defined, complete and valid (TLSC1 by SubC1, with hazard identification in
SubC2 and the derivation of targets in SubC3). TLC2 is split by time, and by what is qualitative and quantitative (SubC4
to SubC6, which the text does not name one by one); quantitative requirements of today (TLC3) are carried to components
by fault trees, whose sufficiency is TLSC2 by SubC8. SubC7 is the learned component.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from surefoot.case.confidence.feedback import Feedback, Record
from surefoot.case.findings import measured
from surefoot.case.goal import Goal
from surefoot.case.measured import Measured
from surefoot.case.templates.argue import Arguments
from surefoot.case.templates.component_frame import grouped, one_component
from surefoot.case.templates.context import stated_context
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.names import component_id, goal_id
from surefoot.case.templates.requirements import requirements_valid, tree_sufficient
from surefoot.case.templates.standards import tags

TEXTS = {
    "TLA1": "Safe enough is replaced by keeping the safety requirements R, which say what safety needs.",
    "TLSC1": "The safety requirements R are the right ones: well-defined, complete and valid.",
    "TLC2": "The safety requirements R are kept, now and in the future.",
    "TLA2": "Split by time, and by qualitative and quantitative requirements.",
    "SubC4": "Qualitative requirements are kept when operation begins.",
    "TLC3": "Quantitative requirements are kept when operation begins.",
    "SubC5": "Qualitative requirements will be kept in the future.",
    "SubC6": "Quantitative requirements will be kept in the future.",
    "TLA3": "Quantitative requirements of the whole are carried to components by quantitative fault tree analysis.",
    "TLSC2": "The fault tree analysis is sufficient.",
}


def over_system(draft: Draft) -> None:
    """All claims of Figure 3; what nothing was given for is undeveloped."""
    given = draft.ingredients
    arguments = Arguments(draft, sources=False)
    text = given.claim or f"{given.system} is safe enough in its operating environment."
    context = stated_context(draft)
    top = {"in_context_of": context, "tags": tags("scope", "argument")}
    draft.add("claim", "claim", text, supported_by=("TLA1",), note="TLC1 of RAM.", **top)
    _add(draft, "TLA1", "argument", "scope", block="substitution", supported_by=("TLC2",), in_context_of=("TLSC1",))
    _add(draft, "TLSC1", "side-claim", "requirements", supported_by=("SubC1",))
    requirements_valid(draft)
    _add(draft, "TLC2", "claim", "requirements", supported_by=("TLA2",))
    parts = ("SubC4", "TLC3", "SubC5", "SubC6")
    _add(draft, "TLA2", "argument", "argument", block="decomposition", supported_by=parts)
    _add(draft, "SubC4", "sub-case", "requirements", undeveloped=True)
    _add(draft, "SubC5", "sub-case", "operation", undeveloped=True)
    _future(draft)
    _add(draft, "TLC3", "claim", "verification", supported_by=("TLA3",))
    _add(draft, "TLA3", "argument", "system analysis", in_context_of=("TLSC2",))
    _components(draft, arguments)
    draft.split("TLA3")
    _add(draft, "TLSC2", "side-claim", "system analysis", supported_by=("SubC8",))
    tree_sufficient(draft)


def _components(draft: Draft, arguments: Arguments) -> None:
    given = draft.ingredients
    by_component = grouped(draft)
    learned = [_learned(draft, arguments, name, goals) for name, goals in by_component.items()]
    of_whole = arguments.claims([goal for goal in given.goals if given.component_of(goal) is None])
    if not learned:
        text = "The learned components are safe enough."
        learned = [draft.add("SubC7", "sub-case", text, undeveloped=True, tags=tags("requirements"))]
    draft.relate("TLA3", supported_by=(*of_whole, *learned))


def _learned(draft: Draft, arguments: Arguments, component: str, goals: Sequence[Goal]) -> str:
    identity = component_id(component, "SubC7")
    module = draft.module(identity, f"The learned component {component!r} (RAM, section 5).")
    claim = one_component(draft, arguments, component, goals, module=module)
    text = draft.nodes[claim].text
    return draft.add(identity, "sub-case", text, of=f"{module}/{claim}", tags=tags("requirements"))


def _future(draft: Draft) -> None:
    """What operation showed is evidence for what is claimed of the future."""
    shown = [*_results(draft), *_records(draft)]
    if not shown:
        _add(draft, "SubC6", "sub-case", "operation", undeveloped=True)
        return
    module = draft.module("SubC6", TEXTS["SubC6"])
    options: dict[str, Any] = {"module": module, "tags": tags("operation")}
    draft.add("SubC6.claim", "claim", TEXTS["SubC6"], supported_by=("SubC6.argument",), **options)
    text = "Operation is watched, and what it shows is held against what was claimed before."
    block = "evidence incorporation"
    draft.add("SubC6.argument", "argument", text, block=block, supported_by=shown, **options)
    _add(draft, "SubC6", "sub-case", "operation", of=f"{module}/SubC6.claim")


def _results(draft: Draft) -> list[str]:
    """Results measured in operation."""
    found = Measured(draft.ingredients.evidence)
    known = {each: found.estimate(each) for each in draft.ingredients.operation}
    return [
        draft.evidence(reference, estimate, measured(estimate), module="SubC6")
        for reference, estimate in known.items()
        if estimate is not None
    ]


def _records(draft: Draft) -> list[str]:
    """Incidents told from operation; how they bear on the target's number is reckoned at its own claim."""
    names = {goal_id(goal.name): goal.name for goal in draft.ingredients.goals}
    counts: Counter[str] = Counter()
    ids = []
    for entry in draft.ingredients.feedback:
        counts[entry.claim] += 1
        about = names.get(entry.claim, entry.claim)
        text = f"Operation, held against the target {about!r}: {Record.of([entry])}{_when(entry)}"
        text += f" ({entry.source})." if entry.source else "."
        identity = f"SubC6.{entry.claim}.{counts[entry.claim]}"
        ids.append(draft.add(identity, "evidence", text, module="SubC6", tags=tags("operation")))
    return ids


def _when(entry: Feedback) -> str:
    said = (("from", entry.since), ("until", entry.until))
    return "".join(f" {word} {date}" for word, date in said if date)


def _add(draft: Draft, identity: str, kind: Any, role: Any, **fields: Any) -> str:
    return draft.add(identity, kind, TEXTS[identity], tags=tags(role), **fields)
