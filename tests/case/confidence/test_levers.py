"""What would raise the top claim most, and where ways to reckon disagree."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.case.confidence.support import argument, case, claim, defeater, evidence, side_claim
from tests.case.confidence.test_shared import cases, trees

from surefoot.bounds import clopper_pearson
from surefoot.case import Number, Policy, Stated
from surefoot.case.confidence import levers
from surefoot.core import Target
from surefoot.opinions import Opinion


def top_probability(nodes):
    found = case(*nodes).evaluate()
    return float(found.top.opinion.probability)


def made_certain(nodes, identity):
    base_rate = next(float(node.stated.opinion.base_rate) for node in nodes if node.id == identity)
    certain = Stated(Opinion(1.0, 0.0, 0.0, base_rate))
    return [replace(node, stated=certain) if node.id == identity else node for node in nodes]


@given(cases(warrants=True))
@settings(max_examples=20, deadline=None)
def test_effects_are_those_of_the_case_written_anew(nodes):
    found = case(*nodes).evaluate()
    before = float(found.top.opinion.probability)
    effects = {lever.id: lever.effect for lever in found.levers}
    for node in nodes:
        if node.stated is not None and found[node.id].standing != "contradicted":
            after = top_probability(made_certain(nodes, node.id))
            assert effects.get(node.id, 0.0) == pytest.approx(max(after - before, 0.0), abs=1e-7)
    assert [lever.effect for lever in found.levers] == sorted(effects.values(), reverse=True)


def chosen_by_slopes(nodes, how_many):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(levers, "ALL_UP_TO", 0)
        patch.setattr(levers, "CHOSEN", how_many)
        patch.setattr(levers, "DISTRUSTED", how_many)
        return case(*nodes).evaluate()


@given(cases(warrants=False) | trees())
@settings(max_examples=25, deadline=None)
def test_where_the_probability_is_linear_slopes_choose_what_recomputation_ranks_first(nodes):
    exact, chosen = case(*nodes).evaluate(), chosen_by_slopes(nodes, 1)
    assert bool(exact.levers) == bool(chosen.levers)
    if exact.levers:
        assert chosen.levers[0].effect == pytest.approx(exact.levers[0].effect, rel=1e-6)
    if exact.weakest:
        assert chosen.weakest


@given(cases(warrants=True))
@settings(max_examples=20, deadline=None)
def test_what_slopes_choose_has_the_effect_that_recomputation_finds(nodes):
    exact = {lever.id: lever.effect for lever in case(*nodes).evaluate().levers}
    for lever in chosen_by_slopes(nodes, 2).levers:
        assert lever.effect == pytest.approx(exact[lever.id], rel=1e-9)


def test_levers_by_hand():
    nodes = [
        claim("C", "A", "U"),
        argument("A", "E", beside=["S"]),
        evidence("E", 0.6, 0.0, 0.4),
        side_claim("S", 0.4, 0.0, 0.6),
        claim("U", undeveloped=True),
        defeater("D", "C", opinion=(0.2, 0.0, 0.8)),
    ]
    found = case(*nodes).evaluate()
    # P(E) = 0.8, P(S) = 0.7, A: 0.5 + 0.7 * 0.3 = 0.71; U: 0.5; D: 0.6, so 0.4 is left: 0.142.
    assert float(found.top.opinion.probability) == pytest.approx(0.71 * 0.5 * 0.4)
    effects = {lever.id: lever.effect for lever in found.levers}
    assert effects == pytest.approx(
        {"D": 0.71 * 0.5 * 0.6, "U": 0.71 * 0.5 * 0.4, "S": 0.09 * 0.5 * 0.4, "E": 0.14 * 0.5 * 0.4}
    )
    assert [lever.id for lever in found.levers] == ["D", "U", "E", "S"]
    assert found.levers[2].chain == ("E", "A", "C")
    assert found.levers[0].chain == ("D", "C")
    assert found.weakest == "D"


def test_a_violated_number_is_the_weakest_link_and_no_lever():
    nodes = [
        claim("T", "C1", "C2"),
        claim("C1", "E1", number=Number("p", Target(at_most=0.01))),
        claim("C2", "E2", number=Number("p", Target(at_most=0.01))),
        evidence("E1", rests_on="a.p"),
        evidence("E2", rests_on="b.p"),
    ]
    bad, good = (clopper_pearson(k, 1000, level=0.95, quantity="p") for k in (25, 6))
    found = case(*nodes).evaluate({"a.p": bad, "b.p": good})
    assert found["C1"].standing == "contradicted"
    assert found.weakest == "E1"
    assert [lever.id for lever in found.levers] == ["E2"]


def test_two_contradictions_still_have_a_weakest_link():
    nodes = [claim("T", "E1", "E2"), evidence("E1", 0.0, 1.0, 0.0), evidence("E2", 0.0, 1.0, 0.0)]
    found = case(*nodes).evaluate()
    assert found.levers == ()
    assert found.weakest in {"E1", "E2"}


def test_where_all_is_certain_nothing_is_weakest():
    found = case(claim("T", "E"), evidence("E", 1.0, 0.0, 0.0)).evaluate()
    assert (found.levers, found.weakest) == ((), "")


def disagreements(found):
    return [finding for finding in found.findings if finding.code == "case-methods-disagree"]


def test_doubts_are_counted_once_and_open_ones_beside_high_probability_are_reported():
    nodes = [
        claim("T", "C1", "C2"),
        claim("C1", "A1"),
        claim("C2", "A2"),
        argument("A1", "E1", beside=["S"]),
        argument("A2", "E2", beside=["S"]),
        evidence("E1", 1.0, 0.0, 0.0),
        evidence("E2", 1.0, 0.0, 0.0),
        side_claim("S"),
    ]
    policy = Policy(unchecked=Opinion(0.0, 0.0, 1.0, 0.95))
    found = case(*nodes, policy=policy).evaluate()
    assert (found.methods["T"].doubts, found.methods["T"].eliminated) == (3, 2)
    assert (found.methods["C1"].doubts, found.methods["C1"].eliminated) == (2, 1)
    assert sorted(finding.where for finding in disagreements(found)) == ["C1", "C2"]
    assert "1 of 2 doubts are open" in disagreements(found)[0].text


def test_all_doubts_gone_and_still_unlikely():
    nodes = [claim("T", *(f"E{n}" for n in range(8))), *(evidence(f"E{n}", 0.8, 0.1, 0.1) for n in range(8))]
    (finding,) = disagreements(case(*nodes).evaluate())
    assert finding.text == "All 8 doubts are eliminated, but its probability is only 0.27."


def test_methods_that_differ_are_reported_where_it_begins():
    legs = [evidence(f"E{n}", 0.2, 0.0, 0.8) for n in range(4)]
    nodes = [claim("T", "C"), claim("C", *(leg.id for leg in legs), combining="legs"), *legs]
    found = case(*nodes, policy=Policy(disagreement=0.04)).evaluate()
    # Fused: u = 1 / (1 + 4 * 0.25), P = 0.75; legs of 0.6 each as a noisy-or: 1 - 0.5 * 0.8**4.
    assert found.methods["C"].opinion == pytest.approx(0.75)
    assert found.methods["C"].network == pytest.approx(1 - 0.5 * 0.8**4)
    (finding,) = [each for each in disagreements(found) if "network" in each.text]
    assert finding.where == "C"
    assert "0.75" in finding.text
    assert "0.80" in finding.text


def test_eliminated_defeaters_are_eliminated_doubts():
    nodes = [claim("T", "E"), evidence("E", 1.0, 0.0, 0.0), defeater("D", "T", defeated=True), defeater("F", "T")]
    found = case(*nodes).evaluate().methods["T"]
    assert (found.doubts, found.eliminated) == (3, 2)


def eliminated(nodes, identity):
    return [replace(node, defeated=True) if node.id == identity else node for node in nodes]


@pytest.mark.parametrize("base_rate", [0.5, 0.9])
def test_a_defeater_that_is_gone_leaves_nothing_of_its_base_rate(base_rate):
    nodes = [
        claim("T", "C", beside=["S"]),
        claim("C", "E"),
        evidence("E", 0.8, 0.1, 0.1),
        side_claim("S", 0.2, 0.0, 0.8),
        defeater("D", "C", opinion=(0.3, 0.2, 0.5, base_rate)),
    ]
    found = case(*nodes).evaluate()
    (lever,) = [each for each in found.levers if each.id == "D"]
    after = top_probability(eliminated(nodes, "D"))
    assert lever.effect == pytest.approx(after - float(found.top.opinion.probability), abs=1e-7)


def test_a_defeater_may_rest_on_what_holds_something_else_up():
    nodes = [
        claim("T", "E", "F"),
        evidence("E", 0.8, 0.0, 0.2),
        evidence("F", 0.9, 0.0, 0.1),
        defeater("D", "F", supported_by=("E",)),
    ]
    found = case(*nodes).evaluate()
    (lever,) = [each for each in found.levers if each.id == "D"]
    assert lever.effect == pytest.approx(top_probability(eliminated(nodes, "D")) - found.top.opinion.probability)


def test_what_is_missing_is_a_lever_too():
    nodes = [claim("T", "C", "E"), claim("C", "E", "nowhere"), evidence("E", 0.9, 0.0, 0.1)]
    found = case(*nodes).evaluate()
    # 0.95 * 0.5 for the part that is not there.
    assert [(lever.id, round(lever.effect, 6)) for lever in found.levers] == [("C", 0.475), ("E", 0.025)]
    assert found.weakest == "C"
    partly = [claim("T", "E", undeveloped=True), evidence("E", 0.9, 0.0, 0.1)]
    assert case(*partly).evaluate().weakest == "T"


def test_factors_tell_levers_apart_where_the_top_is_nearly_impossible():
    parts = [evidence(f"E{n}", 0.0, 0.0, 1.0, 0.01) for n in range(12)]
    nodes = [claim("T", *(part.id for part in parts), "F"), *parts, evidence("F", 0.0, 0.0, 1.0, 0.001)]
    found = case(*nodes).evaluate()
    assert float(found.top.opinion.probability) == pytest.approx(1e-27, rel=1e-4)
    assert found.weakest == found.levers[0].id == "F"
    assert found.levers[0].factor == pytest.approx(1000, rel=1e-4)
    assert found.levers[1].factor == pytest.approx(100, rel=1e-4)


def test_a_lever_out_of_nothing_has_no_finite_factor():
    nodes = [
        claim("T", "E", combining="legs"),
        evidence("E", 0.5, 0.0, 0.5),
        defeater("D", "T", opinion=(1.0, 0.0, 0.0)),
    ]
    found = case(*nodes).evaluate()
    assert [(lever.id, lever.factor) for lever in found.levers] == [("D", math.inf)]


def test_an_argument_on_side_claims_alone_is_no_doubt_of_its_own():
    nodes = [claim("T", "A"), argument("A", beside=["S"]), side_claim("S")]
    assert case(*nodes).evaluate().methods["T"].doubts == 1
    assert case(claim("T", "A"), argument("A")).evaluate().methods["T"].doubts == 1


def test_what_is_missing_is_a_doubt():
    nodes = [claim("T", "E", beside=["nowhere"]), evidence("E", 0.9, 0.0, 0.1)]
    found = case(*nodes).evaluate().methods["T"]
    assert (found.doubts, found.eliminated) == (2, 1)
