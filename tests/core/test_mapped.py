"""Steps and what they make of distributions and bounds, against brute force on quantiles and draws."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefoot.core import (
    AtLeastOnce,
    Beta,
    Bound,
    BoundFamily,
    CountedRate,
    CountedShare,
    Distribution,
    Empirical,
    EventWithin,
    Gamma,
    InvalidInput,
    LogNormal,
    Mapped,
    MappedBound,
    Mixture,
    MonotoneMap,
    Point,
    QuantileBound,
    RateOf,
    Scaled,
    Shifted,
    TabulatedBound,
    Undefined,
    bound_after,
    distribution_after,
)

STEPS = [Scaled(3.0), Scaled(0.2, 1.0), Shifted(0.0), AtLeastOnce(7.0), AtLeastOnce(0.1), EventWithin(0.3), RateOf(2.0)]
BASES = [Beta(2, 30), Gamma(3.0, 0.02), LogNormal(-4, 0.6), CountedRate(4, 90.0), CountedShare(2, 40)]
Q = np.array([0.001, 0.2, 0.5, 0.8, 0.999])
ENDLESS = (LogNormal(-4, 0.6), RateOf(2.0))
CASES = [case for case in product(BASES, STEPS) if case != ENDLESS]
IDS = [f"{dist} {step}" for dist, step in CASES]


def test_back_after_forth_is_where_one_started():
    for step in STEPS:
        x = np.array([0.0, 1e-12, 1e-3, 0.2, 0.9])
        assert step.backward(step.forward(x)) == pytest.approx(x, rel=1e-9, abs=1e-15), step


def test_beyond_all_images_everything_lies_below_and_before_them_nothing():
    for step in STEPS:
        most = float(step.forward(np.inf))
        assert step.backward(most) == np.inf, step
        assert step.backward(-0.1) < 0, step


def test_images_are_those_of_the_formulas_also_where_they_are_tiny():
    for step, x, image in (
        (AtLeastOnce(3.0), 0.1, 1 - 0.9**3),
        (AtLeastOnce(0.5), 0.19, 0.1),
        (EventWithin(2.0), 0.5, 1 - np.exp(-1)),
        (RateOf(2.0), 1 - np.exp(-1), 0.5),
        (Scaled(4.0, 1.0), 0.5, 1.0),
        (Shifted(-0.25), 0.5, 0.25),
        (AtLeastOnce(1e9), 1e-18, 1e-9),
        (EventWithin(1e-9), 1e-9, 1e-18),
    ):
        assert step.forward(x) == pytest.approx(image, rel=1e-8), step


def test_quantiles_levels_and_draws_go_through_the_step():
    for dist, step in CASES:
        after = distribution_after(dist, [step])
        assert after.ppf(Q) == pytest.approx(step.forward(dist.ppf(Q)), rel=1e-12), dist
        inside = dist.ppf(Q[Q != 0.5])
        assert after.cdf(step.forward(inside)) == pytest.approx(dist.cdf(inside), abs=1e-7), dist
        draws = after.sample(np.random.default_rng(2), 10_000)
        assert draws.mean() == pytest.approx(after.mean, abs=6 * after.sd / 100), dist
        assert draws.var() == pytest.approx(after.variance, rel=0.3), dist


def test_mean_and_variance_of_a_mapped_distribution_match_integration():
    after = distribution_after(Beta(2, 30), [AtLeastOnce(7.0)])
    image = stats.beta(2, 30).expect(lambda p: 1 - (1 - p) ** 7)
    square = stats.beta(2, 30).expect(lambda p: (1 - (1 - p) ** 7) ** 2)
    assert [after.mean, after.variance] == pytest.approx([image, square - image**2], rel=1e-7)


def test_a_mean_that_is_not_finite_is_undefined():
    after = Mapped(ENDLESS[0], (ENDLESS[1],))
    with pytest.raises(Undefined):
        _ = after.mean
    assert np.isfinite(after.ppf(0.999))


def test_what_has_a_family_stays_in_it():
    twice = [Scaled(2.0)]
    assert distribution_after(Gamma(3.0, 0.5), twice) == Gamma(3.0, 1.0)
    assert distribution_after(CountedRate(3, 10.0), twice) == CountedRate(3, 5.0)
    assert distribution_after(LogNormal(0.0, 1.0), twice) == LogNormal(np.log(2), 1.0)
    assert distribution_after(Point(0.5), twice) == Point(1.0)
    assert distribution_after(Empirical((3.0, 1.0), "7/2"), twice) == Empirical((6.0, 2.0), "7/2")
    mixed = distribution_after(Mixture((Point(0.1), Gamma(2.0, 0.1)), (1, 1)), twice)
    assert mixed == Mixture((Point(0.2), Gamma(2.0, 0.2)), (1, 1))


def test_steps_after_steps_are_one_mapping():
    steps = (EventWithin(2.0), Scaled(3.0))
    assert distribution_after(Gamma(2.0, 0.1), steps) == Mapped(Gamma(2.0, 0.1), steps)
    assert distribution_after(Beta(2, 3), []) == Beta(2, 3)


def test_a_bound_keeps_every_level_side_and_kind():
    family = QuantileBound(Beta(2, 30), "upper", "confidence")
    after = bound_after(family, [AtLeastOnce(5.0)])
    assert (after.side, after.kind) == ("upper", "confidence")
    for level in (0.6, 0.95, 1 - 1e-7):
        assert after.at(level).limit == pytest.approx(1 - (1 - family.at(level).limit) ** 5)


def test_a_single_limit_stays_one_and_no_step_changes_nothing():
    bound = Bound(0.1, "upper", 0.05, "confidence")
    assert bound_after(bound, [Scaled(2.0)]) == Bound(0.2, "upper", 0.05, "confidence")
    table = TabulatedBound((0.5, 0.9), (1.0, 2.0), "upper", "confidence")
    assert bound_after(table, []) == table


steps = st.one_of(
    st.builds(Scaled, st.floats(1e-6, 1e6), st.just(float("inf")) | st.floats(0.1, 10)),
    st.builds(AtLeastOnce, st.floats(1e-3, 1e3)),
    st.builds(EventWithin, st.floats(1e-3, 1e3)),
    st.builds(RateOf, st.floats(1e-3, 1e3)),
)


@settings(deadline=None, max_examples=25)
@given(steps, st.floats(0, 1), st.floats(0, 1))
def test_no_step_ever_falls_and_plain_data_bring_it_back(step, a, b):
    low, high = step.forward(np.sort([a, b]))
    assert low <= high
    assert MonotoneMap.from_dict(json.loads(json.dumps(step.to_dict(), allow_nan=False))) == step


@settings(deadline=None, max_examples=15)
@given(st.sampled_from(BASES), st.lists(steps, min_size=1, max_size=3).map(tuple))
def test_plain_data_bring_back_what_was_mapped(dist, taken):
    after = Mapped(dist, taken)
    assert Distribution.from_dict(json.loads(json.dumps(after.to_dict(), allow_nan=False))) == after
    bound = MappedBound(QuantileBound(dist, "lower", "credible"), taken)
    assert BoundFamily.from_dict(json.loads(json.dumps(bound.to_dict(), allow_nan=False))) == bound


def test_what_cannot_be_is_refused(subtests):
    for make in (
        lambda: Scaled(0.0),
        lambda: Scaled(1.0, float("nan")),
        lambda: AtLeastOnce(-1.0),
        lambda: EventWithin(0.0),
        lambda: RateOf(float("inf")),
        lambda: Mapped(Beta(1, 1), ()),
        lambda: Mapped(0.5, (Scaled(2.0),)),
        lambda: Mapped(Beta(1, 1), (2.0,)),
        lambda: MappedBound(Beta(1, 1), (Scaled(2.0),)),
    ):
        with subtests.test(line=make.__code__.co_firstlineno), pytest.raises(InvalidInput):
            make()
