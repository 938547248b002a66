import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import returns

episodes, discounted_return, finite_return, Rewards = (
    returns.episodes,
    returns.discounted_return,
    returns.finite_return,
    returns.Rewards,
)

STEPS = 10


def run(*stories):
    """Episodes from (frames driven, frames of collision after them): the record then ends."""
    safety = [[0.0] * driven + [-1.0] * crashed for driven, crashed in stories]
    mission = [[1.0] * driven + [0.0] * crashed for driven, crashed in stories]
    return Rewards(safety, mission)


def test_cost_is_the_share_of_frames_lost_and_hazard_the_share_of_accidents():
    alone = run((10, 0), (4, 3), (6, 1), (10, 0))
    monitored = run((2, 0), (3, 0), (6, 1), (10, 0))
    returns = episodes(monitored, alone, horizon=STEPS)
    assert returns.gains.tolist() == [0, 1, 0, 0]
    assert returns.residuals.tolist() == [0, 0, 1, 0]
    np.testing.assert_allclose(returns.costs, [0.8, 0.1, 0, 0])
    assert (returns.rows, returns.unit_count, returns.unit) == (4, 4, "episode")


def test_a_horizon_is_the_longest_run_of_an_episode_unless_stated():
    returns = episodes(run((1, 0), (5, 0)), run((4, 0), (5, 0)))
    np.testing.assert_allclose(returns.costs, [0.75, 0])


def test_rewards_after_the_record_are_stated_for_each_run():
    alone = Rewards([[0.0]], [[1.0]], mission_after=1.0)
    monitored = Rewards([[0.0]], [[1.0]], mission_after=[0.5])
    np.testing.assert_allclose(episodes(monitored, alone, horizon=5).costs, [4 * 0.5 / 5])


def test_safety_can_count_at_each_frame():
    alone, monitored = run((4, 4)), run((2, 0))
    returns = episodes(monitored, alone, horizon=STEPS, safety_per="frame")
    np.testing.assert_allclose(returns.gains, [0.4])
    raw = episodes(monitored, alone, horizon=STEPS, safety_per="frame", scaled=False)
    np.testing.assert_allclose((raw.gains, raw.costs), [[4], [2]])
    assert (raw.safety_range, raw.mission_range) == ((-10, 0), (0, 10))


def test_an_accident_that_counts_once_may_last_any_number_of_frames():
    returns = episodes(run((2, 0), (2, 0)), run((3, 1), (3, 7)), horizon=STEPS)
    assert returns.gains.tolist() == [1, 1]


def test_episodes_by_name_are_compared_by_name():
    alone = Rewards({"fog": [0, -1], "rain": [0, 0]}, {"fog": [1, 0], "rain": [1, 1]})
    monitored = Rewards({"rain": [0], "fog": [0]}, {"fog": [1], "rain": [1]})
    returns = episodes(monitored, alone)
    assert returns.gains.tolist() == [1, 0]
    np.testing.assert_allclose(returns.costs, [0, 0.5])


def test_the_ideal_run_can_be_stated():
    ideal = Rewards([[0.0], [-1.0]], [[1.0], [0.0]])
    returns = episodes(run((1, 0), (0, 1)), run((0, 1), (0, 1)), ideal=ideal)
    assert returns.residuals.tolist() == [0, 0]
    assert returns.hazards.tolist() == [1, 0]


rewards = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(st.lists(st.tuples(rewards, rewards), min_size=1, max_size=5), st.floats(0, 0.99), st.floats(0, 1))
@settings(max_examples=25, deadline=None)
def test_discounted_episodes_are_returns_before_their_first_frame(pairs, discount, after):
    monitored = Rewards([-np.array(m) for m, _ in pairs], [m for m, _ in pairs], -after, after)
    alone = Rewards([-np.array(a) for _, a in pairs], [a for _, a in pairs], -after, after)
    returns = episodes(monitored, alone, discount=discount, safety_per="frame")
    raw = episodes(monitored, alone, discount=discount, safety_per="frame", scaled=False)
    for row, (m, a) in enumerate(pairs):
        with_it, without = (discounted_return([[0, *run]], discount, after=after)[0][0] for run in (m, a))
        assert raw.costs[row] == pytest.approx(without - with_it, abs=1e-9)
        assert raw.gains[row] == pytest.approx(without - with_it, abs=1e-9)
        assert raw.residuals[row] == pytest.approx(with_it, abs=1e-9)
        assert returns.costs[row] == pytest.approx((without - with_it) * (1 - discount), abs=1e-9)
    np.testing.assert_allclose(returns.gains + returns.residuals, returns.hazards, atol=1e-12)


@given(st.lists(st.tuples(rewards, rewards), min_size=1, max_size=5))
@settings(max_examples=20, deadline=None)
def test_rows_can_be_frames_whose_unit_is_their_episode(pairs):
    monitored = Rewards([-np.array(m) for m, _ in pairs], [m for m, _ in pairs])
    alone = Rewards([-np.array(a) for _, a in pairs], [a for _, a in pairs])
    lengths = [max(map(len, pair)) for pair in pairs]
    padded = [np.pad(m, (0, length - len(m))) for (m, _), length in zip(pairs, lengths, strict=True)]
    returns = episodes(monitored, alone, row="frame", safety_per="frame", scaled=False)
    np.testing.assert_allclose(returns.mission_monitored, np.concatenate(finite_return(padded)), atol=1e-12)
    assert returns.units.tolist() == np.repeat(np.arange(len(pairs)), lengths).tolist()
    worst = episodes(monitored, alone, row="frame").safety_monitored
    expected = [min(-frames[t + 1 :], default=0.0) for frames in padded for t in range(len(frames))]
    np.testing.assert_allclose(worst, expected)


def test_the_next_frame_alone_is_eqn_16():
    alone, monitored = run((4, 0)), run((2, 0))
    returns = episodes(monitored, alone, row="frame", discount=0.0, safety_per="frame")
    assert returns.mission_alone.tolist() == [1, 1, 1, 0]
    assert returns.mission_monitored.tolist() == [1, 0, 0, 0]


def test_frames_before_an_accident_share_in_it_as_eqn_17():
    returns = episodes(run((1, 0)), run((3, 1)), row="frame", safety_per="frame", scaled=False)
    assert returns.safety_alone.tolist() == [-1, -1, -1, 0]
    assert returns.gains.tolist() == [1, 1, 1, 0]


def test_units_and_weights_of_episodes_hold_for_their_frames():
    pair = run((2, 0), (1, 0)), run((2, 0), (1, 0))
    returns = episodes(*pair, row="frame", units=np.array(["town", "town"]), weights=[1.0, 5.0])
    assert returns.units.tolist() == ["town"] * 3
    assert returns.weights.tolist() == [1, 1, 5]
    with pytest.raises(InvalidInput, match="for each episode"):
        episodes(*pair, row="frame", weights=[1.0, 1.0, 5.0])


def test_a_sum_that_rounds_above_its_range_is_in_it():
    tenths = Rewards([[0.0] * 3], [[0.1] * 3])
    assert episodes(tenths, tenths, mission_rewards=(0, 0.1)).mission_alone.tolist() == [1.0]


def test_a_reward_for_later_frames_that_never_come_need_not_be_in_the_range():
    graded = Rewards([[1.0, 2.0]], [[1.0, 1.0]])
    assert episodes(graded, graded, safety_rewards=(1.0, 2.0)).hazards.tolist() == [1.0]


def test_episodes_refuse_what_cannot_be_compared():
    for call, words in [
        (lambda: Rewards([], []), "at least one"),
        (lambda: Rewards(5, 5), "must hold a list for each episode"),
        (lambda: Rewards([[]], [[]]), "episode 0 needs at least 1 value"),
        (lambda: Rewards([[0], [np.nan]], [[0], [0]]), "episode 1 must be finite"),
        (lambda: Rewards([[0, 0]], [[0]]), "same frames; found 2 and 1 in episode 0"),
        (lambda: Rewards({"a": [0]}, {"b": [0]}), "mission rewards lack a; mission rewards add b"),
        (lambda: Rewards([[0]], [[0]], safety_after=[0, 0]), "one an episode"),
        (lambda: episodes(run((1, 0)), run((1, 0), (1, 0))), "monitored runs lack 1"),
        (lambda: episodes(run((1, 0), (1, 0)), run((1, 0))), "monitored runs add 1"),
        (lambda: episodes(run((1, 0)), run((1, 0)), ideal=run((1, 0), (1, 0))), "ideal runs add 1"),
        (lambda: episodes([[0]], run((1, 0))), "must be an object such as Rewards"),
        (lambda: episodes(run((9, 0)), run((1, 0)), horizon=5), "9 frames where the horizon is 5"),
        (lambda: episodes(run((1, 0)), run((1, 0)), discount=0.9), "safety_per='frame'"),
        (lambda: episodes(run((1, 0)), run((1, 0)), discount=1.0, safety_per="frame"), "below 1"),
        (lambda: episodes(run((1, 0)), run((1, 0)), safety_per="frmae"), "Did you mean 'frame'"),
        (lambda: episodes(run((1, 0)), run((1, 0)), row="image"), "unknown row"),
        (lambda: episodes(run((1, 0)), run((1, 0)), mission_rewards=(2, 2)), "smallest and their largest"),
        (lambda: episodes(run((2, 0)), run((3, 2)), safety_rewards=(-0.5, 0)), "found -1 in frame 3 of episode 0"),
        (
            lambda: episodes(Rewards([[0]], [[0]], mission_after=3), run((2, 0))),
            "found 3 in frame 1 of episode 0",
        ),
        (lambda: episodes(*[Rewards([[0]], [[1e300] * 2])] * 2), "same frames"),
    ]:
        with refused(words, InvalidInput, match=words):
            call()


def test_rewards_too_large_to_add_are_refused():
    huge = Rewards([[0.0] * 3], [[1e308] * 3])
    with pytest.raises(InvalidInput, match="too large"):
        episodes(huge, huge, mission_rewards=(0, 1e308))
