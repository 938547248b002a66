"""How arguments combine what is below them, and what challenges do."""

import pytest
from tests.case.confidence.support import argument, case, claim, components, defeater, evidence, side_claim

from surefoot.bounds import clopper_pearson
from surefoot.case import Module, Node, Number, Policy, Stated
from surefoot.core import Target
from surefoot.opinions import Opinion, deduce, fuse

GOOD, FAIR = (0.9, 0.0, 0.1), (0.6, 0.2, 0.2)


def same(found, identity, expected):
    assert components(found.opinions()[identity]) == pytest.approx(components(expected), abs=1e-6)


def codes(found):
    return [finding.code for finding in found.findings]


def test_all_is_conjunction():
    found = case(claim("C", "A"), argument("A", "E1", "E2"), evidence("E1", *GOOD), evidence("E2", *FAIR)).evaluate()
    same(found, "C", Opinion(*GOOD) & Opinion(*FAIR))
    # By hand: P = 0.95 * 0.7, d = 1 - 1 * 0.8, a = 0.25, u = (0.8 - 0.665) / 0.75.
    assert components(found.opinions()["C"]) == pytest.approx((0.8 - 0.18, 0.2, 0.18, 0.25))


def test_legs_are_fused():
    nodes = [claim("C", "A1", "A2", combining="legs"), argument("A1", "E1"), argument("A2", "E2")]
    found = case(*nodes, evidence("E1", *GOOD), evidence("E2", *FAIR)).evaluate()
    same(found, "C", fuse(Opinion(*GOOD), Opinion(*FAIR)))
    assert "case-legs-shared" not in codes(found)


def test_legs_on_common_ground_are_reported():
    nodes = [
        claim("C", "A1", "A2", combining="legs"),
        argument("A1", "E1", beside=["S"]),
        argument("A2", "E2", beside=["S"]),
    ]
    found = case(*nodes, evidence("E1", *GOOD), evidence("E2", *FAIR), side_claim("S", *GOOD)).evaluate()
    assert "case-legs-shared" in codes(found)


def test_deduction_by_stated_conditionals():
    given = Opinion(0.9, 0.0, 0.1), Opinion(0.1, 0.7, 0.2)
    stated = Stated(given_true=given[0], given_false=given[1])
    nodes = [
        claim("C", "A"),
        argument("A", "E1", "E2", combining="deduction", stated=stated),
        evidence("E1", *GOOD),
        evidence("E2", *FAIR),
    ]
    found = case(*nodes).evaluate()
    same(found, "C", deduce(Opinion(*GOOD) & Opinion(*FAIR), *given))
    assert found["C"].standing == "supported"


def test_side_claims_of_an_argument_discount_it_together():
    nodes = [claim("C", "A"), argument("A", "E", beside=["S1", "S2"]), evidence("E", *FAIR)]
    nodes += [side_claim("S1", *GOOD), side_claim("S2", 0.5, 0.1, 0.4)]
    trust = Opinion(*GOOD) & Opinion(0.5, 0.1, 0.4)
    same(case(*nodes).evaluate(), "C", Opinion(*FAIR).discounted_by(trust, how="probability"))
    strict = case(*nodes, policy=Policy(discounting="uncertainty")).evaluate()
    same(strict, "C", Opinion(*FAIR).discounted_by(trust, how="uncertainty"))


def test_a_developed_side_claim_is_evaluated_like_a_claim():
    nodes = [
        claim("C", "A"),
        argument("A", "E", beside=["S"]),
        evidence("E", *FAIR),
        side_claim("S", supported_by=("B",)),
        argument("B", "F"),
        evidence("F", *GOOD),
    ]
    found = case(*nodes).evaluate()
    same(found, "C", Opinion(*FAIR).discounted_by(Opinion(*GOOD), how="probability"))
    assert found["S"].standing == "supported"


def test_a_challenge_is_conjunction_with_the_contrary():
    doubt = Opinion(0.2, 0.6, 0.2)
    found = case(claim("C", "E"), evidence("E", *GOOD), defeater("D", "C", opinion=(0.2, 0.6, 0.2))).evaluate()
    same(found, "C", Opinion(*GOOD) & ~doubt)
    assert found["C"].standing == "not shown"


def test_an_eliminated_defeater_counts_nothing():
    nodes = [claim("C", "E"), evidence("E", *GOOD), defeater("D", "C", opinion=(1.0, 0.0, 0.0), defeated=True)]
    found = case(*nodes).evaluate()
    same(found, "C", Opinion(*GOOD))
    assert (found["C"].standing, found["D"].standing) == ("supported", "contradicted")


def test_a_challenger_can_be_challenged():
    nodes = [
        claim("C", "E"),
        evidence("E", *GOOD),
        defeater("D", "C", opinion=(0.8, 0.0, 0.2)),
        evidence("R", 1.0, 0.0, 0.0, challenges=("D",)),
    ]
    found = case(*nodes).evaluate()
    assert found["D"].standing == "contradicted"
    assert found["C"].standing == "supported"
    assert float(found.opinions()["C"].probability) == pytest.approx(0.95, abs=1e-6)


@pytest.mark.parametrize("challenged", ["A", "E"])
def test_a_challenge_to_an_argument_or_evidence_takes_its_force_and_shows_nothing_against_the_claim(challenged):
    nodes = [
        claim("C", "A"),
        argument("A", "E"),
        evidence("E", *GOOD),
        defeater("D", challenged, opinion=(1.0, 0.0, 0.0)),
    ]
    found = case(*nodes).evaluate()
    assert components(found.opinions()["C"])[:3] == pytest.approx((0, 0, 1))
    assert found["C"].standing == "not shown"


@pytest.mark.parametrize(
    ("failures", "standing", "challenger"),
    [(0, "supported", "contradicted"), (10, "not shown", "not shown"), (40, "contradicted", "supported")],
)
def test_counter_evidence_stands_where_it_shows_the_number_violated(failures, standing, challenger):
    number = Number("p", Target(at_most=0.01))
    nodes = [
        claim("C", "E", number=number),
        evidence("E", rests_on="test.p"),
        evidence("F", rests_on="field.p", challenges=("C",)),
    ]
    measured = {
        "test.p": clopper_pearson(0, 1000, level=0.95, quantity="p"),
        "field.p": clopper_pearson(failures, 1000, level=0.95, quantity="p"),
    }
    found = case(*nodes).evaluate(measured)
    assert (found["C"].standing, found["F"].standing) == (standing, challenger)


def test_a_challenge_that_was_won_decides():
    nodes = [claim("C", "E", defeated=True), evidence("E", *GOOD), defeater("D", "C")]
    found = case(*nodes).evaluate()
    assert found["C"].standing == "contradicted"
    assert float(found.opinions()["C"].disbelief) == 1


def test_sub_cases_stand_as_what_they_stand_for():
    away = Node("S", "sub-case", "the monitor works", of="monitor/M")
    nodes = [claim("C", "S"), away, claim("M", "E", module="monitor"), evidence("E", *FAIR, module="monitor")]
    found = case(*nodes, modules={"monitor": Module("monitor")}).evaluate()
    same(found, "S", Opinion(*FAIR))
    same(found, "C", Opinion(*FAIR))
    assert found["S"].standing == found["M"].standing == "supported"
    lost = case(claim("C", "S"), Node("S", "sub-case", "x", of="nowhere/M")).evaluate()
    assert lost["S"].standing == "not shown"
    assert components(lost.opinions()["S"])[:3] == (0, 0, 1)


@pytest.mark.parametrize(
    ("legs", "standing"),
    [
        ((GOOD, GOOD), "supported"),
        ((GOOD, (0.0, 0.0, 1.0)), "supported"),
        ((GOOD, (0.0, 0.9, 0.1)), "not shown"),
        (((0.0, 0.9, 0.1), (0.0, 0.0, 1.0)), "contradicted"),
    ],
)
def test_how_legs_stand(legs, standing):
    nodes = [claim("C", "E1", "E2", combining="legs"), evidence("E1", *legs[0]), evidence("E2", *legs[1])]
    assert case(*nodes).evaluate()["C"].standing == standing


def test_references_to_nothing_and_circles_are_unknown_parts():
    found = case(claim("C", "E", "gone"), evidence("E", *GOOD)).evaluate()
    assert found["C"].standing == "not shown"
    circle = case(claim("T", "A"), claim("A", "B"), claim("B", "A", "E"), evidence("E", *GOOD)).evaluate()
    assert {circle[each].standing for each in "TAB"} == {"not shown"}
    assert case(claim("C", "C")).evaluate()["C"].standing == "not shown"


def test_a_case_without_a_top_is_still_assessed():
    found = case(evidence("E", *GOOD)).evaluate()
    assert found["E"].standing == "supported"
    assert (found.doubts[0].id, found.weakest) == ("E", "E")
    assert not case().evaluate().nodes


def test_context_is_not_judged():
    nodes = [claim("C", "E", beside=["K"]), evidence("E", *GOOD), Node("K", "context", "on motorways")]
    same(case(*nodes).evaluate(), "C", Opinion(*GOOD))


def away(target, kind):
    """A claim whose number is spoken of in another module."""
    number = Number("p", Target(at_most=0.01))
    nodes = [claim("C", "X", number=number), Node("X", kind, "elsewhere", of=f"M/{target}")]
    nodes += [argument("A", "E", module="M")] if target == "A" else []
    return case(*nodes, evidence("E", rests_on="t.p", module="M", public=True), modules={"M": Module("M")})


@pytest.mark.parametrize("target", ["E", "A"])
@pytest.mark.parametrize(("failures", "standing"), [(0, "supported"), (60, "contradicted")])
def test_what_stands_for_evidence_elsewhere_speaks_of_the_number_too(target, failures, standing):
    measured = clopper_pearson(failures, 1000, level=0.95, quantity="p")
    found = away(target, "sub-case").evaluate({"t.p": measured})
    assert (found["C"].standing, found["E"].standing) == (standing, standing)
    assert found["C"].verdict == measured.meets(Target(at_most=0.01))


def test_context_of_another_module_warrants_nothing():
    nodes = [claim("C", "E", beside=["X"]), evidence("E", *GOOD), Node("X", "sub-case", "elsewhere", of="M/K")]
    found = case(*nodes, Node("K", "context", "where", module="M"), modules={"M": Module("M")}).evaluate()
    same(found, "C", Opinion(*GOOD))


def test_an_argument_may_challenge_with_evidence_of_its_own():
    number = Number("p", Target(at_most=0.01))
    nodes = [claim("C", "E", number=number), evidence("E", *GOOD), argument("A", "F", challenges=("C",))]
    bad = clopper_pearson(60, 1000, level=0.95, quantity="p")
    found = case(*nodes, evidence("F", rests_on="t.p")).evaluate({"t.p": bad})
    assert found["A"].standing == "supported"
    assert found["C"].standing == "not shown"
    assert found.opinions()["C"].disbelief > 0.99


def test_a_broken_argument_is_not_mended_by_a_challenge():
    nodes = [claim("C", "A"), argument("A", "E", beside=["S"]), evidence("E", *GOOD)]
    broken = [*nodes, side_claim("S", 0.0, 1.0, 0.0)]
    assert case(*broken).evaluate()["A"].standing == "contradicted"
    assert case(*broken, defeater("D", "A")).evaluate()["A"].standing == "contradicted"
