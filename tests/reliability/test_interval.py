"""Interval proves cells that sampling cannot break, and hands on exactly the others."""

import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.reliability.worlds import asked
from torch import nn

from surefoot.core import InvalidInput
from surefoot.executors import Processes, Serial
from surefoot.reliability import Grid, Interval, LocalEstimator, LocalProblem, LocalRisk, MonteCarlo

PROVED, SAMPLED = LocalRisk.PROVED, LocalRisk.SAMPLED
VOTE = LocalProblem.VOTE

X, Y = make_moons(600, noise=0.1, random_state=0)
DOMAIN = [(-1.6, 2.6), (-1.1, 1.6)]


def problem_of(model, *, cells=50, labels=None, domain=DOMAIN):
    decide = asked(model, X, Y, side=1.0, domain=DOMAIN).decide
    grid = Grid(tuple(np.linspace(low, high, cells + 1) for low, high in domain))
    labels = np.full(len(grid), VOTE) if labels is None else labels
    weights = np.full(len(grid), 1 / len(grid))
    return LocalProblem(decide, model, 2, grid, labels, ~np.eye(2, dtype=bool), weights)


@pytest.fixture(scope="module")
def perceptron():
    network = MLPClassifier((32, 32), solver="lbfgs", max_iter=100, alpha=0.01, random_state=0)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        return make_pipeline(StandardScaler(), network).fit(X, Y)


@pytest.fixture(scope="module")
def module():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.ReLU(), nn.Linear(24, 2))
    optimiser = torch.optim.Adam(model.parameters(), 0.02)
    inputs, labels = torch.tensor(X, dtype=torch.float32), torch.tensor(Y)
    for _ in range(150):
        optimiser.zero_grad()
        nn.functional.cross_entropy(model(inputs), labels).backward()
        optimiser.step()
    return model


@dataclass(frozen=True)
class Recording:
    """Sampling that remembers the problems it was given."""

    samples: MonteCarlo = field(default_factory=lambda: MonteCarlo(50, allocation="equal"))
    problems: list[LocalProblem] = field(default_factory=list)

    def estimate(self, problem, *, executor, seed, progress=None):
        self.problems.append(problem)
        return self.samples.estimate(problem, executor=executor, seed=seed, progress=progress)


def sampled_answers(problem, boxes, count):
    """Answers at random points and corners of the chosen boxes, one row each."""
    lower, upper = problem.boxes.corners(boxes)
    points = problem.within.draw(lower, upper, count, np.random.default_rng(0))
    points[:, :4] = np.stack([lower, upper, np.c_[lower[:, 0], upper[:, 1]], np.c_[upper[:, 0], lower[:, 1]]], axis=1)
    return problem.decide(points.reshape(-1, 2)).reshape(len(boxes), count)


@pytest.mark.parametrize("kind", ["perceptron", "module"])
@pytest.mark.parametrize("method", ["linear", "interval"])
def test_most_cells_are_proved_and_sampling_breaks_none(kind, method, request, record_property):
    problem = problem_of(request.getfixturevalue(kind))
    recording = Recording()
    risk = Interval(recording, method=method).estimate(problem, executor=Serial(), seed=0)
    proved = np.flatnonzero(risk.how == PROVED)
    record_property("share of cells proved", len(proved) / len(risk.how))
    assert len(proved) > (0.9 if method == "linear" else 0.7) * len(risk.how)
    answers = sampled_answers(problem, proved, count=100)
    assert (risk.shares[proved, answers.T] == 1).all()


def test_otherwise_receives_exactly_the_unproved_cells(perceptron):
    labels = np.random.default_rng(0).integers(-1, 2, 2500)
    problem, recording = problem_of(perceptron, labels=labels), Recording()
    risk = Interval(recording).estimate(problem, executor=Serial(), seed=3)
    (given,) = recording.problems
    left = np.flatnonzero(risk.how != PROVED)
    assert 0 < len(left) < 250
    np.testing.assert_array_equal(given.boxes.corners(slice(0, None)), problem.boxes.corners(left))
    np.testing.assert_array_equal(given.labels, labels[left])
    np.testing.assert_array_equal(given.weights, problem.weights[left])
    assert given.boxes.dimensions == 2
    direct = recording.samples.estimate(given, executor=Serial(), seed=3)
    for name in ("shares", "labels", "trials", "how"):
        np.testing.assert_array_equal(getattr(risk, name)[left], getattr(direct, name))
    assert (risk.how[left] == SAMPLED).all()


def test_proved_cells_have_certain_shares_and_votes_follow_them(perceptron):
    labels = np.random.default_rng(0).integers(-1, 2, 2500)
    risk = Interval(Recording()).estimate(problem_of(perceptron, labels=labels), executor=Serial(), seed=0)
    proved = risk.how == PROVED
    assert (risk.trials[proved] == 0).all()
    assert (np.sort(risk.shares[proved], axis=1) == [0, 1]).all()
    known = proved & (labels != VOTE)
    assert (risk.labels[known] == labels[known]).all()
    voted = proved & (labels == VOTE)
    assert (risk.shares[voted, risk.labels[voted]] == 1).all()


def test_every_cell_that_sampling_finds_of_one_answer_far_from_the_boundary_is_proved(perceptron):
    problem = problem_of(perceptron, cells=20)
    risk = Interval(Recording(), splits=8).estimate(problem, executor=Serial(), seed=0)
    left = np.flatnonzero(risk.how != PROVED)
    answers = sampled_answers(problem, left, 5000)
    assert (answers.min(axis=1) != answers.max(axis=1)).mean() > 0.95


def test_linear_models_are_proved_exactly_where_the_corners_agree():
    model = LogisticRegression().fit(X, Y)
    problem = problem_of(model)
    risk = Interval(Recording(), splits=0).estimate(problem, executor=Serial(), seed=0)
    corners = sampled_answers(problem, np.arange(2500), 4)
    agree = corners.min(axis=1) == corners.max(axis=1)
    np.testing.assert_array_equal(risk.how == PROVED, agree)


def test_a_wholly_proved_problem_needs_no_sampling(perceptron):
    problem, recording = problem_of(perceptron, cells=3, domain=[(0.0, 0.1), (1.2, 1.3)]), Recording()
    assert (Interval(recording).estimate(problem, executor=Serial(), seed=0).how == PROVED).all()
    assert not recording.problems


def test_processes_give_the_result_of_one_process(perceptron):
    problem = problem_of(perceptron, cells=30)
    here, there = (
        Interval(MonteCarlo(100)).estimate(problem, executor=executor, seed=1) for executor in (Serial(), Processes(2))
    )
    for name in ("shares", "labels", "trials", "how"):
        np.testing.assert_array_equal(getattr(here, name), getattr(there, name))


def test_progress_grows_to_the_number_of_cells(perceptron):
    told = []
    problem = problem_of(perceptron, cells=100)
    Interval(Recording()).estimate(
        problem, executor=Serial(), seed=0, progress=lambda done, total: told.append((done, total))
    )
    assert told == sorted(told)
    assert told[-1] == (10_000, 10_000)
    assert len(told) >= 3


def test_saturated_outputs_are_not_told_apart():
    model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Sigmoid())
    with torch.no_grad():
        model[0].weight[:] = torch.tensor([[100.0, 0.0], [200.0, 0.0]])
    problem = problem_of(model, cells=10, domain=[(1.0, 2.0), (0.0, 1.0)])
    risk = Interval(Recording()).estimate(problem, executor=Serial(), seed=0)
    assert (risk.how == SAMPLED).all()


def test_scores_that_are_equal_as_probabilities_are_not_told_apart():
    model = nn.Linear(2, 2).double()
    with torch.no_grad():
        model.weight[:] = 0
        model.bias[:] = torch.tensor([0.0, 1e-17])
    problem = problem_of(model, cells=5)
    assert (problem.decide(X) == 0).all()
    assert (Interval(Recording()).estimate(problem, executor=Serial(), seed=0).how == SAMPLED).all()


def test_classes_in_another_order_than_the_outputs_are_found_out(perceptron):
    problem = problem_of(perceptron)
    swapped = LocalProblem(**{**vars(problem), "decide": lambda inputs: 1 - problem.decide(inputs)})
    with pytest.raises(InvalidInput, match=r"does not answer as its layers say.*class number"):
        Interval(Recording()).estimate(swapped, executor=Serial(), seed=0)


def test_other_features_or_classes_than_the_model_has_are_refused(perceptron):
    problem = problem_of(perceptron)
    line = LocalProblem(**{**vars(problem), "boxes": Grid((np.linspace(0, 1, 5),))})
    with pytest.raises(InvalidInput, match="takes 2 features and tells 2 classes apart; found boxes with 1 features"):
        Interval(Recording()).estimate(line, executor=Serial(), seed=0)


def test_options_are_checked_and_shown():
    assert repr(Interval()) == f"Interval(otherwise={MonteCarlo()!r}, splits=4, method='linear')"
    assert isinstance(Interval(), LocalEstimator)
    with pytest.raises(InvalidInput, match="Did you mean 'linear'"):
        Interval(method="liner")
    for splits in (-1, 1.5, 21):
        with pytest.raises(InvalidInput, match="splits must be"):
            Interval(splits=splits)
