import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import returns

discounted_interval, discounted_return, finite_return = (
    returns.discounted_interval,
    returns.discounted_return,
    returns.finite_return,
)

ragged = st.lists(st.lists(st.floats(-10, 10), min_size=1, max_size=40), min_size=1, max_size=6)


@given(ragged)
@settings(max_examples=25, deadline=None)
def test_a_finite_return_is_the_sum_of_what_follows(episodes):
    for frames, found in zip(episodes, finite_return(episodes), strict=True):
        expected = [sum(frames[t + 1 :]) for t in range(len(frames))]
        np.testing.assert_allclose(found, expected, atol=1e-9)


@given(ragged, st.sampled_from([0.0, 0.3, 0.9, 0.999]), st.floats(-3, 3))
@settings(max_examples=25, deadline=None)
def test_a_discounted_return_is_the_sum_over_a_record_that_goes_on(episodes, discount, after):
    for frames, found in zip(episodes, discounted_return(episodes, discount, after=after), strict=True):
        longer = np.concatenate([frames, np.full(40_000, after)])
        sums = lfilter([1.0], [1.0, -discount], longer[::-1])[::-1]
        np.testing.assert_allclose(found, sums[1 : len(frames) + 1], atol=1e-7)


def test_a_constant_reward_is_a_geometric_series():
    [returns] = discounted_return([np.full(300, 2.0)], 0.95, after=2.0)
    np.testing.assert_allclose(returns, 2 / (1 - 0.95), rtol=1e-12)
    [ending] = discounted_return([np.full(300, 2.0)], 0.95)
    np.testing.assert_allclose(ending, 2 * (1 - 0.95 ** np.arange(299, -1, -1)) / (1 - 0.95), atol=1e-11)


def test_no_discount_left_counts_the_next_frame_as_eqn_16():
    assert discounted_return([[1, 0, 3]], 0.0, after=7)[0].tolist() == [0, 3, 7]


def test_an_episode_does_not_see_the_next():
    assert [r.tolist() for r in finite_return([[0, 1e308], [1e308, 1], [5]])] == [[1e308, 0], [1, 0], [0]]


def test_rewards_known_by_range_give_an_interval():
    found = discounted_interval([[1.0, 0.0], [2.0]], 0.5, after=(-1.0, 1.0))
    for end, after in ((found.low, -1.0), (found.high, 1.0)):
        for one, other in zip(end, discounted_return([[1.0, 0.0], [2.0]], 0.5, after=after), strict=True):
            np.testing.assert_array_equal(one, other)
    assert found.low[1].tolist() == [-2.0]
    assert found.high[1].tolist() == [2.0]


def test_a_horizon_refuses_what_has_no_return():
    for call, words in [
        (lambda: finite_return([]), "at least one"),
        (lambda: finite_return([1.0, 2.0]), "must hold a list for each episode"),
        (lambda: finite_return([[1.0], []]), "episode 1 needs at least 1"),
        (lambda: finite_return([[1.0], [np.nan]]), "episode 1 must be finite"),
        (lambda: finite_return([[1e308, 1e308, 1e308]]), "too large"),
        (lambda: discounted_return([[1.0]], 1.0), "below 1"),
        (lambda: discounted_return([[1.0]], -0.1), "discount"),
        (lambda: discounted_return([[1.0]], 0.5, after=np.inf), "after"),
        (lambda: discounted_interval([[1.0]], 0.5, after=(1.0, 0.0)), "smallest and the largest"),
        (lambda: discounted_interval([[1.0]], 0.5, after=(1.0,)), "at least 2"),
    ]:
        with refused((call, words), InvalidInput, match=words):
            call()
