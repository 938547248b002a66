"""The frame of a learned component (RAM, section 5.1; Figure 8).

The figure is not in the text; its structure is rebuilt from the section. The text calls the claims on the four
functions LLC3 to LLC5, which are three names for four claims: here they are LLC3 to LLC6.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefoot.case.goal import Goal
from surefoot.case.templates.argue import Arguments
from surefoot.case.templates.context import stated_context
from surefoot.case.templates.draft import Draft
from surefoot.case.templates.ingredients import FUNCTIONS, Function
from surefoot.case.templates.names import component_id, goal_id
from surefoot.case.templates.results import Results
from surefoot.case.templates.standards import tags

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


def over_components(draft: Draft) -> None:
    """Top claim, decomposition over learned components, and each component by its functions."""
    given = draft.ingredients
    arguments = Arguments(draft)
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
    own = [goal for goal in goals if speaks_of.get(goal.name, "classification") == function]
    fed = _fed(draft, component) if function == "classification" else []
    identity = component_id(component, f"LLC{NUMBERS[function]}")
    text = SAID[function].format(f"The component {component!r}")
    options: dict[str, Any] = {"tags": tags("requirements"), "module": module}
    if not own and not fed:
        return draft.add(identity, "claim", text, undeveloped=True, **options)
    concretion = component_id(component, f"LLA{NUMBERS[function]}")
    draft.add(identity, "claim", text, supported_by=(concretion,), **options)
    draft.add(concretion, "argument", CONCRETE, block="concretion", note="SubC11 of RAM.", **options)
    claims = arguments.claims(own, module=module) if own else _of_whole(draft, concretion, fed, module)
    draft.relate(concretion, supported_by=claims)
    return identity


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
