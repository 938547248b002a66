"""Margins from scores of every kind, from torch and from anything else."""

import numpy as np
import pytest
import torch
from tests.refusals import refused
from tests.reliability.balls.ball_problems import as_function, network, problem_of

from surefoot.core import DiagnosticsError
from surefoot.reliability.rare_events.margins import HostMargins, TorchMargins, best_margins, margins_of

POINTS = np.random.default_rng(0).random((3, 20, 4))
BALLS = np.arange(3)
THREE = ~np.eye(3, dtype=bool)
nn = torch.nn


def expected(scores, undesired):
    """The best undesired score less the best allowed one, one point at a time."""
    return max(s for s, bad in zip(scores, undesired, strict=True) if bad) - max(
        s for s, bad in zip(scores, undesired, strict=True) if not bad
    )


def centres(dtype=np.float32):
    return np.full((3, 4), 0.5, dtype)


def test_a_margin_is_the_best_undesired_score_less_the_best_allowed_one():
    for as_given in [lambda m: m, as_function]:
        for undesired in [THREE, np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0]], bool)]:
            module = network(4, 6, 3, seed=0, dtype=torch.float64)
            labels = np.array([0, 1, 2])
            found = margins_of(problem_of(as_given(module), centres(), 0.5, labels=labels, undesired=undesired))(
                BALLS, POINTS
            )
            with torch.no_grad():
                scores = module(torch.as_tensor(POINTS)).numpy()
            for ball in range(3):
                for point in range(20):
                    assert found[ball, point] == pytest.approx(
                        expected(scores[ball, point], undesired[labels[ball]])
                    ), as_given


def test_probabilities_have_the_margins_of_their_logits():
    module = network(4, 6, 3, seed=1, dtype=torch.float64)
    soft = nn.Sequential(module, nn.Softmax(1))
    logits, chances = (
        margins_of(problem_of(m, centres(), 0.5, undesired=THREE, returns=returns))(BALLS, POINTS)
        for m, returns in ((module, "logit"), (soft, "probability"))
    )
    np.testing.assert_allclose(logits, chances, rtol=1e-9)


@pytest.mark.parametrize("label", [0, 1])
def test_a_single_column_is_the_second_of_two(label):
    module = network(4, 6, 1, seed=2, dtype=torch.float64)
    chance = nn.Sequential(module, nn.Sigmoid())
    options = {"labels": np.full(3, label)}
    found = margins_of(problem_of(module, centres(), 0.5, **options))(BALLS, POINTS)
    same = margins_of(problem_of(chance, centres(), 0.5, returns="probability", **options))(BALLS, POINTS)
    flat = margins_of(problem_of(lambda x: as_function(module)(x)[:, 0], centres(), 0.5, **options))(BALLS, POINTS)
    with torch.no_grad():
        decision = module(torch.as_tensor(POINTS))[..., 0].numpy()
    np.testing.assert_allclose(found, decision if label == 0 else -decision)
    np.testing.assert_allclose(same, found, rtol=1e-9)
    np.testing.assert_allclose(flat, found)


def test_whole_numbers_are_scores_too():
    votes = lambda x: np.stack([(x < 0.5).sum(1), (x >= 0.5).sum(1)], axis=1)  # noqa: E731
    found = margins_of(problem_of(votes, centres(), 0.5, returns="score"))(BALLS, POINTS)
    np.testing.assert_array_equal(found, (POINTS >= 0.5).sum(2) * 2 - 4)
    sure = margins_of(problem_of(lambda x: 1 * (votes(x) > 2), centres(), 0.5, returns="probability"))(BALLS, POINTS)
    assert np.isfinite(sure).all()


def test_columns_may_come_in_another_order():
    module = network(4, 6, 3, seed=3)
    labels, order = np.array([2, 0, 1]), (2, 0, 1)
    plain = problem_of(module, centres(), 0.5, labels=labels, undesired=THREE)
    # Class c is to be found in column order[c].
    moved = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        moved.weight.zero_()
        moved.weight[list(order), range(3)] = 1
    other = problem_of(nn.Sequential(module, moved), centres(), 0.5, labels=labels, undesired=THREE, columns=order)
    np.testing.assert_allclose(margins_of(plain)(BALLS, POINTS), margins_of(other)(BALLS, POINTS), rtol=1e-6)


@pytest.mark.parametrize("as_given", [lambda m: m, as_function], ids=["torch", "numpy"])
def test_the_slope_of_a_linear_model_is_its_weights(as_given):
    module = network(4, 2, seed=5, dtype=torch.float64)
    margins = best_margins(problem_of(as_given(module), centres(np.float64), 0.5))
    slope = margins.arrays.host(margins.slope(BALLS, margins.arrays.of(POINTS)))
    weight = module[0].weight.detach().numpy()
    np.testing.assert_allclose(slope, np.tile(weight[1] - weight[0], (3, 1)), rtol=1e-6)


def test_the_slope_without_gradients_is_near_the_one_with_them():
    module = network(4, 30, 2, seed=6, dtype=torch.float64)
    both = [best_margins(problem_of(m, centres(np.float64), 0.5)) for m in (module, as_function(module))]
    with_them, without = (m.arrays.host(m.slope(BALLS, m.arrays.of(POINTS))) for m in both)
    assert [np.corrcoef(a, b)[0, 1] > 0.9 for a, b in zip(with_them, without, strict=True)] == [True] * 3


def test_the_slope_is_sought_inside_the_ball():
    asked = []
    function = lambda x: (asked.append(x), np.zeros((len(x), 2)))[1]  # noqa: E731
    problem = problem_of(function, np.array([[0.0, 1.0, 0.5, 0.99]]), 0.25)
    low, high = problem.balls.corners(np.array([0]))
    rng = np.random.default_rng(0)
    for share in (rng.beta(0.05, 2, (1, 50, 4)), rng.beta(2, 0.05, (1, 50, 4)), rng.integers(0, 2, (1, 50, 4))):
        HostMargins(problem).slope(np.array([0]), low + (high - low) * share)
    rows = np.concatenate(asked)
    assert (rows >= low).all()
    assert (rows <= high).all()


class Guarded(nn.Module):
    """Answers without letting gradients through."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, inputs):
        with torch.no_grad():
            return self.module(inputs)


def test_a_torch_module_that_forbids_gradients_is_asked_as_any_function():
    module = network(4, 6, 2, seed=7)
    assert isinstance(best_margins(problem_of(module, centres(), 0.5)), TorchMargins)
    assert isinstance(best_margins(problem_of(Guarded(module), centres(), 0.5)), HostMargins)


def test_weights_of_half_precision_do_not_make_particles_so():
    margins = best_margins(problem_of(network(4, 6, 2, seed=7, dtype=torch.float16), centres(), 0.5))
    assert margins.arrays.dtype == np.float32
    assert np.isfinite(margins(BALLS, POINTS.astype(np.float32))).all()


class Rooted(nn.Module):
    """Its gradient is no number where an input is 0."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, inputs):
        root = (inputs * self.scale).relu().sqrt().sum(1)
        return torch.stack([0 * root, root], dim=1)


def test_a_gradient_that_is_no_number_says_nothing():
    margins = best_margins(problem_of(Rooted(), centres(), 0.5))
    points = torch.tensor([[[0.0, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]])
    np.testing.assert_allclose(margins.slope(np.array([0]), points), [[0.5, 1, 1, 1]])


def test_scores_that_are_no_numbers_are_refused():
    class Spoilt(nn.Module):
        def __init__(self, bad):
            super().__init__()
            self.inner, self.bad = network(4, 2, seed=8), bad

        def forward(self, x):
            return torch.where(x.sum(1, keepdim=True) > 2.5, self.bad, self.inner(x))

    for bad in (np.nan, np.inf, -np.inf):
        for kind, model in (("torch", Spoilt(bad)), ("numpy", as_function(Spoilt(bad)))):
            with refused((bad, kind), DiagnosticsError, match="NaN or infinity"):
                margins_of(problem_of(model, centres(), 0.5))(BALLS, POINTS)


def test_each_ball_is_asked_about_alone():
    asked = []
    function = lambda x: (asked.append(len(x)), np.zeros((len(x), 2)))[1]  # noqa: E731
    margins_of(problem_of(function, centres(), 0.5))(BALLS, POINTS)
    assert asked[-3:] == [20, 20, 20]


def test_training_mode_and_threads_come_back():
    module = nn.Sequential(network(4, 6, 2, seed=9), nn.Dropout(0.5)).train()
    threads = torch.get_num_threads()
    margins = best_margins(problem_of(module, centres(), 0.5))
    with margins.prepared():
        first, second = (margins(BALLS, margins.arrays.of(POINTS)) for _ in range(2))
        assert not module.training
    assert torch.equal(first, second)
    assert module.training
    assert module[1].training
    assert torch.get_num_threads() == threads
