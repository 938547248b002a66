import numpy as np
import pytest
from scipy import stats

from surefoot.core import InvalidInput, LogNormal, Normal, Undefined
from surefoot.profile import Region, StatedWeights, effective_rows, expert_weights, lognormal_weight

RNG = np.random.default_rng(0)
X = RNG.random((1000, 2))
Y = np.repeat(["day", "night"], [500, 500])


def test_shares_of_classes_become_those_of_operation():
    found = expert_weights(X, Y, counts={"day": 90_000, "night": 10_000})
    assert found.weights.mean() == pytest.approx(1)
    assert found.weights[Y == "night"].sum() / 1000 == pytest.approx(0.1, abs=1e-4)


def test_counts_draw_shares_from_a_dirichlet_distribution():
    found = expert_weights(X, Y, counts={"day": 17, "night": 3})
    drawn = found.weight_draws(20_000, np.random.default_rng(1))
    shares = drawn[:, Y == "night"].sum(axis=1) / 1000
    truth = stats.beta(3.5, 17.5)
    assert drawn.mean(axis=1) == pytest.approx(np.ones(20_000))
    assert stats.kstest(shares, truth.cdf).pvalue > 1e-3


def test_factors_of_classes_are_relative():
    found = expert_weights(X, Y, classes={"night": 3.0})
    assert set(np.round(found.weights, 12)) == {0.5, 1.5}
    assert found.weigh(X[:2], ["night", "dusk"]) == pytest.approx([1.5, 0.5])
    assert found.weight_draws(5, np.random.default_rng(0)) is None


def test_prior_shift_recovers_the_risk_in_operation():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 2, 20_000)
    failed = rng.random(20_000) < np.where(labels == 1, 0.2, 0.01)
    weights = expert_weights(labels, labels, counts={0: 95_000, 1: 5000}).weights
    assert np.mean(weights * failed) == pytest.approx(0.95 * 0.01 + 0.05 * 0.2, abs=3e-3)


def test_regions_weigh_what_lies_inside_the_first_that_holds_it():
    regions = [Region([0, 0], [0.5, 1], 4.0), Region([0, 0], [1, 1], 2.0)]
    found = expert_weights(X, regions=regions)
    left = X[:, 0] <= 0.5
    assert found.weights[left].mean() / found.weights[~left].mean() == pytest.approx(2)
    outside, inside = found.weigh([[2.0, 0.5], [0.5, 1.0]])
    assert inside / outside == pytest.approx(4)


def test_unbounded_regions_name_some_features_only():
    found = expert_weights(X, regions=[Region([-np.inf, 0.5], [np.inf, np.inf], 0.0)])
    assert ((found.weights == 0) == (X[:, 1] >= 0.5)).all()


def test_draws_of_an_uncertain_weight_have_its_spread():
    found = expert_weights(X, Y, classes={"night": lognormal_weight(2.0, sd=0.8)})
    drawn = found.weight_draws(40_000, np.random.default_rng(3))
    ratio = drawn[:, -1] / drawn[:, 0]
    assert (ratio.mean(), ratio.std()) == (pytest.approx(2.0, rel=0.02), pytest.approx(0.8, rel=0.05))


def test_error_factor_is_that_of_data_books():
    found = lognormal_weight(2.0, error_factor=3.0)
    assert (float(found.ppf(0.5)), float(found.ppf(0.95))) == (pytest.approx(2.0), pytest.approx(6.0))
    assert isinstance(found, LogNormal)


def test_effective_rows_are_those_of_kish():
    assert effective_rows([1, 1, 1, 1]) == pytest.approx(4)
    assert effective_rows([1, 2, 3, 4]) == pytest.approx(100 / 30)


def test_a_collapse_is_said():
    found = expert_weights(X, regions=[Region([0, 0], [0.02, 1], 10_000.0)])
    assert [caveat.code for caveat in found.caveats] == ["weights-estimated"]
    assert expert_weights(X, Y, classes={"day": 2.0}).caveats == ()


def test_stated_weights_have_the_stated_relative_spread():
    found = StatedWeights.of([1.0, 3.0] * 500, uncertainty=0.3)
    drawn = found.weight_draws(4000, np.random.default_rng(4))
    assert found.weights[:2] == pytest.approx([0.5, 1.5])
    assert drawn.std(axis=0)[:2] / found.weights[:2] == pytest.approx([0.3, 0.3], rel=0.1)
    with pytest.raises(Undefined, match="other rows"):
        found.weigh([[0.0]])


def test_stated_draws_are_drawn():
    draws = np.array([[1.0, 3.0], [1.0, 1.0]])
    drawn = StatedWeights.of([1.0, 2.0], uncertainty=draws).weight_draws(50, np.random.default_rng(5))
    assert {tuple(row) for row in drawn} == {(0.5, 1.5), (1.0, 1.0)}


def test_bad_statements_are_refused():
    for given, message in (
        ({}, "one of three"),
        ({"classes": {"day": 1.0}, "counts": {"day": 1}}, "one of three"),
        ({"classes": {"dawn": 2.0}}, "'dawn'"),
        ({"classes": {"day": -1.0}}, "below 0"),
        ({"classes": {"day": Normal(1.0, 1.0)}}, "below 0"),
        ({"counts": {"day": -3}}, "at least 0"),
        ({"regions": [Region([0], [1], 2.0)]}, "1 features"),
        ({"classes": {"day": 0.0, "night": 0.0}}, "not all 0"),
    ):
        with pytest.raises(InvalidInput, match=message):
            _ = expert_weights(X, Y, **given).weights


def test_classes_need_labels():
    with pytest.raises(InvalidInput, match="need labels"):
        expert_weights(X, classes={"day": 2.0})
    with pytest.raises(InvalidInput, match="need labels"):
        expert_weights(X, Y, classes={"day": 2.0}).weigh(X)


def test_a_region_upside_down_is_refused():
    with pytest.raises(InvalidInput, match="lower not above upper"):
        Region([1, 0], [0, 1], 2.0)
