import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from tests.hazards.improvement.braking import braking

from surefoot.bounds import clopper_pearson
from surefoot.core import Estimate, InvalidInput, LogNormal, Provenance, Target
from surefoot.hazards import improvement
from surefoot.hazards.improvement.retraining import exact_p_value, paired

BEFORE = {"camera": clopper_pearson(30, 4000, level=0.95), "radar": clopper_pearson(4, 1000, level=0.95)}
AFTER = {"camera": clopper_pearson(5, 4000, level=0.95), "radar": clopper_pearson(3, 1000, level=0.95)}


def tops(target=None):
    bad, good = braking(), braking(camera=braking().events["radar"])
    return {"top_before": good.analyse(0.95, 2000).top, "top_after": bad.analyse(0.95, 2000).top}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_the_exact_test_is_that_of_statsmodels(fixed, broken):
    expected = mcnemar([[5, fixed], [broken, 7]], exact=True).pvalue if fixed + broken else 1.0
    assert exact_p_value(fixed, broken) == pytest.approx(expected, rel=1e-9)


def test_rows_are_counted_by_which_model_fails_alone():
    found = paired([1, 1, 0, 0, 1], [0, 1, 1, 0, 0], where="x")
    assert (found.rows, found.only_before, found.only_after) == (5, 2, 1)


def test_the_paired_test_errs_no_more_often_than_it_says():
    rng = np.random.default_rng(5)
    differing = rng.binomial(400, 0.05, size=3000)
    fixed = rng.binomial(differing, 0.5)
    wrong = np.mean([exact_p_value(int(f), int(d - f)) <= 0.05 for f, d in zip(fixed, differing, strict=True)])
    assert wrong <= 0.05


def test_paired_rows_tell_apart_what_intervals_do_not():
    before = np.r_[np.ones(12), np.zeros(488)]
    after = np.r_[np.ones(2), np.zeros(498)]
    one = {"camera": clopper_pearson(12, 500, level=0.95)}
    other = {"camera": clopper_pearson(2, 500, level=0.95)}
    by_intervals = improvement.compare(one, other, target=1e-3, **tops())["camera"]
    by_rows = improvement.compare(one, other, target=1e-3, failures={"camera": (before, after)}, **tops())["camera"]
    assert (by_intervals.difference, by_intervals.how) == ("not told apart", "intervals overlap")
    assert by_rows.difference == "better"
    assert by_rows.paired.p_value == pytest.approx(2 * 0.5**10)


def test_what_got_worse_is_said():
    before, after = np.zeros(500), np.r_[np.ones(20), np.zeros(480)]
    swapped = improvement.compare(AFTER, BEFORE, target=1e-3, failures={"camera": (before, after)}, **tops())
    assert swapped["camera"].difference == "worse"


def test_the_error_probability_is_shared_among_components():
    same = {"camera": AFTER["camera"], "radar": AFTER["radar"]}
    rows = {"camera": (np.r_[np.ones(6), np.zeros(94)], np.zeros(100))}
    alone = improvement.compare(
        {"camera": AFTER["camera"]}, {"camera": AFTER["camera"]}, target=1e-3, failures=rows, **tops()
    )
    both = improvement.compare(same, same, target=1e-3, failures=rows, **tops())
    assert alone["camera"].difference == "better"
    assert both["camera"].difference == "not told apart"


def test_values_bounds_and_verdicts_stand_side_by_side():
    ends = tops()
    found = improvement.compare(BEFORE, AFTER, target=Target(at_most=6e-5), **ends)
    camera = found["camera"]
    assert (camera.before, camera.after) == (30 / 4000, 5 / 4000)
    assert camera.bound_after == pytest.approx(AFTER["camera"].upper(0.95))
    assert camera.change == pytest.approx(-25 / 4000)
    assert camera.difference == "better"
    assert (found.verdict_before.status, found.verdict_after.status) == ("not shown", "met")
    assert found.table().rows[-1][0] == "top event"
    assert "not shown before, met after" in found.table().rows[-1][-1]
    assert found.top.bound_before == pytest.approx(ends["top_before"].upper(0.95))


def test_an_uncertain_target_asks_for_bounds_at_half_the_miss_probability():
    target = Target(at_most=3e-5, uncertainty=LogNormal(np.log(3e-5), 0.1))
    found = improvement.compare(BEFORE, AFTER, target=target, **tops())
    assert found["camera"].bound_after == pytest.approx(AFTER["camera"].upper(0.975))


def test_components_that_come_and_go_are_shown():
    found = improvement.compare({"old": BEFORE["camera"]}, {"new": AFTER["camera"]}, target=1e-3, **tops())
    assert (found["old"].after, found["old"].how) == (None, "no longer there")
    assert (found["new"].before, found["new"].how) == (None, "new")
    assert len(found.table().rows) == 3
    assert "nothing" in str(found)


def test_the_same_data_looked_at_twice_is_a_caveat():
    data = Provenance("counted", data={"rows": "abc"})
    one, other = (Estimate("failure probability", v, provenance=data) for v in (0.1, 0.05))
    found = improvement.compare({"camera": one}, {"camera": other}, target=1e-3, **tops())
    assert [caveat.code for caveat in found.caveats] == ["repeated-looks"]
    assert found["camera"].difference == "unknown"
    assert improvement.compare(BEFORE, AFTER, target=1e-3, **tops()).caveats == ()


def test_mistakes_are_named():
    for wrong in (
        {"failures": {"camra": ([1], [0])}},
        {"failures": {"camera": ([1, 0], [0])}},
        {"failures": {"camera": ([2], [0])}},
        {"failures": {"camera": [1, 0, 1]}},
    ):
        with pytest.raises(InvalidInput):
            improvement.compare(BEFORE, AFTER, target=1e-3, **tops(), **wrong)
    hourly = {"camera": clopper_pearson(5, 4000, level=0.95, unit="per hour")}
    with pytest.raises(InvalidInput, match="different units"):
        improvement.compare(BEFORE, hourly, target=1e-3, **tops())
