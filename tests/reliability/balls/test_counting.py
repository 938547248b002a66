"""Counting failures in balls is binomial, for every kind of model."""

import math

import numpy as np
import pytest
import torch
from scipy.stats import binomtest, chi2
from tests.reliability.balls.ball_problems import (
    ANY,
    as_function,
    digests,
    looked,
    network,
    problem_of,
    repeated,
    with_risk,
)

from surefoot.core import DiagnosticsError
from surefoot.reliability import BallRisks, MonteCarlo
from surefoot.reliability.rare_events import splitting
from surefoot.testing import linear_world

COUNTED, PROVED = BallRisks.COUNTED, BallRisks.PROVED


@pytest.mark.parametrize("kind", ["single", "double", "function"])
@pytest.mark.parametrize("probability", [0.3, 0.01])
def test_counts_are_binomial(kind, probability):
    box = linear_world(5, probability, seed=1, single=kind == "single")
    truth, samples, repeats = math.exp(box.log_probability), 1500, 200
    found = looked(MonteCarlo(samples), repeated(box, repeats, kind))
    assert (found.how == COUNTED).all()
    assert (found.trials == samples).all()
    assert (found.calls == samples).all()
    np.testing.assert_allclose(found.risk, found.failures / samples)
    assert binomtest(int(found.failures.sum()), samples * repeats, truth).pvalue > 1e-3
    scatter = ((found.failures - samples * truth) ** 2).sum() / (samples * truth * (1 - truth))
    assert 1e-3 < chi2(repeats).cdf(scatter) < 1 - 1e-3
    low, high = found.interval(0.95)
    held = int(((low <= truth) & (truth <= high)).sum())
    assert binomtest(held, repeats, 0.95, alternative="less").pvalue > 1e-3


def labels_only(inputs):
    return np.where(inputs.sum(1) > 0.7, "stop", "go")


def numbers(inputs):
    return (inputs.sum(1) > 0.7).astype(int)


def test_labels_are_counted():
    centres = np.tile([0.25, 0.25], (100, 1))
    problem = problem_of(labels_only, centres, 0.25, returns="label", decide=numbers)
    found = looked(MonteCarlo(500), problem)
    # The corner beyond x + y = 0.7 of the square of side 0.5.
    assert binomtest(int(found.failures.sum()), 100 * 500, 0.3**2 / 2 / 0.25).pvalue > 1e-3


def test_only_undesired_labels_count():
    centres = np.tile([0.25, 0.25], (2, 1))
    undesired = np.array([[False, True], [False, False]])
    problem = problem_of(
        labels_only, centres, 0.25, labels=[0, 1], undesired=undesired, returns="label", decide=numbers
    )
    found = looked(MonteCarlo(500), problem)
    assert found.how.tolist() == [COUNTED, PROVED]
    assert found.failures[0] > 20
    assert found.calls.tolist() == [500, 0]


@pytest.mark.parametrize("kind", ["torch", "function"])
def test_counts_depend_on_the_ball_and_the_seed_alone(kind, monkeypatch):
    module = network(6, 13, 2, seed=2, dtype=torch.float64)
    centres = np.random.default_rng(0).random((20, 6))
    with_risk(module, centres[0], 0.3, 0.3, undesired=ANY, label=0, seed=1, count=10_000)

    problem = problem_of(module if kind == "torch" else as_function(module), centres, 0.3)
    everything = looked(MonteCarlo(1203), problem)
    assert len(set(everything.failures.tolist())) > 5
    chosen = np.array([19, 3, 3, 8])
    assert digests(looked(MonteCarlo(1203), problem, chosen)) == digests(everything.take(chosen))
    monkeypatch.setattr(splitting, "CACHED_VALUES", 1)
    monkeypatch.setattr(splitting, "IN_MEMORY", 3)
    assert digests(looked(MonteCarlo(1203), problem)) == digests(everything)
    assert digests(looked(MonteCarlo(1203), problem, seed=5)) != digests(everything)


def test_scores_that_are_no_numbers_are_refused():
    function = lambda x: np.where(x[:, :1] > 0.6, np.nan, x[:, :2])  # noqa: E731
    with pytest.raises(DiagnosticsError, match="NaN or infinity"):
        looked(MonteCarlo(200), problem_of(function, np.full((1, 2), 0.5), 0.2, undesired=ANY))


def test_memory_that_runs_out_is_answered_with_fewer_points_at_once():
    left = [3]

    def short(inputs):
        if len(inputs) > 1 and left[0]:
            left[0] -= 1
            raise MemoryError("Unable to allocate 3.0 GiB for an array")
        return box.scores(inputs)

    box = linear_world(4, 0.2, seed=1)
    found = looked(MonteCarlo(300), problem_of(short, np.tile(box.centre, (5, 1)), box.radius))
    assert left == [0]
    assert digests(found) == digests(looked(MonteCarlo(300), repeated(box, 5, "function")))
