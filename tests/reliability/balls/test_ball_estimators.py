"""Estimators made for cells look into balls, and proofs spare calls."""

import numpy as np
import pytest
import torch
from tests.refusals import refused
from tests.reliability.balls.ball_problems import brute_force, looked, network, problem_of, with_risk

from surefoot.core import InvalidInput
from surefoot.reliability import BallEstimator, BallRisks, Interval, MonteCarlo, MultilevelSplitting, as_ball_estimator

PROVED = BallRisks.PROVED

THREE = ~np.eye(3, dtype=bool)


def mixed(**options):
    """Balls of which some can be proved safe."""
    module = network(4, 10, 3, seed=3)
    with torch.no_grad():
        module[-1].weight *= 3
    centres = np.random.default_rng(1).random((60, 4)).astype(np.float32)
    with torch.no_grad():
        labels = module(torch.as_tensor(centres)).argmax(1).numpy()
    return problem_of(module, centres, 0.06, labels=labels, undesired=THREE, **options), module


def test_other_estimators_are_taken_for_what_they_are():
    splitting = MultilevelSplitting()
    assert as_ball_estimator(splitting) is splitting
    for given in (MonteCarlo(77), Interval(otherwise=MonteCarlo(50), method="interval")):
        assert isinstance(as_ball_estimator(given), BallEstimator), given


def test_anything_else_is_refused():
    for wrong in [None, "splitting", 3, MultilevelSplitting, object()]:
        with refused(wrong, InvalidInput, match="looks into balls"):
            as_ball_estimator(wrong)


@pytest.mark.parametrize("method", ["linear", "interval"])
@pytest.mark.parametrize(
    "otherwise", [MonteCarlo(200), MultilevelSplitting(particles=50, steps=4, floor=-15)], ids=repr
)
def test_proved_balls_cost_nothing_and_the_others_are_as_without_proofs(method, otherwise):
    problem, _ = mixed()
    found, plain = looked(Interval(otherwise, method=method), problem), looked(otherwise, problem)
    proved = found.how == PROVED
    assert 5 < proved.sum() < 55
    assert (found.calls[proved] == 0).all()
    assert (found.risk[proved] == 0).all()
    for name, value in vars(found).items():
        np.testing.assert_array_equal(value[~proved], getattr(plain, name)[~proved])


def test_no_failure_is_found_in_a_proved_ball():
    problem, module = mixed()
    proved = np.flatnonzero(looked(Interval(MonteCarlo(10)), problem).how == PROVED)
    lower, upper = problem.balls.corners(proved)
    for ball in range(0, len(proved), 4):
        box = lower[ball], upper[ball]
        label = problem.labels[proved[ball]]
        assert brute_force(module, box, 20_000, ball, undesired=THREE, label=label) == 0


def test_a_ball_with_failures_is_never_proved():
    module, centre = network(4, 10, 3, seed=5), np.full(4, 0.5, np.float32)
    with_risk(module, centre, 0.2, 1e-4, undesired=THREE, label=0, seed=1)
    found = looked(Interval(MultilevelSplitting(particles=100)), problem_of(module, centre, 0.2, undesired=THREE))
    assert found.how[0] != PROVED
    assert found.risk[0] > 1e-6


def test_proofs_follow_the_order_of_columns():
    problem, module = mixed()
    order = (2, 0, 1)
    moved = network(4, 10, 3, seed=3)
    with torch.no_grad():
        moved[-1].weight[list(order)], moved[-1].bias[list(order)] = module[-1].weight.clone(), module[-1].bias.clone()
    other = problem_of(moved, problem.balls.centres, 0.06, labels=problem.labels, undesired=THREE, columns=order)
    plain, permuted = (looked(Interval(MonteCarlo(10)), p).how for p in (problem, other))
    np.testing.assert_array_equal(plain, permuted)


def test_a_model_that_cannot_be_read_is_left_to_the_other_estimator():
    problem = problem_of(lambda x: np.column_stack([0 * x[:, 0], x[:, 0] - 0.9]), np.full((3, 2), 0.5), 0.1)
    found = looked(Interval(MonteCarlo(20)), problem)
    assert (found.calls == 20).all()


def test_single_columns_can_be_proved_too():
    module = network(3, 1, seed=2)
    with torch.no_grad():
        module[0].bias -= 5
    found = looked(Interval(MonteCarlo(20)), problem_of(module, np.full((2, 3), 0.5, np.float32), 0.1))
    assert (found.how == PROVED).all() or (found.failures == 0).all()
