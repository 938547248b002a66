"""Distributions inside boxes: what is drawn agrees with the probability that is stated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.reliability import NormalInside, ProfileInside, UniformInside, Within


def slope(points):
    return points.sum(axis=1) ** 2


DISTRIBUTIONS = [
    UniformInside(),
    NormalInside(0.3),
    NormalInside(50.0),
    ProfileInside(slope),
    ProfileInside(slope, parts=3),
]
NAMES = ["uniform", "normal", "wide normal", "following", "following in 3 parts"]
LOWER = np.array([[0.0, 1.0, -2.0], [3.0, 0.0, 5.0]])
UPPER = np.array([[0.1, 4.0, -1.0], [9.0, 0.5, 6.0]])


def test_points_lie_inside_and_fall_into_a_part_as_often_as_stated():
    for within in DISTRIBUTIONS:
        assert isinstance(within, Within), within
        count = 40_000
        points = within.draw(LOWER, UPPER, count, np.random.default_rng(5))
        assert points.shape == (2, count, 3), within
        assert ((points >= LOWER[:, None]) & (points <= UPPER[:, None])).all(), within
        side = UPPER - LOWER
        for start, end in ((0.0, 0.4), (0.2, 0.9), (0.55, 1.0)):
            low, high = LOWER + start * side, LOWER + end * side
            hits = ((points >= low[:, None]) & (points <= high[:, None])).all(axis=2).sum(axis=1)
            for hit, share in zip(hits, within.share(LOWER, UPPER, low, high), strict=True):
                assert stats.binomtest(int(hit), count, share).pvalue > 1e-4, within


@pytest.mark.parametrize("within", DISTRIBUTIONS, ids=NAMES)
@given(cut=st.floats(0, 1), dimension=st.integers(0, 2))
def test_shares_of_two_parts_sum_to_one(within, cut, dimension):
    middle_low, middle_high = LOWER.copy(), UPPER.copy()
    at = LOWER[:, dimension] + cut * (UPPER - LOWER)[:, dimension]
    middle_low[:, dimension] = middle_high[:, dimension] = at
    parts = within.share(LOWER, UPPER, LOWER, middle_high) + within.share(LOWER, UPPER, middle_low, UPPER)
    np.testing.assert_allclose(parts, 1, rtol=1e-12)


def test_normal_agrees_with_scipys_truncated_normal():
    scale, low, high = 0.3, 2.5, 3.2
    truth = stats.truncnorm(-0.5 / scale, 0.5 / scale, loc=3.0, scale=2 * scale)
    share = NormalInside(scale).share(*(np.array([[v]]) for v in (2.0, 4.0, low, high)))
    assert share == pytest.approx(truth.cdf(high) - truth.cdf(low), rel=1e-12)
    drawn = NormalInside(scale).draw(np.array([[2.0]]), np.array([[4.0]]), 5000, np.random.default_rng(1)).ravel()
    assert stats.kstest(drawn, truth.cdf).pvalue > 1e-3


def test_following_comes_close_to_a_smooth_density():
    share = ProfileInside(lambda x: 2 * x[:, 0], parts=64).share(*(np.array([[v]]) for v in (0.0, 1.0, 0.3, 0.7)))
    assert share == pytest.approx(0.49 - 0.09, abs=1e-3)


def test_following_is_uniform_where_the_density_is_zero():
    within = ProfileInside(lambda x: np.zeros(len(x)))
    np.testing.assert_allclose(within.share(LOWER, UPPER, LOWER, (LOWER + UPPER) / 2), 1 / 8)


def test_a_density_that_is_none_is_refused():
    for density in [
        lambda x: np.full(len(x), np.nan),
        lambda x: -np.ones(len(x)),
        lambda x: x,
        lambda x: np.full(len(x), np.inf),
    ]:
        with refused(density, InvalidInput, match="density"):
            ProfileInside(density).draw(LOWER, UPPER, 2, np.random.default_rng(0))


def test_a_scale_that_is_no_positive_number_is_refused():
    for scale in [0.0, -1.0, np.nan, np.inf]:
        with refused(scale, InvalidInput, match="scale"):
            NormalInside(scale)


def test_parts_must_be_at_least_one():
    with pytest.raises(InvalidInput, match="parts"):
        ProfileInside(slope, parts=0)


def test_no_boxes_have_no_shares():
    for within in DISTRIBUTIONS:
        none = np.empty((0, 2))
        assert within.share(none, none, none, none).shape == (0,), within
