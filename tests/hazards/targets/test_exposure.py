"""Conversions between exposures: round trips, simulated processes with known truth, and what is refused."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.bounds import clopper_pearson, jeffreys, needed
from surefoot.core import Bound, CountedRate, Estimate, InvalidInput, Target
from surefoot.hazards import targets

USE = targets.Exposure(demands_per_hour=30, hours_per_mission=2, missions_per_year=50)
PAIRS = list(permutations(("demand", "hour", "mission", "year"), 2))


@pytest.mark.parametrize(
    ("counted", "whole", "many"),
    [("demand", "hour", 30), ("demand", "mission", 60), ("hour", "year", 100), ("demand", "year", 3000)],
)
def test_what_follows_from_the_figures_is_known(counted, whole, many):
    assert USE.per(counted, whole) == pytest.approx(many)
    assert USE.per(whole, counted) == pytest.approx(1 / many)


@pytest.mark.parametrize(("given_", "wanted"), PAIRS)
@settings(deadline=None, max_examples=12)
@given(value=st.floats(1e-12, 2e-4), dph=st.floats(0.1, 100), hpm=st.floats(0.1, 10), mpy=st.floats(1, 300))
def test_there_and_back_is_where_one_started(given_, wanted, value, dph, hpm, mpy):
    use = targets.Exposure(demands_per_hour=dph, hours_per_mission=hpm, missions_per_year=mpy)
    try:
        there = use.convert(value, given_, wanted)
    except InvalidInput:
        assert value * use.per(given_, wanted) > 1
        return
    if wanted != "mission" or there < 0.999:
        assert use.convert(there, wanted, given_) == pytest.approx(value, rel=1e-9)


@settings(deadline=None, max_examples=15)
@given(st.floats(1e-9, 1e-3), st.floats(0.5, 50), st.floats(10, 9000))
def test_demands_hours_and_years_agree_whichever_way_one_goes(p, dph, hpy):
    use = targets.Exposure(demands_per_hour=dph, hours_per_year=hpy)
    by_hours = use.convert(use.convert(p, "demand", "hour"), "hour", "year")
    assert by_hours == pytest.approx(use.convert(p, "demand", "year"), rel=1e-12)


def test_independent_demands_of_a_mission_go_wrong_as_often_as_computed():
    missions, demands, p = 40_000, 60, 0.004
    wrong = np.random.default_rng(5).random((missions, demands)) < p
    share = wrong.any(axis=1).mean()
    expected = USE.convert(p, "demand", "mission")
    assert share == pytest.approx(expected, abs=5 * np.sqrt(expected * (1 - expected) / missions))
    assert wrong.sum() / missions / 2 == pytest.approx(USE.convert(p, "demand", "hour"), rel=0.1)


def test_events_at_a_constant_rate_hit_missions_as_often_as_computed():
    missions, rate = 40_000, 0.2
    gaps = np.random.default_rng(6).exponential(1 / rate, size=(missions * 2,))
    times = np.cumsum(gaps)
    hit = np.unique(times[times < missions * 2.0] // 2.0).size
    expected = USE.convert(rate, "hour", "mission")
    assert hit / missions == pytest.approx(expected, abs=5 * np.sqrt(expected / missions))
    assert hit / missions * 50 == pytest.approx(USE.convert(expected, "mission", "year"), rel=0.02)


@pytest.mark.parametrize(("given_", "wanted"), PAIRS)
def test_numbers_arrays_targets_distributions_and_estimates_convert_alike(given_, wanted):
    reference = targets.Reference(4, 4000, per=given_)
    convert = lambda value: USE.convert(value, given_, wanted)  # noqa: E731
    target = Target(at_most=1e-3, per=given_, uncertainty=reference.uncertainty, source="s")
    after = USE.target(target, wanted)
    assert after.limit == pytest.approx(convert(1e-3))
    assert after.per == wanted
    assert after.cautious_limit(0.025) == pytest.approx(convert(target.cautious_limit(0.025)))
    assert after.source.startswith("s; ")
    estimate = USE.estimate(reference.estimate(), wanted)
    for level in (0.7, 0.95, 1 - 1e-9):
        assert estimate.upper(level) == pytest.approx(min(convert(reference.estimate().upper(level)), np.inf))
        assert estimate.lower(level) == pytest.approx(convert(reference.estimate().lower(level)))
    assert convert(np.array([1e-3, 2e-3])).tolist() == [convert(1e-3), convert(2e-3)]


def test_an_estimate_keeps_what_it_assumed_and_says_what_the_conversion_assumes():
    estimate = USE.estimate(clopper_pearson(2, 5000, level=0.95), "mission")
    ids = [assumption.id for assumption in estimate.assumptions]
    assert ids[-2:] == ["exposure-as-stated", "independent-demands"]
    assert {a.id for a in clopper_pearson(2, 5000, level=0.95).assumptions} <= set(ids)
    assert estimate.unit == "per mission"
    assert Estimate.from_dict(estimate.to_dict()) == estimate
    assert estimate.key != USE.estimate(clopper_pearson(2, 5000, level=0.95), "hour").key
    rate = USE.estimate(targets.Reference(1, 10).estimate(), "mission")
    assert "constant-rate" in [assumption.id for assumption in rate.assumptions]


def test_a_belief_goes_along_with_its_bounds():
    before = jeffreys(2, 5000, level=0.95)
    after = USE.estimate(before, "mission")
    assert after.dist.ppf(0.9) == pytest.approx(1 - (1 - before.dist.ppf(0.9)) ** 60)
    assert after.upper(0.9) == pytest.approx(after.dist.ppf(0.9))


def test_what_holds_on_average_only_survives_a_scale_and_nothing_else():
    average = Estimate("x", 0.01, bounds=(Bound(0.02, "upper", 0.0, "expectation"),))
    assert USE.estimate(average, "hour").bounds[0].limit == pytest.approx(0.6)
    assert USE.estimate(average, "mission").bounds == ()


def test_the_bound_of_a_probability_stays_one():
    estimate = targets.Exposure(demands_per_hour=2).estimate(targets.Reference(1, 1.0).estimate(), "demand")
    assert estimate.upper(0.95) == 1.0
    assert estimate.value == 0.5


def test_what_is_already_per_that_exposure_stays_as_it_is():
    target, estimate = Target(at_most=0.1), clopper_pearson(1, 9, level=0.9)
    assert targets.Exposure().target(target, "demand") is target
    assert targets.Exposure().estimate(estimate, "demand") is estimate
    assert targets.Exposure().convert(0.3, "km", "km") == 0.3
    assert targets.Exposure().distribution(CountedRate(1, 2.0), "km", "km") == CountedRate(1, 2.0)


def test_a_limit_from_below_converts_too():
    assert USE.target(Target(at_least=0.1, per="hour"), "year").at_least == pytest.approx(10)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: targets.Exposure(demands_per_hour=60, hours_per_mission=2, demands_per_mission=100), "contradict"),
        (lambda: targets.Exposure(demands_per_hour=0), "demands_per_hour"),
        (lambda: targets.Exposure(hours_per_year=float("inf")), "hours_per_year"),
        (lambda: USE.convert(1000.0, "year", "mission"), "20 per mission"),
        (lambda: USE.convert(1.5, "demand", "hour"), "1.5 per demand"),
        (lambda: USE.convert(-1.0, "hour", "year"), "-1 per hour"),
        (lambda: USE.convert(1.0, "mission", "hour"), "no finite rate"),
        (lambda: USE.convert(1.0, "km", "hour"), "'km'"),
        (lambda: targets.Exposure(demands_per_hour=3).convert(0.1, "demand", "mission"), "State demands_per_mission"),
        (lambda: targets.Exposure(demands_per_hour=3).convert(0.1, "hour", "year"), "State hours_per_year"),
        (lambda: targets.Exposure().convert(0.1, "year", "demand"), "demands_per_hour and hours_per_year"),
        (lambda: USE.estimate(Estimate("x", 1.0, "deaths"), "year"), "'deaths'"),
    ],
)
def test_what_cannot_be_converted_says_why(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()


def test_figures_that_agree_may_be_stated_twice():
    assert (
        targets.Exposure(demands_per_hour=60, hours_per_mission=2, demands_per_mission=120).per("demand", "mission")
        == 120
    )


def test_counts_of_demands_are_no_counts_of_missions():
    use = targets.Exposure(demands_per_mission=120)
    found = use.estimate(clopper_pearson(1, 10_000, level=0.95), "mission")
    assert found.details["converted from"]["trials"] == 10_000
    assert "trials" not in found.details
    told = needed(found, Target(at_most=0.005, per="mission"))
    assert told[0].startswith(f"What was observed, {1 - (1 - 1e-4) ** 120:.4g}, is itself above 0.005")
