"""Field feedback: operation updates claims, and raises when it contradicts them."""

import numpy as np
import pytest
from scipy import stats
from tests.case.confidence.support import argument, case, claim, components, evidence

from surefoot.bounds import clopper_pearson
from surefoot.case import Feedback, Number
from surefoot.core import Estimate, Gamma, InvalidInput, QuantileBound, Target

LEVEL = 0.95


def by_demands(*feedback, limit=0.01, failures=0, trials=1000, **bound):
    target = Target(**(bound or {"at_most": limit}), level=LEVEL)
    nodes = [claim("T", "C"), claim("C", "A", number=Number("p", target)), argument("A", "E")]
    nodes.append(evidence("E", rests_on="test.p"))
    measured = {"test.p": clopper_pearson(failures, trials, level=LEVEL, quantity="p")}
    return case(*nodes).evaluate(measured, feedback=feedback)


def by_hours(*feedback, limit=1e-4):
    number = Number("rate", Target(at_most=limit, per="hour", level=LEVEL))
    nodes = [claim("C", "E", number=number), evidence("E", rests_on="test.rate")]
    rate = Estimate(
        "rate",
        0.0,
        "per hour",
        bounds=(QuantileBound(Gamma(1, 1e-5), "upper", "confidence"),),
        details={"events": 0, "hours": 100_000},
    )
    return case(*nodes).evaluate({"test.rate": rate}, feedback=feedback)


def codes(found):
    return [finding.code for finding in found.findings if finding.severity != "note"]


def test_tests_and_operation_are_one_count():
    """5 of 1,000 in tests alone show nothing below 1%; with 500 demands without an incident they do."""
    assert by_demands(failures=5)["C"].standing == "not shown"
    found = by_demands(Feedback("C", 500, "demand", 0), failures=5)
    assert found["C"].standing == "supported"
    assert found["C"].verdict.bound.limit == pytest.approx(stats.beta(6, 1495).ppf(LEVEL))
    assert found.confidence == pytest.approx(LEVEL)
    assert "5 in 1,500" in found["E"].why
    assert float(found.opinions()["C"].belief) == pytest.approx(stats.binom(1500, 0.01).sf(5))
    assert codes(found) == []


def test_hours_are_a_poisson_process():
    for incidents, agrees in ((0, True), (1, True), (3, False)):
        found = by_hours(Feedback("C", 20_000.0, "hour", incidents))
        if agrees:
            assert found["C"].verdict.bound.limit == pytest.approx(
                stats.gamma(1 + incidents, scale=1 / 120_000).ppf(LEVEL)
            )
            assert "operation" in found["E"].why
        else:
            # Operation is worse than the tests showed, and alone it shows nothing.
            assert (found["C"].standing, found.confidence) == ("not shown", None)
            field = stats.poisson(1e-4 * 20_000)
            expected = field.sf(incidents), field.cdf(incidents - 1), field.pmf(incidents)
            assert components(found.opinions()["C"])[:3] == pytest.approx(expected, abs=1e-9)


def test_operation_contradicts():
    found = by_demands(Feedback("C", 10_000, "demand", 130))
    assert found["C"].standing == "contradicted"
    assert found["T"].standing == "contradicted"
    assert codes(found)[0] == "case-operation-contradicts"
    assert found.findings[0].severity == "error"
    assert found.findings[0].where == "C"
    # Operation refutes what the tests seemed to show, so that it alone counts: P(X < 130) for 10,000 demands at 1%.
    assert float(found.opinions()["C"].disbelief) == pytest.approx(stats.binom(10_000, 0.01).cdf(129))
    assert found.weakest == "C"
    assert found.doubts[0].kind == "operation"
    assert found.doubts[0].alone
    assert float(found.opinions()["T"].probability) < float(by_demands().opinions()["T"].probability)


def test_operation_worse_than_shown_is_an_early_warning():
    # Tests showed 0.003 (0 of 1,000); 8 in 1,000 has probability 0.012 there, and 0.01 itself is not violated.
    found = by_demands(Feedback("C", 1000, "demand", 8))
    bound = 1 - 0.05 ** (1 / 1000)
    assert stats.binom(1000, bound).sf(7) < 0.05
    assert codes(found)[0] == "case-operation-worse"
    assert found["C"].standing == "not shown"
    # The tests no longer speak of what operation meets: P(X > 8) and P(X < 8) for 1,000 demands at 1%.
    field = stats.binom(1000, 0.01)
    assert float(found.opinions()["C"].belief) == pytest.approx(field.sf(8))
    assert float(found.opinions()["C"].disbelief) == pytest.approx(field.cdf(7))
    assert "case-operation-worse" not in codes(by_demands(Feedback("C", 1000, "demand", 3)))


def test_at_least_counts_demands_without_incident():
    found = by_demands(Feedback("C", 1000, "demand", 300), at_least=0.9, failures=990)
    assert "case-operation-contradicts" in codes(found)
    assert found["C"].standing == "contradicted"
    fine = by_demands(Feedback("C", 1000, "demand", 2), at_least=0.9, failures=990)
    assert fine["C"].standing == "supported"
    assert "case-operation-contradicts" not in codes(fine)


def test_what_cannot_be_counted_is_said_and_left_out():
    for feedback, word in (
        ([Feedback("C", 100.0, "hour", 0)], "per hour"),
        ([Feedback("T", 100, "demand", 0)], "no number"),
        ([Feedback("nobody", 100, "demand", 0)], "not in the case"),
        ([Feedback("C", 100, "demand", 0), Feedback("C", 100, "demand", 0)], "overlap"),
        (
            [
                Feedback("C", 100, "demand", 0, "2026-01-01", "2026-03-01"),
                Feedback("C", 100, "demand", 0, "2026-02-01", "2026-04-01"),
            ],
            "overlap",
        ),
    ):
        found = by_demands(*feedback)
        assert found.findings[0].code == "case-feedback", feedback
        assert found.findings[0].severity == "error", feedback
        assert word in found.findings[0].text, feedback
        assert found["C"] == by_demands()["C"], feedback


def test_periods_that_follow_each_other_add_up():
    parts = [
        Feedback("C", 300, "demand", 0, "2026-01-01", "2026-02-01"),
        Feedback("C", 200, "demand", 0, "2026-02-01", "2026-03-01T12:00:00+01:00"),
    ]
    whole = by_demands(Feedback("C", 500, "demand", 0))
    assert components(by_demands(*parts).opinions()["C"]) == pytest.approx(components(whole.opinions()["C"]))


def test_hostile_feedback_is_refused(subtests):
    for wrong in (
        {"exposure": 0},
        {"exposure": -1},
        {"exposure": float("nan")},
        {"exposure": float("inf")},
        {"exposure": 10.5},
        {"incidents": -1},
        {"incidents": 0.5},
        {"incidents": 101},
        {"since": "yesterday"},
        {"since": "2026-02-01", "until": "2026-01-01"},
    ):
        with subtests.test(wrong=wrong), pytest.raises(InvalidInput):
            Feedback(**({"claim": "C", "exposure": 100, "per": "demand", "incidents": 0} | wrong))


def warned(counts, exposure, per, limit, code="case-operation-contradicts", **given):
    """How often operation raises the code."""
    operated = by_demands if per == "demand" else by_hours
    numbers, times = np.unique(counts, return_counts=True)
    raised = [code in codes(operated(Feedback("C", exposure, per, n), limit=limit, **given)) for n in numbers.tolist()]
    return times[raised].sum() / times.sum()


def test_a_true_claim_is_called_contradicted_at_most_as_often_as_the_level_allows():
    """Coverage of the alarm: 20,000 operations of a system that is exactly at its limit."""
    rng = np.random.default_rng(5)
    for limit, demands in ((0.01, 1000), (0.01, 5000), (0.2, 50), (1e-4, 30_000)):
        assert warned(rng.binomial(demands, limit, 20_000), demands, "demand", limit) <= 1 - LEVEL
    for limit, hours in ((1e-3, 5000.0), (1e-4, 200_000.0)):
        assert warned(rng.poisson(limit * hours, 20_000), hours, "hour", limit) <= 1 - LEVEL


def test_the_alarm_sees_a_system_twice_as_bad():
    rng = np.random.default_rng(6)
    assert warned(rng.binomial(5000, 0.02, 2000), 5000, "demand", 0.01) > 0.95


def test_the_early_warning_is_rare_where_the_shown_bound_is_true():
    rng = np.random.default_rng(7)
    tested = {"trials": 1000, "code": "case-operation-worse"}
    shown = float(clopper_pearson(0, 1000, level=LEVEL).upper(LEVEL))
    assert 0 < warned(rng.binomial(2000, shown, 20_000), 2000, "demand", 0.5, **tested) <= 1 - LEVEL
    counts = np.arange(30)
    unlikely = stats.binom(2000, shown).sf(counts - 1) < 1 - LEVEL
    for count, expected in zip(counts, unlikely, strict=True):
        assert warned([count], 2000, "demand", 0.5, **tested) == expected, count
