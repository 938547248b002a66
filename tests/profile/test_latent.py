import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.neighbors import KernelDensity

from surefoot.core import InvalidInput
from surefoot.profile import LatentWeights, latent_weights


def as_is(X):
    return np.asarray(X, float)


def rows(count, dimensions=3, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(shift, 1, (count, dimensions))


def test_each_row_is_left_out_of_its_own_density():
    X = rows(40)
    weights = latent_weights(as_is, X, bandwidth=0.6)
    truth = [KernelDensity(bandwidth=0.6).fit(np.delete(X, i, 0)).score_samples(X[i : i + 1])[0] for i in range(40)]
    assert weights.log_density == pytest.approx(truth)
    assert weights.values == pytest.approx(np.exp(truth) / np.mean(np.exp(truth)))


def test_the_rule_of_scott_is_that_of_scipy():
    X = rows(60)
    weights = latent_weights(as_is, X, leave_one_out=False)
    assert weights.log_density == pytest.approx(stats.gaussian_kde(X.T).logpdf(X.T))


def test_density_of_operation_at_other_rows():
    X, operation = rows(30), rows(50, seed=1)
    weights = latent_weights(as_is, X, operational=operation, scheme="density", bandwidth=0.5)
    truth = KernelDensity(bandwidth=0.5).fit(operation).score_samples(X)
    assert weights.log_density == pytest.approx(truth)


def test_rows_that_are_operational_points_are_left_out_of_those():
    X, others = rows(20), rows(30, seed=1)
    operation = np.concatenate([others, X[::2]])
    weights = latent_weights(as_is, X, operational=operation, scheme="density", bandwidth=0.5)
    for i in range(20):
        left = operation if i % 2 else np.delete(operation, 30 + i // 2, 0)
        truth = KernelDensity(bandwidth=0.5).fit(left).score_samples(X[i : i + 1])[0]
        assert weights.log_density[i] == pytest.approx(truth)


def test_rows_are_found_among_points_of_another_type():
    images = np.random.default_rng(0).integers(0, 256, (30, 2, 2)).astype(np.uint8)

    def flat(X):
        return np.asarray(X, float).reshape(len(X), -1)

    options = {"scheme": "density", "bandwidth": 60.0}
    found, same = (
        latent_weights(flat, images[:10].astype(kind), operational=images[5:], **options) for kind in (float, np.uint8)
    )
    np.testing.assert_array_equal(found.log_density, same.log_density)
    for i in range(10):
        left = flat(images[5:] if i < 5 else np.delete(images[5:], i - 5, 0))
        truth = KernelDensity(bandwidth=60.0).fit(left).score_samples(flat(images[i : i + 1]))[0]
        assert found.log_density[i] == pytest.approx(truth), i


def test_more_rows_than_are_worked_on_at_once_follow_the_formulas():
    count, chosen = 4_200, np.array([0, 255, 256, 3_000, 4_199])
    X = rows(count, 2)
    weights = latent_weights(as_is, X, bandwidth=0.5)
    kernels = stats.multivariate_normal(np.zeros(2), 0.25).pdf(X[chosen, None] - X)
    kernels[np.arange(5), chosen] = 0
    density = kernels.sum(axis=1) / (count - 1)
    shares = kernels / kernels.sum(axis=1, keepdims=True)
    assert weights.log_density[chosen] == pytest.approx(np.log(density))
    assert weights.log_sd[chosen] == pytest.approx(np.sqrt((shares**2).sum(axis=1) - 1 / (count - 1)))
    drawn = weights.draws(3, np.random.default_rng(0))[:, chosen]
    chance = np.random.default_rng(0).standard_exponential((3, count))
    exact = density * (chance @ shares.T) / (chance.sum(axis=1, keepdims=True) - chance[:, chosen])
    assert drawn / drawn[:, :1] == pytest.approx(exact / exact[:, :1], rel=1e-4)


def brute_force_bootstrap(X, bandwidth, count, seed):
    """Draw the points again with replacement, and leave each row's own copies out of its density."""
    rng, n = np.random.default_rng(seed), len(X)
    kernels = stats.multivariate_normal(np.zeros(X.shape[1]), bandwidth**2).pdf(X[:, None] - X)
    np.fill_diagonal(kernels, 0)
    found = []
    for _ in range(count):
        times = np.bincount(rng.integers(n, size=n), minlength=n)
        density = kernels @ times / (n - times)
        found.append(density)
    return np.array(found)


def test_the_spread_of_the_density_is_that_of_a_bootstrap():
    X = rows(80, 2)
    weights = latent_weights(as_is, X, bandwidth=0.7)
    density = brute_force_bootstrap(X, 0.7, 4000, 1)
    relative = density.std(axis=0) / density.mean(axis=0)
    assert weights.log_sd == pytest.approx(relative, rel=0.1)


def test_draws_of_a_weighted_mean_spread_as_in_a_bootstrap():
    X = rows(80, 2)
    risk = (X[:, 0] > 0.5).astype(float)
    drawn = latent_weights(as_is, X, bandwidth=0.7).draws(4000, np.random.default_rng(0))
    density = brute_force_bootstrap(X, 0.7, 4000, 1)
    ours, theirs = drawn @ risk / drawn.sum(axis=1), density @ risk / density.sum(axis=1)
    assert ours.std() == pytest.approx(theirs.std(), rel=0.06)
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.1 * ours.std())


def test_weights_drawn_one_by_one_would_seem_too_certain():
    X = rows(200, 2)
    risk = (X[:, 0] > 0.5).astype(float)
    weights = latent_weights(as_is, X, bandwidth=0.7)
    drawn = weights.draws(1000, np.random.default_rng(0))
    alone = np.array([np.random.default_rng(i).permutation(drawn[:, i]) for i in range(200)]).T
    together, apart = (((d @ risk) / d.sum(axis=1)).std() for d in (drawn, alone))
    assert apart < 0.5 * together


@given(st.integers(2, 40), st.integers(1, 12), st.floats(-8, 8), st.integers(0, 99))
def test_weights_are_finite_with_mean_one_whatever_the_scale(count, dimensions, power, seed):
    X = rows(count, dimensions, seed) * 10**power
    weights = latent_weights(as_is, X, bandwidth=1.0)
    assert np.isfinite(weights.log_density).all()
    drawn = weights.draws(3, np.random.default_rng(seed))
    for values in (weights.values, *drawn):
        assert (values >= 0).all()
        assert values.mean() == pytest.approx(1)


def test_weights_that_underflow_are_named_and_no_division_by_zero_comes_of_it():
    far = np.concatenate([rows(3, 2) * 0.1, 1e4 * np.arange(1, 30)[:, None] * [1, 1]])
    weights = latent_weights(as_is, far, bandwidth=1.0)
    assert (weights.values == 0).sum() == 29
    assert weights.values.mean() == pytest.approx(1)
    assert any("are 0 in double precision" in caveat.text for caveat in weights.caveats)
    assert any("worth" in caveat.text for caveat in weights.caveats)
    assert np.isfinite(weights.draws(50, np.random.default_rng(0))).all()


def test_its_own_kernel_hides_how_unequal_densities_are_in_many_dimensions():
    X = rows(300, 12)
    inside, outside = (latent_weights(as_is, X, bandwidth=0.4, leave_one_out=loo) for loo in (False, True))
    assert inside.effective_rows > 299
    assert outside.effective_rows < 100


def test_density_weights_count_operation_twice_and_equal_ones_do_not():
    """Normal data: weighting by their own density halves the variance."""
    X = rows(4000, 1)
    by = {scheme: latent_weights(as_is, X, scheme=scheme) for scheme in ("density", "equal")}
    second = {scheme: float(weights.values @ X[:, 0] ** 2 / 4000) for scheme, weights in by.items()}
    assert second["equal"] == pytest.approx(1, abs=0.08)
    assert second["density"] == pytest.approx(0.5, abs=0.06)
    assert any("counts that density twice" in caveat.text for caveat in by["density"].caveats)
    assert by["equal"].caveats == ()


def test_a_ratio_turns_the_frame_into_operation():
    X, operation = rows(3000, 2), rows(3000, 2, seed=1, shift=0.5)
    weights = latent_weights(as_is, X, operational=operation)
    assert weights.scheme == "ratio"
    truth = np.exp(X.sum(axis=1) / 2)
    assert np.corrcoef(weights.log_density, np.log(truth))[0, 1] > 0.99
    drawn = weights.draws(50, np.random.default_rng(0))
    means = drawn @ X / drawn.sum(axis=1, keepdims=True)
    assert abs(weights.values @ X / 3000 - 0.5).max() < 0.07
    assert means.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.07)
    assert 0 < weights.log_sd.mean() < 0.2


def test_equal_weights_are_certain():
    weights = latent_weights(as_is, rows(5), scheme="equal")
    assert np.array_equal(weights.draws(2, np.random.default_rng(0)), np.ones((2, 5)))
    assert weights.effective_rows == 5
    assert not weights.log_sd.any()


@pytest.mark.parametrize("options", [{}, {"operational": rows(60, seed=1)}], ids=["density", "ratio"])
def test_weights_travel_to_other_processes(options):
    weights = latent_weights(as_is, rows(60), **options)
    again = pickle.loads(pickle.dumps(weights))
    first, second = (w.draws(2, np.random.default_rng(0)) for w in (weights, again))
    assert np.array_equal(first, second)


def test_the_encoder_decides_what_is_near():
    X = rows(50)
    weights = latent_weights(lambda x: x[:, :1], X, bandwidth=0.3)
    assert weights.log_density == pytest.approx(latent_weights(as_is, X[:, :1], bandwidth=0.3).log_density)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "densities"}, "Did you mean 'density'"),
        ({"scheme": "ratio"}, "needs inputs from operation"),
        ({"operational": np.zeros((4, 2))}, "as many numbers"),
        ({"bandwidth": -1}, "above 0"),
        ({"bandwidth": "scotch"}, "scott"),
    ],
    ids=["scheme", "ratio", "columns", "bandwidth", "rule"],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InvalidInput, match=message):
        latent_weights(as_is, rows(10), **options)


@pytest.mark.parametrize(
    ("X", "message"),
    [(rows(1), "at least 2"), (np.ones((5, 3)), "no spread"), (np.full((5, 3), np.nan), "finite")],
    ids=["one", "constant", "nan"],
)
def test_inputs_without_a_density_are_refused(X, message):
    with pytest.raises(InvalidInput, match=message):
        latent_weights(as_is, X)


def test_the_figure_counts_rows_by_the_power_of_their_weight():
    weights = latent_weights(as_is, rows(500, 6))
    axes = weights.plot()
    assert sum(bar.get_height() for bar in axes.patches) == 500
    assert f"{weights.effective_rows:,.0f}" in axes.get_title(loc="left")
    plt.close(axes.figure)


def test_equal_weights_and_vanished_ones_are_drawn():
    some = LatentWeights(np.array([2.0, 2.0, 0.0, 0.0]), np.zeros(4), np.zeros(4), "density", (), None)
    axes = some.plot()
    assert "2 have weight 0" in axes.get_title(loc="left")
    assert sum(bar.get_height() for bar in axes.patches) == 2
    plt.close(axes.figure)
