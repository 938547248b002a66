"""Plateaus, ties, floors and ends of the climb: what is found is true, or said to be unknown."""

import math

import numpy as np
import torch
from scipy.stats import binomtest
from tests.reliability.balls.ball_problems import looked, network, problem_of, repeated

from surefoot.reliability import BallRisks, MultilevelSplitting
from surefoot.testing import linear_world

BELOW, COUNTED, PROVED, SPLIT = BallRisks.BELOW, BallRisks.COUNTED, BallRisks.PROVED, BallRisks.SPLIT

METHOD = MultilevelSplitting(particles=200, steps=10)
CENTRES = np.full((12, 3), 0.5)


def margin_of(function):
    """A model of two classes with that margin."""

    def model(inputs):
        margin = function(inputs)
        return np.column_stack([0 * margin, margin])

    return model


def found_with(function, method=METHOD, radius=0.5):
    return looked(method, problem_of(margin_of(function), CENTRES, radius))


def assert_honest(found, truth):
    """Counts and estimates hold the truth, and what is below something is."""
    low, high = found.interval(0.999)
    assert ((low <= truth) & (truth <= high)).all()
    assert np.isfinite(found.log_sd).all()
    assert not np.isnan(found.log_risk).any()


def test_scores_that_are_all_equal_are_counted():
    for moves in ["informed", "reflected"]:
        for height in [-5.0, -1e-30, -1e30]:
            found = found_with(
                lambda x, height=height: np.full(len(x), height), MultilevelSplitting(particles=200, moves=moves)
            )
            assert (found.how == COUNTED).all(), (moves, height)
            assert (found.failures == 0).all(), (moves, height)
            assert (found.trials == 200).all(), (moves, height)
            assert (found.risk == 0).all(), (moves, height)
            assert_honest(found, 0.0)


def test_a_model_that_always_fails_has_risk_one():
    found = found_with(lambda x: 1 + x[:, 0])
    assert (found.how == COUNTED).all()
    assert (found.risk == 1).all()
    assert (found.calls == 200).all()


def test_a_tie_counts_as_a_failure():
    assert (found_with(lambda x: np.zeros(len(x))).risk == 1).all()


def test_a_model_that_never_fails_ends_below_the_floor():
    found = found_with(lambda x: x.sum(1) - 3.5, MultilevelSplitting(particles=100, steps=6, floor=-40))
    assert (found.how == BELOW).all()
    assert (found.log_risk < -40).all()
    assert (found.log_risk > -40 - 3 * math.log(10)).all()
    assert_honest(found, 0.0)
    assert (found.interval()[0] == 0).all()


def test_where_a_score_gets_flat_the_first_uniform_points_are_the_answer():
    # Rises towards the corner, and is flat in its last tenth on each axis: 1e-3 of the ball.
    found = found_with(lambda x: np.minimum(x.min(1), 0.9) - 1)
    assert (found.how == COUNTED).all()
    assert (found.failures == 0).all()
    assert (found.risk == 0).all()
    assert_honest(found, 1e-5)
    assert_honest(found, 0.0)


def test_stairs_are_climbed():
    for steps in [2, 4, 10]:
        # The last stair of `steps` is where x > 1 - 1 / steps on all axes.
        found = found_with(lambda x, steps=steps: np.floor(x.min(1) * steps) - (steps - 1))
        truth = (1 / steps) ** 3
        assert_honest(found, truth)
        assert (found.how != BELOW).all(), steps
        assert abs(found.risk.mean() / truth - 1) < 4 * np.sqrt(found.variance.mean() / len(found)) / truth, steps


def test_one_stair_is_counted():
    found = found_with(lambda x: np.where(x.min(1) > 0.96, 1.0, -1.0), MultilevelSplitting(particles=50))
    assert_honest(found, 0.04**3)
    assert (found.how == COUNTED).all()


def test_many_at_the_top_do_not_stop_the_climb():
    # More than survive share the best margin that is met first; failures lie beyond, by another feature.
    found = found_with(lambda x: np.where(x[:, 0] > 0.6, np.maximum(x[:, 1] - 0.99, -0.5), -1.0))
    assert_honest(found, 0.4 * 0.01)
    assert (found.how == SPLIT).all()


def test_balls_without_undesired_answers_are_safe_without_a_call():
    asked = []
    model = lambda x: (asked.append(len(x)), np.zeros((len(x), 2)))[1]  # noqa: E731
    undesired = np.array([[False, True], [False, False]])
    problem = problem_of(model, CENTRES[:4], 0.1, labels=[1, 1, 0, 1], undesired=undesired)
    found = looked(METHOD, problem, [0, 1, 3])
    assert asked == []
    assert (found.how == PROVED).all()
    assert (found.risk == 0).all()
    assert (found.calls == 0).all()
    mixed = looked(METHOD, problem)
    assert mixed.how.tolist() == [PROVED, PROVED, COUNTED, PROVED]
    assert mixed.risk.tolist() == [0, 0, 1, 0]


def test_splitting_stops_at_the_floor():
    for floor in [-3.0, -10.0]:
        box = linear_world(6, 1e-12, seed=1)
        found = looked(MultilevelSplitting(particles=100, floor=floor), repeated(box, 5, "double"))
        assert (found.how == BELOW).all(), floor
        assert (found.log_risk <= floor).all(), floor
        assert (found.log_risk > floor - 3).all(), floor
        assert_honest(found, math.exp(box.log_probability))


def test_what_is_above_the_floor_does_not_depend_on_it():
    box = linear_world(6, 1e-5, seed=1)
    near, far = (looked(MultilevelSplitting(particles=100, floor=f), repeated(box, 4, "double")) for f in (-30, -300))
    np.testing.assert_array_equal(near.log_risk, far.log_risk)


def test_tiny_balls_have_an_answer():
    for radius in [1e-3, 1e-7, 1e-12]:
        for edge in [0.0, 0.5, 1.0]:
            module = network(4, 8, 2, seed=3)
            problem = problem_of(module, np.full((3, 4), edge, np.float32), radius)
            found = looked(MultilevelSplitting(particles=50, steps=4, floor=-20), problem)
            with torch.no_grad():
                scores = module(torch.full((1, 4), edge))[0]
            assert not np.isnan(found.log_risk).any(), (radius, edge)
            assert ((found.risk > 0.5) == bool(scores[1] >= scores[0])).all(), (radius, edge)


def test_steep_scores_do_not_overflow():
    box = linear_world(6, 1e-3, seed=2)
    centres = np.tile(box.centre, (8, 1))
    for scale in [1e-30, 1e30]:
        found = looked(METHOD, problem_of(lambda x, scale=scale: scale * box.scores(x), centres, box.radius))
        assert_honest(found, math.exp(box.log_probability))
        assert (found.how == SPLIT).all(), scale


def test_features_that_do_not_matter_are_no_trouble():
    # One of 40 features decides: a failure where it is in its last thousandth.
    centres = np.full((20, 40), 0.5)
    found = looked(METHOD, problem_of(margin_of(lambda x: x[:, 7] - 0.9995), centres, 0.5))
    truth = 5e-4
    low, high = found.interval(0.95)
    assert binomtest(int(((low <= truth) & (truth <= high)).sum()), 20, 0.95, alternative="less").pvalue > 1e-3
    assert found.log_sd.mean() < 1
