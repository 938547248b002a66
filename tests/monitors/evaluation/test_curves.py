"""Curves over all thresholds, against means at each threshold, scipy's exact intervals and known worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Stakes, curve, evaluate


def errors(wrong, **basis):
    """Detect errors: an alarm makes a wrong answer safe and a right one useless."""
    wrong = np.asarray(wrong, dtype=bool)
    one = np.ones(wrong.size)
    return Stakes((~wrong).astype(float), one, one, one, wrong.astype(float), **basis)


def world(rows, seed=0, share=0.3, shift=1.5, **basis):
    rng = np.random.default_rng(seed)
    wrong = rng.random(rows) < share
    return errors(wrong, **basis), rng.normal(size=rows) + shift * wrong


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 5),
            *(st.floats(0, 1, width=16) for _ in range(5)),
            st.floats(0.125, 3, width=16),
        ),
        min_size=2,
        max_size=25,
    )
)
def test_every_threshold_has_the_means_of_its_alarms(rows):
    scores, *arms, weights = np.array(rows, dtype=float).T
    stakes = Stakes(*arms, weights=weights)
    found = curve(stakes, scores)
    assert found.thresholds[0] == -np.inf
    assert found.thresholds[-1] == np.inf
    for place, threshold in enumerate(found.thresholds):
        returns = stakes.under(scores > threshold)
        expected = [np.average(v, weights=weights) for v in (returns.gains, returns.residuals, returns.costs)]
        shown = found.safety_gain[place], found.residual_hazard[place], found.availability_cost[place]
        assert np.allclose(shown, expected, atol=1e-12)


def test_gain_and_residual_sum_to_the_hazard_alone_at_every_threshold():
    stakes, scores = world(500)
    found = curve(stakes, scores)
    assert np.allclose(found.safety_gain + found.residual_hazard, stakes.hazardous.mean(), atol=1e-12)
    assert found.safety_gain[0] == pytest.approx(found.hazard_alone)
    assert found.safety_gain[-1] == 0


def test_equal_scores_are_one_threshold():
    stakes, _ = world(300)
    found = curve(stakes, np.repeat([1.0, 2.0, 3.0], 100))
    assert found.thresholds.tolist() == [-np.inf, 1.0, 2.0, 3.0, np.inf]
    assert found.alarm_share.tolist() == pytest.approx([1, 2 / 3, 1 / 3, 0, 0])


def test_exact_bands_are_those_of_scipy():
    stakes, scores = world(200)
    found = curve(stakes, scores)
    assert found.method == "exact"
    for place in range(0, found.thresholds.size, 17):
        alarms = scores > found.thresholds[place]
        for name, rows in (
            ("safety_gain", alarms & stakes.hazardous),
            ("residual_hazard", ~alarms & stakes.hazardous),
            ("availability_cost", alarms & ~stakes.hazardous),
        ):
            exact = stats.binomtest(int(rows.sum()), rows.size).proportion_ci(0.95, "exact")
            band = getattr(found.bands, name)
            assert (band.low[place], band.high[place]) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_exact_bands_scale_with_the_returns():
    stakes, scores = world(200)
    wide = Stakes(
        *(5 * getattr(stakes, n) for n in ("safety_quiet", "safety_alarm", "safety_ideal")),
        stakes.mission_quiet,
        stakes.mission_alarm,
        safety_range=(0, 5),
    )
    one, five = curve(stakes, scores), curve(wide, scores)
    assert five.method == "exact"
    assert np.allclose(five.bands.safety_gain.high, 5 * one.bands.safety_gain.high)


def test_exact_bands_agree_with_the_report_at_the_threshold():
    stakes, scores = world(400)
    found = curve(stakes, scores)
    place = 200
    report = found.at(found.thresholds[place])
    assert report.safety_gain.value == pytest.approx(found.safety_gain[place])
    limits = report.safety_gain.interval(0.95)
    assert limits == pytest.approx((found.bands.safety_gain.low[place], found.bands.safety_gain.high[place]))


def test_bootstrap_bands_of_independent_rows_are_near_the_exact_ones():
    stakes, scores = world(3000)
    exact, drawn = curve(stakes, scores, points=50), curve(stakes, scores, bands="bootstrap", draws=2000, points=50)
    place = exact.marks.size // 2
    for name in ("safety_gain", "residual_hazard", "availability_cost"):
        one, other = getattr(exact.bands, name), getattr(drawn.bands, name)
        width = one.high[place] - one.low[place]
        assert other.low[place] == pytest.approx(one.low[place], abs=0.15 * width)
        assert other.high[place] == pytest.approx(one.high[place], abs=0.15 * width)


def test_bands_widen_with_rows_that_belong_together():
    rng = np.random.default_rng(3)
    wrong, score = rng.random(100) < 0.3, rng.normal(size=100)
    alone = curve(errors(np.repeat(wrong, 25)), np.repeat(score, 25), bands="bootstrap")
    units = np.repeat(np.arange(100), 25)
    together = curve(errors(np.repeat(wrong, 25), units=units, unit="episode"), np.repeat(score, 25))
    assert together.method == "bootstrap"
    place = together.marks.size // 2
    ratio = [(c.bands.safety_gain.high - c.bands.safety_gain.low)[place] for c in (together, alone)]
    assert ratio[0] / ratio[1] == pytest.approx(5, rel=0.25)


def test_pooled_blocks_of_very_many_units_have_the_spread_of_units():
    stakes, scores = world(6000)
    exact = curve(stakes, scores, points=20)
    drawn = curve(stakes, scores, bands="bootstrap", points=20, draws=2000)
    widths = [b.bands.safety_gain.high - b.bands.safety_gain.low for b in (drawn, exact)]
    inner = slice(3, -8)
    assert np.allclose(widths[0][inner], widths[1][inner], rtol=0.12)


def test_bands_cover_the_truth_as_often_as_they_say():
    """Whole scores have few thresholds; a wrong row scores 2 or more with probability 1/2."""
    missed, rounds = 0, 200
    for seed in range(rounds):
        stakes, scores = world(150, seed=seed)
        found = curve(stakes, scores.round(), bands="bootstrap")
        place = found.ordered.place(1.0)
        missed += not found.bands.safety_gain.low[place] <= 0.15 <= found.bands.safety_gain.high[place]
    assert missed / rounds < 0.1


def test_at_cost_takes_the_largest_gain_within_the_budget():
    stakes, scores = world(2000)
    found = curve(stakes, scores)
    point = found.at_cost(0.1)
    allowed = found.availability_cost <= 0.1
    assert point.report.availability_cost.value <= 0.1
    assert point.report.safety_gain.value == pytest.approx(found.safety_gain[allowed].max())
    fixed = next(a for a in point.report.safety_gain.assumptions if a.id == "monitor-fixed")
    assert fixed.status == "contradicted"


def test_at_cost_looks_at_all_thresholds_where_alarms_can_harm():
    rng = np.random.default_rng(0)
    quiet, alarm, costs = rng.random(300), rng.random(300), rng.normal(0, 0.3, 300).clip(-0.5, 0.5)
    stakes = Stakes(quiet, alarm, np.ones(300), np.full(300, 0.5), 0.5 - costs)
    scores = rng.normal(size=300)
    point = curve(stakes, scores).at_cost(0.0)
    reports = [stakes.under(scores > t) for t in [-np.inf, *scores, np.inf]]
    best = max(r.gains.mean() for r in reports if r.costs.mean() <= 1e-12)
    assert point.report.safety_gain.value == pytest.approx(best)


def test_a_budget_below_every_cost_is_undefined():
    stakes, scores = world(100)
    with pytest.raises(Undefined, match=r"no threshold costs at most -0\.1"):
        curve(stakes, scores).at_cost(-0.1)


def test_marks_are_as_many_as_asked_for_and_dense_where_alarms_are_few():
    stakes, scores = world(20_000)
    found = curve(stakes, scores, points=100)
    assert 60 <= found.marks.size <= 102
    assert found.marks[0] == 0
    assert found.marks[-1] == found.thresholds.size - 1
    assert np.diff(found.marks)[-1] == 1 < np.diff(found.marks)[0]
    assert len(found.table().rows) == found.marks.size


def test_at_reports_like_evaluate():
    stakes, scores = world(300)
    report = evaluate(stakes.under(scores > 0.5))
    assert curve(stakes, scores).at(0.5).safety_gain.interval(0.95) == report.safety_gain.interval(0.95)


def test_huge_scores_and_one_value_are_no_trouble():
    stakes, scores = world(50)
    huge = curve(stakes, scores * 1e300)
    assert np.allclose(huge.safety_gain, curve(stakes, scores).safety_gain)
    constant = curve(stakes, np.zeros(50))
    assert constant.thresholds.tolist() == [-np.inf, 0.0, np.inf]


def test_bad_input_is_refused_with_words():
    for change, words in [
        ({"scores": [1.0, np.nan]}, "finite"),
        ({"scores": [1.0, 2.0, 3.0]}, "same length"),
        ({"bands": "exakt"}, "Did you mean 'exact'"),
        ({"bands": "bootstrap", "draws": 100}, "at least 400 draws"),
        ({"points": 1}, "at least 2"),
        ({"stakes": 3}, "stakes must be an object"),
    ]:
        given = {"stakes": errors([True, False]), "scores": [1.0, 2.0]} | change
        with refused((change, words), InvalidInput, match=words):
            curve(given.pop("stakes"), given.pop("scores"), **given)


def test_exact_bands_are_refused_where_rows_belong_together():
    stakes, scores = world(40, units=np.arange(40) // 2)
    with pytest.raises(InvalidInput, match="independent rows"):
        curve(stakes, scores, bands="exact")


@pytest.mark.parametrize("threshold", [[0.1, 0.2], np.nan, "high"], ids=str)
def test_a_threshold_is_one_number(threshold):
    stakes, scores = world(20)
    with pytest.raises(InvalidInput, match="threshold must be one number"):
        curve(stakes, scores).at(threshold)


def test_one_unit_says_nothing():
    stakes, scores = world(10, units=np.zeros(10, dtype=int))
    with pytest.raises(InvalidInput, match="two independent units"):
        curve(stakes, scores)
