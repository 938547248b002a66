"""The arguments of one target by each method, against what the papers' sections say."""

import pytest
from tests.case.templates import worlds

from surefoot.case import instantiate
from surefoot.core import Evidence

ALL = worlds.goals_of_all_methods()
STEPS = {1: "partition", 2: "profile", 3: "robustness", 4: "robustness", 5: "robustness", 6: "assembly", 7: "assembly"}
"""RAM, section 4.2 (Assumptions 1 to 6 in steps 1 to 4) and 4.3 (Assumption 7, in place of 6)."""

CARRIED = {
    "cells": {
        1: "separated-classes",
        2: "labelled-data-represent-operation",
        3: "single-label-cells",
        4: "better-than-chance",
        5: "uniform-inside",
        6: "independent-cells",
        7: "",
    },
    "balls": {
        1: "",
        2: "frame-represents-operation",
        3: "single-label-balls",
        4: "",
        5: "uniform-inside",
        6: "",
        7: "sampling-of-balls-dominates",
    },
}
"""Under which id a number from cells, or from balls, carries each assumption."""


def argued(name, **given):
    return instantiate(worlds.found(ALL[name], **given))


def sides(case, identity):
    return {case[each].assumption for each in case[identity].in_context_of if case[each].kind == "side-claim"}


def assumed(case, identity):
    """Assumptions that a side-claim is argued from."""
    assert case[identity].kind == "side-claim"
    assert case[identity].supported_by == (f"{identity}.argument",)
    assert case[f"{identity}.argument"].supported_by == ()
    return sides(case, f"{identity}.argument")


def below(case, identity):
    return [case[each] for each in case[identity].supported_by]


def test_every_assumption_of_every_estimate_is_a_side_claim_with_its_result():
    for name in ALL:
        case, goal = argued(name), ALL[name]
        told = {(node.assumption, node.rests_on, node.text.rstrip(".")) for node in case if node.kind == "side-claim"}
        for each in goal.estimate.assumptions:
            named = f"{each.id}[{each.scope}]" if each.scope else each.id
            text = f"{each.text[:1].upper()}{each.text[1:]}".rstrip(".")
            assert (named, goal.reference, text) in told, name


def test_a_claim_states_its_number_and_evidence_leads_to_the_result():
    for name in ALL:
        case, goal = argued(name), ALL[name]
        claim = case[name]
        assert claim.number.target == goal.verdict.target, name
        assert claim.number.quantity == goal.estimate.quantity, name
        for argument in below(case, name):
            assert argument.kind == "argument", name
            evidence = [node for node in below(case, argument.id) if node.kind == "evidence"]
            assert [(node.rests_on, node.digest) for node in evidence] == [(goal.reference, goal.estimate.digest)], name


def test_the_claim_stands_as_the_verdict_says():
    for name in ALL:
        goal = ALL[name]
        given = worlds.found(goal)
        claim = instantiate(given).evaluate(given.evidence)[name]
        assert claim.standing == goal.standing, name
        assert claim.verdict.status == goal.verdict.status, name


def test_nothing_is_wrong_with_the_case():
    for name in ALL:
        assert [str(each) for each in argued(name).check() if each.severity != "note"] == [], name


def test_all_methods_in_one_case_have_nothing_wrong_in_any_frame():
    given = worlds.everything()
    for frame in ("targets", "component", "system"):
        found = instantiate(given, frame=frame).check()
        assert [str(each) for each in found if each.severity != "note"] == [], frame


def test_counts_are_a_calculation_warranted_by_their_representativeness():
    case = argued("counted")
    assert case["counted.argument"].block == "calculation"
    assert sides(case, "counted.argument") == {"independent-trials[camera]", "fixed-size[camera]", ""}
    assert "counted.data" in case["counted.argument"].in_context_of
    assert case["counted.data.argument"].block == "substitution"
    assert assumed(case, "counted.data") == {"operational-profile[camera]"}


def test_margins_are_normal_by_a_side_claim_of_its_own():
    case = argued("skewed")
    assert case["skewed.normality.argument"].block == "substitution"
    assert assumed(case, "skewed.normality") == {"normal-margins[scores]"}
    assert sides(case, "skewed.argument") >= {"independent-samples[scores]"}
    assert case["skewed.margins"].kind == "justification"


@pytest.mark.parametrize(("name", "kind"), [("published", "cells"), ("balls", "balls")])
def test_ram_section_4_puts_each_assumption_once_beside_the_step_that_makes_it(name, kind):
    case = argued(name)
    steps = [f"{name}.{step}" for step in ("partition", "profile", "robustness", "assembly")]
    assert [each for each in case[f"{name}.argument"].in_context_of if each in steps] == steps
    for number, carried in CARRIED[kind].items():
        step = f"{name}.{STEPS[number]}"
        place = f"{step}.argument" if case[step].kind == "side-claim" else f"{name}.argument"
        assert _places(case, f"{name}.assumption {number}", carried) == [place], number
    assert case[f"{name}.assembly"].kind == ("side-claim" if name == "published" else "justification")


def _places(case, stated, named):
    """Arguments beside which an assumption is stated, whether carried, not needed or not checked."""
    ids = {stated} | {node.id for node in case if named and node.assumption == named}
    return [node.id for node in case for beside in node.in_context_of if beside in ids]


def test_as_published_assumptions_1_to_6_are_all_side_claims_and_7_is_not_needed():
    case = argued("published")
    numbered = [node for node in case if node.kind == "side-claim" and "Assumption" in node.text]
    assert sorted(node.text.partition("Assumption ")[2][0] for node in numbered) == list("123456")
    assert case["published.assumption 7"].kind == "justification"
    for number, step in enumerate(("partition", "profile", "robustness", "assembly"), start=1):
        assert case[f"published.{step}"].text.startswith(f"Step {number}: ")
        assert f"Figure {9 + number}" in case[f"published.{step}.argument"].note


def test_an_assumption_that_a_number_does_not_carry_is_stated_without_a_check():
    node = argued("balls")["balls.assumption 1"]
    assert (node.kind, node.rests_on, node.assumption) == ("side-claim", "", "")


def test_the_estimator_of_the_profile_is_undeveloped_where_there_is_one():
    case = argued("published")
    for name in ("published.profile.learned", "published.profile.verified"):
        assert case[name].undeveloped
        assert name in case["published.profile.argument"].in_context_of
    assert "balls.profile.learned" not in argued("balls")


def test_a_corrected_number_does_not_rest_on_the_prediction_which_is_argued_apart():
    both = Evidence((worlds.cells().pmi, worlds.cells().by_cells))
    case = argued("corrected", evidence={"corrected": both})
    needed = _below(case, "claim")
    assert not any("separated-classes" in identity for identity in needed)
    assert assumed(case, "corrected.cells.partition") == {"separated-classes"}
    assert case["corrected.prediction"].module == "corrected.prediction"
    assert case["corrected.prediction"].number.target.limit == case["corrected"].number.target.limit
    assert case.top.id == "claim"


def _below(case, top):
    found, ready = set(), [top]
    while ready:
        identity = ready.pop()
        found.add(identity)
        ready += [each for each in case[identity].below if each not in found]
    return found


def test_each_link_of_a_trust_chain_is_told_and_does_not_discount_again():
    case = argued("trust", evidence={"trust": worlds.trusted()})
    for link, layer in (("calibration", "forecasts"), ("coverage", "conditions")):
        node = case[f"trust.trust.{link}"]
        assert node.id in case["trust.argument"].in_context_of
        assert node.kind == "justification"
        assert layer in node.text


def test_a_monitor_is_argued_over_returns_and_threshold():
    case = argued("monitor", evidence={"monitor": Evidence(worlds.monitor().estimates)})
    assert assumed(case, "monitor.returns") == {"returns-hold", "ideal-is-best"}
    assert assumed(case, "monitor.threshold") == {"monitor-fixed"}
    assert "Availability cost" in case["monitor.figures"].text


def test_a_system_is_argued_over_its_mix_of_conditions():
    case = argued("system")
    assert assumed(case, "system.mix") == {"stated-mix"}
    assert assumed(case, "system.conditions") == {"corruptions-stand-for-conditions"}


def test_what_goes_into_a_product_brings_the_side_claims_of_its_own_target():
    misses = worlds.goal("misses", worlds.COUNTED)
    case = instantiate(worlds.found(misses, ALL["hazard"], evidence=worlds.multiplied()))
    own = {*case["misses.argument"].in_context_of, *case["misses.data.argument"].in_context_of} - {"misses.data"}
    assert set(case["hazard.input.missed.argument"].in_context_of) == own
    assert assumed(case, "hazard.input.malignant") == {"stated-value[patients]"}
    assert "a register" in case["hazard.input.malignant.argument"].text
    assert case["hazard.argument"].in_context_of == ("hazard.input.malignant", "hazard.input.missed")
    assert "misses" not in _below(case, "hazard")


def test_a_stated_value_says_its_source():
    assert "a register" in argued("prevalence")["prevalence.argument"].text


def test_two_targets_of_one_result_share_argument_and_evidence():
    loose, strict = (worlds.goal(name, worlds.COUNTED, step="tests") for name in ("loose", "strict"))
    case = instantiate(worlds.found(loose, strict))
    assert case["loose"].supported_by == case["strict"].supported_by == ("loose.argument",)
    assert sum(node.kind == "evidence" for node in case) == 1


def test_each_target_of_a_corrected_result_is_held_against_the_four_steps_too():
    both = Evidence((worlds.cells().pmi, worlds.cells().by_cells))
    loose, strict = (
        worlds.goal(n, worlds.cells().pmi, step="cells", at_most=at) for n, at in (("a", 0.5), ("b", 0.01))
    )
    case = instantiate(worlds.found(loose, strict, evidence={"cells": both}))
    assert [case[f"{name}.prediction"].number.target.limit for name in "ab"] == [0.5, 0.01]
    assert case["a.prediction"].supported_by == case["b.prediction"].supported_by == ("a.cells.argument",)
