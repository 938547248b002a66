"""What a case begins with: all targets beside each other, learned components by their functions, or a whole system.

The frame of a learned component is that of RAM, section 5.1 (Figure 8), the frame of a system that of section 3.1
(Figure 3). The figures are not in the text; their structure is rebuilt from the sections. The text calls the claims on
the four functions LLC3 to LLC5, which are three names for four claims: here they are LLC3 to LLC6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from surefoot.case.confidence.feedback import Feedback, Record
from surefoot.case.evaluation import Goal, Measured
from surefoot.case.model import Block
from surefoot.case.templates.activities import tags
from surefoot.case.templates.arguments import Arguments
from surefoot.case.templates.builder import (
    FUNCTIONS,
    SHOWN,
    Draft,
    Function,
    Results,
    component_id,
    derived,
    goal_id,
    stated_context,
)
from surefoot.case.wording import asked, measured
from surefoot.core import Evidence

NUMBERS: dict[Function, int] = {"classification": 3, "localisation": 4, "timing": 5, "tracking": 6}
SAID: dict[Function, str] = {
    "classification": "{} classifies reliably what it first sees of an object.",
    "localisation": "{} locates reliably what it first sees of an object.",
    "timing": "{} detects an object in time.",
    "tracking": "{} tracks reliably what it has detected.",
}
PROPERTIES = (
    "A component is safe enough if it has all properties that safety needs; reliability is the one argued here."
)
COMPLETE = "The properties listed are all that safety needs of the {}."
BY_REQUIREMENTS = "Properties of the {} were found from property-based requirements."
OTHERS = "Other properties of the {}, such as security and interpretability, are as safety needs them."
FOUR = "Reliability is split by what the component does with an object, at its birth in view and after."
CONCRETE = (
    "Reliability is made precise: which answer counts as a failure, what one input is, and the bound that is shown."
)


def over_components(draft: Draft, arguments: Arguments) -> None:
    """Top claim, decomposition over learned components, and each component by its functions."""
    given = draft.ingredients
    text = given.claim or f"The learned components of {given.system} are safe enough."
    options = {"in_context_of": stated_context(draft), "tags": tags("scope", "argument")}
    if not given.components and not given.goals:
        draft.add("claim", "claim", text, undeveloped=True, note="No components are named.", **options)
        return
    draft.add("claim", "claim", text, supported_by=("argument",), **options)
    over = "The claim holds if each learned component is safe enough, and every target of the whole is met."
    draft.add("argument", "argument", over, tags=tags("argument"))
    by_component = grouped(draft)
    tops = [one_component(draft, arguments, name, goals) for name, goals in by_component.items()]
    of_whole = [goal for goal in given.goals if given.component_of(goal) is None]
    draft.relate("argument", supported_by=(*tops, *arguments.claims(of_whole)))
    draft.split("argument")


def grouped(draft: Draft) -> dict[str, list[Goal]]:
    """Targets by the component that they speak of; components without a target are there too."""
    found: dict[str, list[Goal]] = {name: [] for name in draft.ingredients.components}
    for goal in draft.ingredients.goals:
        component = draft.ingredients.component_of(goal)
        if component is not None:
            found[component].append(goal)
    return found


def one_component(
    draft: Draft, arguments: Arguments, component: str, goals: Sequence[Goal], *, module: str = ""
) -> str:
    """LLC1 of one component with all below it; gives its id."""
    said = f"component {component!r}"
    ids = {name: component_id(component, name) for name in ("LLC1", "LLA1", "LLSC1", "LLC2", "LLA2", "SubC9", "SubC10")}
    options: dict[str, Any] = {"tags": tags("requirements"), "module": module}
    described = _described(draft, component, module)
    text = f"The {said} is safe enough."
    draft.add(ids["LLC1"], "claim", text, supported_by=(ids["LLA1"],), in_context_of=described, **options)
    below = {"supported_by": (ids["LLC2"], ids["SubC9"]), "in_context_of": (ids["LLSC1"],)}
    draft.add(ids["LLA1"], "argument", PROPERTIES, block="substitution", **below, **options)
    draft.add(ids["LLSC1"], "side-claim", COMPLETE.format(said), supported_by=(ids["SubC10"],), **options)
    draft.add(ids["SubC10"], "sub-case", BY_REQUIREMENTS.format(said), undeveloped=True, **options)
    draft.add(ids["LLC2"], "claim", f"The {said} is reliable enough.", supported_by=(ids["LLA2"],), **options)
    draft.add(ids["SubC9"], "sub-case", OTHERS.format(said), undeveloped=True, **options)
    draft.add(ids["LLA2"], "argument", FOUR, **options)
    functions = draft.ingredients.functions.get(component, FUNCTIONS)
    claims = [_function(draft, arguments, component, each, goals, module) for each in functions]
    draft.relate(ids["LLA2"], supported_by=claims)
    draft.split(ids["LLA2"])
    return ids["LLC1"]


def _described(draft: Draft, component: str, module: str) -> tuple[str, ...]:
    text = draft.ingredients.components[component]
    if not text:
        return ()
    identity = component_id(component, "component")
    return (draft.add(identity, "context", f"{component}: {text}", tags=tags("scope"), module=module),)


def _function(
    draft: Draft, arguments: Arguments, component: str, function: Function, goals: Sequence[Goal], module: str
) -> str:
    speaks_of = draft.ingredients.speaks_of
    own = [goal for goal in goals if speaks_of.get(goal.name, _function_of(goal)) == function]
    fed = _fed(draft, component) if function == "classification" else []
    identity = component_id(component, f"LLC{NUMBERS[function]}")
    text = SAID[function].format(f"The component {component!r}")
    options: dict[str, Any] = {"tags": tags("requirements"), "module": module}
    if not own and not fed:
        return draft.add(identity, "claim", text, undeveloped=True, **options)
    concretion = component_id(component, f"LLA{NUMBERS[function]}")
    draft.add(identity, "claim", text, supported_by=(concretion,), **options)
    draft.add(concretion, "argument", _concrete(own), block="concretion", note="SubC11 of RAM.", **options)
    claims = arguments.claims(own, module=module) if own else _of_whole(draft, concretion, fed, module)
    draft.relate(concretion, supported_by=claims)
    return identity


def _function_of(goal: Goal) -> str:
    """The function that the evidence of a target is about; classification where it does not say."""
    said = str(goal.estimate.details.get("function", ""))
    return said if said in FUNCTIONS else "classification"


def _concrete(goals: Sequence[Goal]) -> str:
    """What reliability of a function is made precise by; the definition of failure where evidence brings one."""
    said = [goal.estimate for goal in goals if {"function", "failure_on_demand"} <= goal.estimate.details.keys()]
    found = list(dict.fromkeys(f"{each.details['failure_on_demand']} ({each.unit})" for each in said))
    return f"{CONCRETE} A failure is: {'; '.join(found)}." if found else CONCRETE


def _of_whole(draft: Draft, identity: str, fed: Sequence[str], module: str) -> list[str]:
    """A component without a target of its own is reliable enough if what is calculated from it keeps its target."""
    results = Results(draft.ingredients.evidence)
    goals = [goal for goal in draft.ingredients.goals if set(results.behind([goal.reference])) & set(fed)]
    if not module:
        return [goal_id(goal.name) for goal in goals]
    away = {f"{identity}.{goal_id(goal.name)}": goal for goal in goals}
    for name, goal in away.items():
        other = draft.ingredients.component_of(goal)
        of = f"{component_id(other, 'SubC7') if other else ''}/{goal_id(goal.name)}"
        draft.add(name, "sub-case", goal.text, of=of, module=module, tags=tags("requirements"))
    return list(away)


def _fed(draft: Draft, component: str) -> list[str]:
    """Results about the component that no target speaks of and that targets of the whole are calculated from."""
    given = draft.ingredients
    behind = Results(given.evidence).behind([goal.reference for goal in given.goals])
    return [each for each in behind if given.component_behind(each) == component]


# The frame of a whole system (RAM, section 3.1; Figure 3).
#
# The figure is not in the text; its structure is rebuilt from the section: the system is safe enough if it keeps its
# safety requirements R (TLC2), and R is well-defined, complete and valid (TLSC1 by SubC1, with hazard identification in
# SubC2 and the derivation of targets in SubC3). TLC2 is split by time, and by what is qualitative and quantitative
# (SubC4 to SubC6, which the text does not name one by one); quantitative requirements of today (TLC3) are carried to
# components by fault trees, whose sufficiency is TLSC2 by SubC8. SubC7 is the learned component.

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


def over_system(draft: Draft, arguments: Arguments) -> None:
    """All claims of Figure 3; what nothing was given for is undeveloped."""
    given = draft.ingredients
    text = given.claim or f"{given.system} is safe enough in its operating environment."
    context = stated_context(draft)
    top = {"in_context_of": context, "tags": tags("scope", "argument")}
    draft.add("claim", "claim", text, supported_by=("TLA1",), note="TLC1 of RAM.", **top)
    _add(draft, "TLA1", "argument", "scope", block="substitution", supported_by=("TLC2",), in_context_of=("TLSC1",))
    _add(draft, "TLSC1", "side-claim", "system requirements", supported_by=("SubC1",))
    requirements_valid(draft)
    _add(draft, "TLC2", "claim", "argument", supported_by=("TLA2",))
    parts = ("SubC4", "TLC3", "SubC5", "SubC6")
    _add(draft, "TLA2", "argument", "argument", block="decomposition", supported_by=parts)
    _add(draft, "SubC4", "sub-case", "argument", undeveloped=True)
    _add(draft, "SubC5", "sub-case", "operation", undeveloped=True)
    _future(draft)
    _add(draft, "TLC3", "claim", "argument", supported_by=("TLA3",))
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
        draft.evidence(reference, estimate, measured(estimate), module="SubC6", roles=("operation",))
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


# Sub-cases on the requirements of a system: SubC1 to SubC3 and SubC8 (RAM, sections 3.1 and 3.2).

LOGIC = ("complete-logic", "chains-complete", "hazards-complete", "order-of-events")
TREES = ("faulttree", "fault tree", "certified interval")
VALID = "The safety requirements R are well-defined, complete and valid."
HAZARDS = "All hazards that matter are identified."
TARGETS = "The quantitative safety targets follow from an accepted principle of how safe is safe enough."
SUFFICIENT = "The fault tree analysis covers what leads from causes to the top events."


def requirements_valid(draft: Draft) -> None:
    """SubC1: R is well-defined, complete (by SubC2) and valid (by SubC3)."""
    module = draft.module("SubC1", "Why the safety requirements are the right ones.")
    options: dict[str, Any] = {"module": module, "tags": tags("system requirements")}
    parts = ("SubC1.defined", "SubC1.complete", "SubC1.valid")
    draft.add("SubC1", "sub-case", VALID, of=f"{module}/SubC1.claim", tags=tags("system requirements"))
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
            sides += draft.side_warrants(goal.reference, own, module="SubC8")
    how = "Split by what a fault tree could leave out: ways through its gates, chains of events, and hazards."
    _developed(draft, "SubC8", SUFFICIENT, "system analysis", sides=sides, how=how, block="decomposition")


def _sheet(draft: Draft, step: str, evidence: Evidence) -> str:
    rows = len(evidence.tables["worksheet"].rows)
    text = f"Worksheet of the hazard analysis, {rows} rows (step {step!r}, content {evidence.digest[:SHOWN]})."
    options: dict[str, Any] = {"module": "SubC2", "tags": tags("hazard analysis")}
    return draft.add(f"SubC2.{step}", "evidence", text, **options)


def _complete(draft: Draft, step: str, evidence: Evidence) -> tuple[str, ...]:
    return draft.side_warrants(step, evidence.assumptions, module="SubC2")


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


# The frame of a case about targets: the top claim holds if each of them is met.

OVER_TARGETS = "The claim holds if every quantitative target is met under the operating conditions."


def over_targets(draft: Draft, arguments: Arguments) -> None:
    """Top claim, decomposition over targets, and the argument of each."""
    given = draft.ingredients
    text = given.claim or f"{given.system} meets its safety targets under the stated operating conditions."
    options = {"in_context_of": stated_context(draft), "tags": tags("scope", "argument")}
    if not given.goals:
        draft.add("claim", "claim", text, undeveloped=True, note="No targets are stated.", **options)
        return
    draft.add("claim", "claim", text, supported_by=("argument",), **options)
    draft.add("argument", "argument", OVER_TARGETS, tags=tags("argument"))
    draft.relate("argument", supported_by=arguments.claims(given.goals))
    draft.split("argument")


# The frame of an author's own case: nothing stands above it, and what templates write goes where the author names it.


def over_own(draft: Draft, arguments: Arguments) -> None:
    """Nothing: the author's tree is the case."""
