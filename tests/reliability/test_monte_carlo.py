"""Sampling inside boxes, against models whose risk is known in closed form."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.executors import Checkpointed, Processes, Serial
from surefoot.reliability import Grid, LocalEstimator, LocalProblem, LocalRisk, MonteCarlo, NormalInside
from surefoot.reliability.cells.table import sampling_bound

SAMPLED = LocalRisk.SAMPLED
VOTE = LocalProblem.VOTE

EITHER = ~np.eye(2, dtype=bool)


@dataclass(frozen=True)
class Diagonal:
    """Class 1 above the line x + y = level; shares of boxes in closed form."""

    level: float = 0.97

    def __call__(self, points):
        return (points.sum(axis=1) > self.level).astype(np.int64)

    def shares(self, boxes):
        lower, upper = boxes.corners(slice(None))

        def corner(x, y):
            return np.maximum(self.level - x - y, 0) ** 2 / 2

        below = corner(*lower.T) - corner(upper[:, 0], lower[:, 1]) - corner(lower[:, 0], upper[:, 1])
        zero = np.clip((below + corner(*upper.T)) / (upper - lower).prod(axis=1), 0, 1)
        return np.column_stack([zero, 1 - zero])


@dataclass(frozen=True)
class Speckled:
    """Class 1 in thin stripes, a small share of every box that a first look seldom finds."""

    share: float
    stripes: int

    def __call__(self, points):
        return (points[:, 0] * self.stripes % 1 < self.share).astype(np.int64)

    def shares(self, boxes):
        return np.tile([1 - self.share, self.share], (len(boxes), 1))


def problem_of(model, cells, *, labels=None):
    boxes = Grid.of((0, 1), 1 / cells, dimensions=2)
    weights = np.linspace(0.2, 2, len(boxes))
    known = np.full(len(boxes), VOTE) if labels is None else labels
    return LocalProblem(model, model, 2, boxes, known, EITHER, weights / weights.sum())


def true_risk(problem, found):
    shares = problem.model.shares(problem.boxes)
    return replace(found, shares=shares).risk(problem.undesired)


def standard_error(problem, risk, trials):
    return float(np.sqrt(problem.weights**2 @ (risk * (1 - risk) / trials)))


def estimated(method, problem, seed=0, **options):
    return method.estimate(problem, executor=options.pop("executor", Serial()), seed=seed, **options)


@pytest.mark.parametrize("allocation", ["equal", "sequential"])
def test_shares_are_those_of_the_model_up_to_binomial_error(allocation):
    problem = problem_of(Diagonal(), 12)
    found = estimated(MonteCarlo(400, allocation=allocation), problem)
    truth = Diagonal().shares(problem.boxes)
    ones = np.rint(found.shares[:, 1] * found.trials).astype(int)
    p_values = [stats.binomtest(k, n, p).pvalue for k, n, p in zip(ones, found.trials, truth[:, 1], strict=True)]
    assert min(p_values) > 1e-5
    assert (found.how == SAMPLED).all()
    np.testing.assert_array_equal(
        found.labels[abs(truth[:, 1] - 0.5) > 0.1], truth.argmax(axis=1)[abs(truth[:, 1] - 0.5) > 0.1]
    )


def test_equal_allocation_draws_the_same_number_everywhere():
    found = estimated(MonteCarlo(50, allocation="equal"), problem_of(Diagonal(), 5))
    assert (found.trials == 50).all()


def test_sequential_allocation_reaches_the_precision_of_equal_with_a_fraction_of_the_points():
    problem = problem_of(Diagonal(), 80)
    method = MonteCarlo(2000)
    found = estimated(method, problem, seed=4)
    risk = true_risk(problem, found)
    equal = standard_error(problem, risk, np.full(len(risk), 2000))
    assert standard_error(problem, risk, found.trials) <= equal
    assert found.trials.sum() + method.pilot * len(risk) < 2000 * len(risk) / 15


def test_close_votes_get_more_points_until_they_are_right():
    problem = problem_of(Speckled(0.48, 20), 20)
    wrong = {samples: estimated(MonteCarlo(samples), problem).labels.mean() for samples in (32, 4000)}
    assert wrong[32] > 0.3
    assert wrong[4000] < 0.02


WORLDS = {
    "diagonal": (Diagonal(), None),
    "rare everywhere": (Speckled(0.004, 36), None),
    "very rare everywhere": (Speckled(0.0002, 36), None),
    "wrong in whole boxes": (Diagonal(), np.arange(144) % 2),
}


@pytest.mark.parametrize("world", WORLDS)
def test_bounds_cover_after_sequential_allocation(world):
    model, labels = WORLDS[world]
    problem = problem_of(model, 12, labels=labels)
    repetitions, covered = 200, {(level, side): 0 for level in (0.95, 0.975) for side in ("upper", "lower")}
    for seed in range(repetitions):
        found = estimated(MonteCarlo(200, pilot=16, resolution=1e-4), problem, seed=seed)
        failures = np.rint(found.risk(EITHER) * found.trials)
        truth = problem.weights @ true_risk(problem, found)
        for level, side in covered:
            limit = sampling_bound(problem.weights, failures, found.trials, level=level, side=side)
            covered[level, side] += limit >= truth - 1e-12 if side == "upper" else limit <= truth + 1e-12
    for (level, _), count in covered.items():
        assert count / repetitions >= level - 2 * np.sqrt(level * (1 - level) / repetitions)


def test_the_estimate_is_unbiased_given_the_first_look():
    problem = problem_of(Diagonal(), 12)
    errors, variances = [], []
    for seed in range(200):
        found = estimated(MonteCarlo(100, pilot=8), problem, seed=seed)
        risk = true_risk(problem, found)
        errors.append(problem.weights @ (found.risk(EITHER) - risk))
        variances.append(standard_error(problem, risk, found.trials) ** 2)
    standard = np.array(errors) / np.sqrt(variances)
    assert abs(standard.mean()) < 3 / np.sqrt(200)
    assert standard.std() == pytest.approx(1, abs=3 / np.sqrt(400))


@pytest.mark.parametrize("allocation", ["equal", "sequential"])
def test_processes_and_a_resumed_run_give_the_numbers_of_serial(allocation, tmp_path):
    problem, method = problem_of(Diagonal(), 60), MonteCarlo(100, allocation=allocation)
    serial = estimated(method, problem, seed=9)
    others = [estimated(method, problem, seed=9, executor=e) for e in (Processes(2), Checkpointed(Serial(), tmp_path))]
    others.append(estimated(method, problem, seed=9, executor=Checkpointed(Serial(), tmp_path)))
    for other in others:
        for name in ("shares", "labels", "trials"):
            np.testing.assert_array_equal(getattr(other, name), getattr(serial, name))
    assert not np.array_equal(estimated(method, problem, seed=10).shares, serial.shares)


def test_progress_rises_to_all_boxes():
    seen = []
    estimated(MonteCarlo(100), problem_of(Diagonal(), 80), progress=lambda *at: seen.append(at))
    assert seen == sorted(seen)
    assert seen[-1] == (6400, 6400)


def test_the_distribution_inside_boxes_is_followed():
    problem = replace(problem_of(Speckled(0.25, 2), 2), within=NormalInside(0.1))
    found = estimated(MonteCarlo(4000, allocation="equal"), problem)
    lower, upper = problem.boxes.corners(slice(None))
    high = np.column_stack([lower[:, 0] + 0.125, upper[:, 1]])
    np.testing.assert_allclose(found.shares[:, 1], NormalInside(0.1).share(lower, upper, lower, high), atol=0.01)


def test_only_undesired_answers_direct_the_points():
    problem = replace(problem_of(Diagonal(), 20), undesired=np.zeros((2, 2), bool))
    assert estimated(MonteCarlo(5000, resolution=1e-3), problem).trials.max() < 10


def test_one_class_is_always_right():
    one = LocalProblem(
        lambda x: np.zeros(len(x), int),
        None,
        1,
        Grid.of((0, 1), 0.5, dimensions=1),
        np.array([VOTE, 0]),
        np.zeros((1, 1), bool),
        np.ones(2),
    )
    assert estimated(MonteCarlo(), one).shares.tolist() == [[1.0], [1.0]]


def test_answers_that_are_no_class_are_refused():
    for answer, found in [
        (lambda x: np.full(len(x), 2), "class 2 to 2"),
        (lambda x: np.full(len(x), -1), "class -1"),
        (lambda x: np.full(len(x), np.nan), "type float64"),
        (lambda x: np.zeros((len(x), 2), int), "shape"),
        (lambda x: np.zeros(3, int), "shape"),
    ]:
        problem = replace(problem_of(Diagonal(), 4), decide=answer)
        with refused(found, InvalidInput, match=f"one class number from 0 to 1.*{found}"):
            estimated(MonteCarlo(), problem)


def test_a_distribution_that_gives_other_shapes_is_refused():
    class Odd:
        def draw(self, lower, upper, count, rng):
            return lower

        def share(self, lower, upper, low, high):
            return np.ones(len(lower))

    with pytest.raises(InvalidInput, match=r"shape \(boxes, count, dimensions\)"):
        estimated(MonteCarlo(), replace(problem_of(Diagonal(), 4), within=Odd()))


def test_options_that_make_no_sense_are_refused():
    for options in [{"samples": 1}, {"samples": 2.5}, {"pilot": 0}, {"allocation": "sequental"}, {"resolution": 0.0}]:
        with refused(options, InvalidInput, match=next(iter(options))):
            MonteCarlo(**options)


def test_it_is_a_local_estimator_whose_text_shows_its_options():
    assert isinstance(MonteCarlo(), LocalEstimator)
    assert repr(MonteCarlo(500)).startswith("MonteCarlo(samples=500, allocation='sequential'")


def test_some_corners_of_boxes_are_looked_at_first():
    for dimensions, corners in ((2, 4), (9, 8)):
        points = []

        def decide(x, points=points):
            points.append(x)
            return (x[:, 0] > 0.5).astype(int)

        boxes = Grid.of((0, 1), 1.0, dimensions=dimensions)
        problem = LocalProblem(decide, None, 2, boxes, np.array([VOTE]), EITHER, np.ones(1))
        found = estimated(MonteCarlo(2000), problem)
        asked = np.concatenate(points)
        assert np.isin(asked, (0, 1)).all(axis=1).sum() == corners, dimensions
        assert found.shares[0, 1] == pytest.approx(0.5, abs=0.06), dimensions


@dataclass(frozen=True)
class Shares:
    """Class 1 in a share of each unit of the first feature, another one in each box."""

    shares: tuple[float, ...]

    def __call__(self, points):
        box = np.minimum(points[:, 0].astype(int), len(self.shares) - 1)
        return (points[:, 0] - box < np.array(self.shares)[box]).astype(np.int64)


def in_a_row(shares, weights):
    """Boxes side by side, each labelled 0 and failing in its share."""
    model, boxes = Shares(shares), Grid((np.arange(len(shares) + 1.0),))
    return LocalProblem(model, model, 2, boxes, np.zeros(len(shares), int), EITHER, np.asarray(weights))


def test_allocation_is_that_of_neyman_where_the_look_was_long():
    risks, weights = np.array([0.5, 0.1, 0.02]), np.array([0.2, 0.3, 0.5])
    trials = estimated(MonteCarlo(1000, pilot=200_000, resolution=1e-6), in_a_row(tuple(risks), weights)).trials
    spread = weights * np.sqrt(risks * (1 - risks))
    np.testing.assert_allclose(trials / trials.sum(), spread / spread.sum(), rtol=0.12)
    assert weights**2 @ (risks * (1 - risks) / trials) <= weights**2 @ (risks * (1 - risks)) / 1000


def test_no_failure_of_a_settled_box_moves_the_result_by_more_than_the_resolution():
    weights = np.random.default_rng(0).dirichlet(np.ones(1000))
    trials = estimated(MonteCarlo(10_000, resolution=1e-5), in_a_row((0.0,) * 1000, weights)).trials
    assert (weights / trials).max() <= 1e-5
    assert trials.sum() < 1.2e5
