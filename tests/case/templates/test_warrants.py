"""What a claim is worth follows from its evidence and from the assumptions beside its argument, whatever the method."""

from dataclasses import replace

import pytest
from tests.case.templates import worlds

from surefoot.case import Goal, instantiate
from surefoot.core import Check, Target

ALL = worlds.goals_of_all_methods()
PROBABILITY = {"supported": 0.875, "unchecked": 0.5, "contradicted": 0.0}
"""Of a side-claim by its check: belief 0.75 with uncertainty 0.25 at base rate 0.5, nothing known, refuted."""


def asked(name, **target):
    """The goal of a method with another target, which bounds of any kind can show."""
    goal = ALL[name]
    kinds = ("certain", "confidence", "credible", "heuristic")
    wanted = replace(goal.verdict.target, kinds=kinds) if not target else Target(**target, kinds=kinds)
    return replace(goal, verdict=goal.estimate.meets(wanted))


def with_checks(goal, statuses):
    """The same goal where checks found this, by the place of the assumption."""
    assumptions = tuple(
        replace(each, check=Check(statuses[place], "looked")) if place in statuses else each
        for place, each in enumerate(goal.estimate.assumptions)
    )
    caveats = tuple(each for each in goal.estimate.caveats if each.code != "contradicted-assumption")
    estimate = replace(goal.estimate, assumptions=assumptions, caveats=caveats)
    return replace(goal, verdict=estimate.meets(goal.verdict.target), estimate=estimate)


def all_supported(name, **target):
    goal = asked(name, **target)
    return with_checks(goal, dict.fromkeys(range(len(goal.estimate.assumptions)), "supported"))


def evaluated(goal: Goal):
    given = worlds.found(goal)
    case = instantiate(given)
    return case, case.evaluate(given.evidence)


def masses(opinion):
    return float(opinion.belief), float(opinion.disbelief)


def leaves(case, identity):
    """Side-claims that nothing holds up, beside an argument or below what stands beside it."""
    found, ready = {}, [identity]
    while ready:
        node = case[ready.pop()]
        if node.kind == "side-claim" and not node.supported_by:
            found[node.id] = node
        ready += [each for each in node.below if case[each].kind in ("side-claim", "argument")]
    return found.values()


def test_a_claim_has_one_argument_which_rests_on_the_measurement_alone():
    for name in ALL:
        case, _ = evaluated(ALL[name])
        assert case[name].supported_by == (f"{name}.argument",), name
        assert case[f"{name}.argument"].supported_by == (f"evidence.{ALL[name].reference}",), name


def test_the_opinion_is_that_of_the_evidence_discounted_by_each_assumption_once():
    for name in ALL:
        goal = asked(name)
        case, found = evaluated(goal)
        carried = [each.status for each in goal.estimate.assumptions]
        stated = [node for node in leaves(case, f"{name}.argument") if not node.assumption]
        assert len(leaves(case, f"{name}.argument")) == len(carried) + len(stated), name
        trust = 0.5 ** len(stated)
        for status in carried:
            trust *= PROBABILITY[status]
        expected = [mass * trust for mass in masses(found.opinions()[f"evidence.{goal.reference}"])]
        assert masses(found.opinions()[name]) == pytest.approx(expected, abs=1e-9), name


def test_the_claim_stands_as_the_goal_does_be_it_met_not_shown_or_violated():
    for name in ALL:
        for limit in (0.999, None, 1e-9):
            value = ALL[name].estimate.value
            goal = all_supported(name, at_most=value if limit is None else limit)
            expected = {0.999: "supported", 1e-9: "contradicted"}.get(limit)
            assert expected in (None, goal.standing), name
            assert evaluated(goal)[1][name].standing == goal.standing, name


def test_whichever_assumption_is_contradicted_nothing_is_shown_neither_way():
    for name in [name for name, goal in ALL.items() if goal.estimate.assumptions]:
        for limit in (0.999, 1e-9):
            goal = all_supported(name, at_most=limit)
            for place, assumption in enumerate(goal.estimate.assumptions):
                broken = with_checks(goal, {place: "contradicted"})
                found = evaluated(broken)[1]
                assert masses(found.opinions()[name]) == (0.0, 0.0), assumption.id
                assert found[name].standing == broken.standing == "not shown", assumption.id
                assert found[f"{name}.argument"].standing == "contradicted", assumption.id
