"""What leaves say: evidence by its number, side-claims by their checks, people by what they state."""

from dataclasses import replace

import pytest
from tests.case.confidence.support import argument, case, claim, components, evidence, side_claim

from surefoot.bounds import clopper_pearson
from surefoot.case import Number, Policy, Stated
from surefoot.core import Assumption, Check, Estimate, Evidence, Target
from surefoot.opinions import Opinion

MET = Number("p", Target(at_most=0.01))


def measured(failures=0, trials=1000, status=None):
    estimate = clopper_pearson(failures, trials, level=0.95, quantity="p")
    if status is None:
        return estimate
    checked = [replace(a, check=Check(status, "looked at")) for a in estimate.assumptions]
    return replace(estimate, assumptions=tuple(checked))


def shown(estimate=None, number=MET, **more):
    nodes = [claim("C", "A", number=number), argument("A", "E"), evidence("E", rests_on="test.p", **more)]
    return case(*nodes).evaluate(None if estimate is None else {"test.p": estimate})


@pytest.mark.parametrize(
    ("failures", "standing", "status"),
    [(0, "supported", "met"), (6, "not shown", "not shown"), (30, "contradicted", "violated")],
)
def test_evidence_is_judged_by_the_number_of_its_claim(failures, standing, status):
    found = shown(measured(failures))
    for each in ("C", "A", "E"):
        assert found[each].standing == standing
        assert found[each].verdict.status == status
    assert found["E"].estimate.value == failures / 1000


def test_evidence_may_come_by_step():
    nodes = [claim("C", "E", number=MET), evidence("E", rests_on="test.p")]
    assert case(*nodes).evaluate({"test": Evidence((measured(),))})["C"].standing == "supported"


def test_what_was_not_measured_is_unknown():
    found = shown()
    assert found["C"].standing == "not shown"
    assert components(found.opinions()["E"])[:3] == (0, 0, 1)
    assert "not measured" in found["E"].why


def test_without_a_number_above_measurements_show_nothing():
    found = shown(measured(), number=None)
    assert (found["C"].standing, found["E"].standing) == ("not shown", "not shown")
    assert components(found.opinions()["E"])[:3] == (0, 0, 1)
    assert found["C"].verdict is None


def test_a_claim_without_a_number_has_no_verdict_though_one_below_has():
    nodes = [claim("T", "C"), claim("C", "E", number=MET), evidence("E", rests_on="test.p")]
    found = case(*nodes).evaluate({"test.p": measured()})
    assert found["T"].verdict is None
    assert found["C"].verdict.status == "met"
    assert found["T"].standing == "supported"


def test_a_unit_that_differs_is_not_compared():
    found = shown(replace(measured(), unit="per hour"))
    assert found["C"].standing == "not shown"
    assert "cannot be compared" in found["E"].why


def test_met_at_this_look_alone_is_open():
    number = Number("p", Target(at_most=0.01), strict_level=0.99999)
    assert shown(measured(), number=number)["C"].standing == "not shown"
    assert shown(measured(trials=10_000), number=number)["C"].standing == "supported"


def test_people_count_where_nothing_was_measured():
    stated = Stated(Opinion(0.8, 0.1, 0.1), by="A. Expert")
    found = shown(stated=stated)
    assert components(found.opinions()["E"])[:3] == pytest.approx((0.8, 0.1, 0.1))
    assert (found["E"].standing, found["C"].standing) == ("supported", "supported")
    assert "A. Expert" in found["E"].why
    assert shown(measured(30), stated=stated)["C"].standing == "contradicted"


def test_shared_evidence_is_judged_for_each_claim_and_shown_with_its_weakest():
    strict = Number("p", Target(at_most=0.001))
    nodes = [
        claim("T", "C1", "C2"),
        claim("C1", "A", number=MET),
        claim("C2", "A", number=strict),
        argument("A", "E"),
        evidence("E", rests_on="test.p"),
    ]
    found = case(*nodes).evaluate({"test.p": measured()})
    assert [found[each].standing for each in ("C1", "C2", "E", "A")] == [
        "supported",
        "not shown",
        "not shown",
        "not shown",
    ]
    assert found.opinions()["E"].belief == pytest.approx(1 - (1 - 0.001) ** 1000)


def test_equal_numbers_are_one_statement():
    nodes = [
        claim("T", "C1", "C2"),
        claim("C1", "E", number=MET),
        claim("C2", "E", number=Number("p", Target(at_most=0.01))),
        evidence("E", rests_on="test.p"),
    ]
    found = case(*nodes).evaluate({"test.p": measured(3)})
    assert found.opinions()["T"].belief == pytest.approx(float(found.opinions()["E"].belief))


def with_side_claim(status, **more):
    nodes = [
        claim("C", "A", number=MET),
        argument("A", "E", beside=["S"]),
        evidence("E", rests_on="test.p"),
        side_claim("S", rests_on="test.p", assumption="independent-trials", **more),
    ]
    return case(*nodes).evaluate({"test.p": measured(status=status)})


@pytest.mark.parametrize(
    ("status", "policy", "standings"),
    [
        ("supported", "checked", ("supported", "supported", "supported")),
        ("unchecked", "unchecked", ("not shown", "supported", "supported")),
        (None, "unchecked", ("not shown", "supported", "supported")),
        ("contradicted", "contradicted", ("contradicted", "contradicted", "not shown")),
    ],
)
def test_side_claims_follow_their_checks(status, policy, standings):
    found = with_side_claim(status)
    assert components(found.opinions()["S"]) == pytest.approx(components(getattr(Policy(), policy)))
    if status == "contradicted":
        # Every assumption of the estimate is contradicted here, so that its own verdict is not shown as well.
        assert found["E"].standing == "not shown"
    assert tuple(found[each].standing for each in ("S", "A", "C")) == standings


def test_unchecked_assumptions_are_counted_in_words():
    assert "1 unchecked assumption" in with_side_claim("unchecked")["C"].why


def test_discounting_by_hand():
    found = with_side_claim("supported")
    belief = 1 - 0.99**1000
    # P(S) = 0.75 + 0.5 * 0.25 = 0.875 shrinks belief; without failures nothing is disbelieved.
    assert components(found.opinions()["C"])[:3] == pytest.approx((0.875 * belief, 0, 1 - 0.875 * belief))


def test_people_answer_for_what_is_unchecked_and_never_overrule_a_contradiction():
    stated = Stated(Opinion(0.9, 0.0, 0.1))
    assert with_side_claim("unchecked", stated=stated).opinions()["S"].belief == pytest.approx(0.9)
    assert with_side_claim("contradicted", stated=stated).opinions()["S"].disbelief == 1
    assert with_side_claim("contradicted", stated=stated)["C"].standing == "not shown"


def test_a_contradicted_check_outweighs_what_holds_the_side_claim_up():
    nodes = [
        claim("C", "A", number=MET),
        argument("A", "E", beside=["S"]),
        evidence("E", rests_on="test.p"),
        side_claim("S", rests_on="test.p", assumption="independent-trials", supported_by=("R",)),
        evidence("R", 1.0, 0.0, 0.0),
    ]
    found = case(*nodes).evaluate({"test.p": measured(status="contradicted")})
    assert (found["S"].standing, found["A"].standing, found["C"].standing) == (
        "contradicted",
        "contradicted",
        "not shown",
    )
    found = case(*nodes).evaluate({"test.p": measured(status="unchecked")})
    assert found["S"].standing == "supported"
    assert found.opinions()["S"].belief == pytest.approx(1.0)


def test_the_policy_decides_what_nobody_measured():
    policy = Policy(undeveloped=Opinion(0.0, 0.5, 0.5), unchecked=Opinion(0.4, 0.0, 0.6))
    nodes = [claim("C", "U", beside=["S"]), claim("U", undeveloped=True), side_claim("S")]
    found = case(*nodes, policy=policy).evaluate()
    assert components(found.opinions()["U"])[:3] == pytest.approx((0, 0.5, 0.5))
    assert components(found.opinions()["S"])[:3] == pytest.approx((0.4, 0, 0.6))
    assert found["C"].standing == "not shown"


def test_partly_developed_claims_stay_open():
    nodes = [claim("C", "E", undeveloped=True), evidence("E", 1.0, 0.0, 0.0)]
    assert case(*nodes).evaluate()["C"].standing == "not shown"


def test_the_assumptions_of_an_estimate_enter_by_side_claims_only():
    broken = Assumption("independent-trials", "x", Check("contradicted", "y"))
    estimate = replace(measured(), assumptions=(broken,))
    found = shown(estimate)
    assert found["C"].standing == "not shown"
    assert found.opinions()["E"].belief == pytest.approx(1 - 0.99**1000)


def test_stated_values_are_certain():
    found = shown(Estimate.known("p", 0.001, source="data sheet"))
    assert found.opinions()["C"].belief == pytest.approx(1)
