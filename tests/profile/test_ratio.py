import re

import numpy as np
import pytest
from tests.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.profile import density_ratio


def shifted(rows, seed, features=2, shift=0.7, scale=1.0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, features)), scale * rng.normal(size=(rows, features)) + shift


def true_ratio(points, shift, scale=1.0):
    logs = (points**2 - ((points - shift) / scale) ** 2).sum(axis=1) / 2 - points.shape[1] * np.log(scale)
    return np.exp(logs)


@pytest.mark.parametrize("features", ["linear", "quadratic", "rbf"])
def test_weights_of_a_normal_shift_are_the_true_ratio(features):
    ours, theirs = shifted(8000, 0)
    found = density_ratio(ours, theirs, features=features, draws=0)
    truth = true_ratio(ours, 0.7)
    assert found.weights.mean() == pytest.approx(1)
    assert np.corrcoef(np.log(found.weights), np.log(truth))[0, 1] > 0.95
    assert np.mean(np.abs(found.weights - truth)) < 0.12


def test_a_change_of_spread_needs_squares():
    ours, theirs = shifted(8000, 1, shift=0.0, scale=0.6)
    truth = true_ratio(ours, 0.0, 0.6)
    errors = {
        name: np.mean(np.abs(density_ratio(ours, theirs, features=name, draws=0).weights - truth))
        for name in ("linear", "quadratic")
    }
    assert errors["quadratic"] < 0.1 < 0.5 < errors["linear"]


def test_weighted_means_are_those_of_operation():
    ours, theirs = shifted(5000, 2)
    found = density_ratio(ours, theirs, draws=0)
    check = found.balance()
    assert found.weights @ ours / 5000 == pytest.approx(theirs.mean(axis=0), abs=0.08)
    assert check.status == "supported"
    assert check.figures["before"] > 0.5 > 0.15 > check.figures["after"]


def test_imbalance_that_remains_contradicts():
    ours, theirs = shifted(5000, 3, shift=0.0, scale=0.5)
    assert density_ratio(ours, theirs, features="linear", draws=0).balance().status == "contradicted"


def test_new_rows_weigh_what_the_data_weigh():
    ours, theirs = shifted(4000, 4)
    found = density_ratio(ours, theirs, draws=0)
    fresh = np.random.default_rng(5).normal(size=(4000, 2))
    assert found.weigh(fresh).mean() == pytest.approx(1, abs=0.1)
    assert np.mean(np.abs(found.weigh(fresh) - true_ratio(fresh, 0.7))) < 0.12


def test_a_row_far_away_weighs_no_more_than_any_seen():
    ours, theirs = shifted(500, 6)
    found = density_ratio(ours, theirs, draws=0)
    scale = np.exp(found.limits[1] - found.held_out[0]) * found.weights[0]
    assert found.weigh([[1e4, 1e4]])[0] <= scale * (1 + 1e-9)


def test_draws_spread_as_weights_of_fresh_data_do():
    """The bootstrap against data sets drawn anew: spread of the logarithm of weights at fixed places."""
    places = np.array([[0.0, 0.0], [1.0, 1.0], [-1.0, 0.5]])
    again = []
    for seed in range(60):
        ours, theirs = shifted(400, 100 + seed)
        again.append(np.log(density_ratio(np.vstack([places, ours]), theirs, folds=2, draws=0).weigh(places)))
    ours, theirs = shifted(400, 7)
    found = density_ratio(np.vstack([places, ours]), theirs, draws=80)
    drawn = found.weight_draws(400, np.random.default_rng(8))
    assert drawn.mean(axis=1) == pytest.approx(np.ones(400))
    spread, truth = np.log(drawn[:, :3]).std(axis=0), np.std(again, axis=0)
    assert spread == pytest.approx(truth, rel=0.5)


def test_draws_cover_the_true_mean_in_operation():
    """Mean of a function in operation by weighted data, with the spread of weights and of rows."""
    covered = 0
    for seed in range(40):
        ours, theirs = shifted(500, 200 + seed, features=1)
        found = density_ratio(ours, theirs, draws=25, seed=seed)
        value = (ours[:, 0] > 1).astype(float)
        mean = np.mean(found.weights * value)
        drawn = found.weight_draws(100, np.random.default_rng(seed)) @ value / 500
        error = np.sqrt(drawn.var() + np.var(found.weights * (value - mean)) / 500)
        covered += abs(mean - 0.38209) < 1.96 * error
    assert covered >= 34


def test_separate_sets_collapse_and_say_so():
    ours, theirs = shifted(400, 9, shift=4.0)
    found = density_ratio(ours, theirs, draws=0)
    assert [caveat.severity for caveat in found.caveats] == ["note", "warning"]
    assert found.effective_rows < 40
    assert found.weight_draws(3, np.random.default_rng(0)) is None


def test_equal_sets_keep_nearly_all_rows():
    ours, theirs = shifted(2000, 10, shift=0.0)
    found = density_ratio(ours, theirs, draws=0)
    assert found.effective_rows > 1950
    assert [caveat.severity for caveat in found.caveats] == ["note"]


def test_the_same_seed_gives_the_same_weights():
    ours, theirs = shifted(200, 11)
    one, other = (density_ratio(ours, theirs, draws=3, seed=5) for _ in range(2))
    assert (one.weights == other.weights).all()
    assert (one.resampled == other.resampled).all()


def test_a_constant_feature_does_no_harm():
    ours, theirs = shifted(500, 12)
    ours, theirs = (np.hstack([rows, np.ones((500, 1))]) for rows in (ours, theirs))
    found = density_ratio(ours, theirs, draws=2)
    assert np.isfinite(found.weights).all()
    assert found.balance().status == "supported"


def test_bad_input_is_refused():
    for ours, theirs, options, message in (
        (np.zeros((3, 1)), np.zeros((50, 1)), {}, "at least 10 rows"),
        (np.zeros((50, 2)), np.zeros((50, 1)), {}, "2 features"),
        (np.full((50, 1), np.nan), np.zeros((50, 1)), {}, "finite"),
        (np.zeros((50, 1)), np.zeros((50, 1)), {"features": "cubic"}, "features"),
    ):
        assert re.search(message, refusal(InvalidInput, density_ratio, ours, theirs, **options)), (
            ours,
            theirs,
            options,
            message,
        )
