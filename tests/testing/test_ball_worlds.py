import math
import pickle

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.testing import ball_world, ball_worlds, linear_failure_probability

WORLDS = ball_worlds()
ROWS = 100_000
every = pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
WEIGHTED = [world for world in WORLDS if world.steepness]


@every
def test_truth_is_the_error_on_inputs_from_balls(world):
    """Neither the risk of a ball nor its integral is used here: only the model and the generator."""
    inputs, labels = world.draw(ROWS, 1)
    near = inputs + np.random.default_rng(2).uniform(-world.radius, world.radius, inputs.shape)
    failures = world.scores(near).argmax(axis=1) != labels
    assert failures.mean() == pytest.approx(world.truth, abs=4 * math.sqrt(world.truth / ROWS))


def test_truth_is_the_mean_risk():
    for world in WORLDS:
        inputs, _ = world.draw(ROWS, 3)
        risk = world.risk(inputs)
        assert risk.mean() == pytest.approx(world.truth, abs=4 * risk.std() / math.sqrt(ROWS)), world.name


def test_weighted_truth_is_the_weighted_mean_risk():
    for world in WEIGHTED:
        inputs, _ = world.draw(ROWS, 4)
        weights = world.weigh(inputs)
        error = np.std(weights * (world.risk(inputs) - world.weighted_truth)) / weights.mean() / math.sqrt(ROWS)
        assert world.frame_truth(inputs) == pytest.approx(world.weighted_truth, abs=4 * error), world.name


def test_weights_that_go_with_risk_change_the_pmi():
    for world in WEIGHTED:
        assert world.weighted_truth > 1.5 * world.truth, world.name


def test_risk_of_a_ball_is_exact():
    for world in WORLDS:
        inputs, labels = world.draw(3000, 5)
        risk = world.risk(inputs)
        above = np.flatnonzero(risk > 1e-30)
        chosen = above[np.argsort(risk[above])][:: max(1, len(above) // 20)]
        for row in chosen:
            sign = 1 - 2 * labels[row]
            box = inputs[row] - world.radius, inputs[row] + world.radius
            exact = linear_failure_probability(sign * world.weights, sign * world.offset, *box)
            assert risk[row] == pytest.approx(math.exp(exact), rel=1e-6), world.name


def test_error_is_that_at_the_centres():
    for world in WORLDS:
        inputs, labels = world.draw(ROWS, 6)
        wrong = (world.scores(inputs).argmax(axis=1) != labels).mean()
        assert wrong == pytest.approx(world.error, abs=4 * math.sqrt(world.error / ROWS) + 1 / ROWS), world.name


def test_balls_keep_to_the_range_and_to_their_class():
    for world in WORLDS:
        inputs, labels = world.draw(5000, 7)
        assert inputs.min() >= world.radius, world.name
        assert inputs.max() <= 1 - world.radius, world.name
        np.testing.assert_array_equal(world.label(inputs + world.radius), labels, err_msg=world.name)
        np.testing.assert_array_equal(world.label(inputs - world.radius), labels, err_msg=world.name)


def test_module_and_function_answer_alike():
    for world in WORLDS:
        torch = pytest.importorskip("torch")
        inputs, _ = world.draw(2000, 8)
        with torch.no_grad():
            scores = world.module()(torch.tensor(inputs, dtype=torch.float32)).numpy()
        np.testing.assert_allclose(scores, world.scores(inputs), atol=1e-5, err_msg=world.name)


def test_worlds_have_the_pmi_that_their_names_promise():
    assert ball_world("common").truth == pytest.approx(0.05, rel=1e-3)
    assert ball_world("rare").truth == pytest.approx(1e-3, rel=1e-3)
    assert ball_world("mispredicted corner").error > 0.01
    inputs, _ = ball_world("rare corner").draw(ROWS, 9)
    risk = np.sort(ball_world("rare corner").risk(inputs))
    assert risk[-ROWS // 100 :].sum() > 0.9 * risk.sum()


def test_same_seed_same_rows():
    world = pickle.loads(pickle.dumps(ball_world("rare")))
    np.testing.assert_array_equal(world.draw(10, 3)[0], ball_world("rare").draw(10, 3)[0])
    assert (world.draw(10, 3)[0] != world.draw(10, 4)[0]).any()


def test_unknown_world_is_refused():
    with pytest.raises(InvalidInput, match="Did you mean 'rare'"):
        ball_world("rar")
