import numpy as np
import pytest
from scipy.stats import gaussian_kde
from sklearn.neighbors import KernelDensity as Peer
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, KernelDensity
from surefoot.profile import KDE

RNG = np.random.default_rng(1)
MIXING = RNG.normal(size=(4, 4))
ROWS, QUERIES = RNG.normal(size=(200, 4)) @ MIXING + 30, RNG.normal(size=(40, 4)) @ MIXING * 1.5 + 30


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_equal_scipy(rule):
    found = KernelDensity(rule).fit(ROWS).decision_function(QUERIES)
    np.testing.assert_allclose(found, -gaussian_kde(ROWS.T, rule).logpdf(QUERIES.T), rtol=1e-9)


@pytest.mark.parametrize("bandwidth", [0.7, [0.5, 1.0, 2.0, 4.0]], ids=["one", "each"])
@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_stated_bandwidths_equal_the_density_of_a_profile(kernel, bandwidth):
    found = KernelDensity(bandwidth, kernel).fit(ROWS).decision_function(QUERIES)
    np.testing.assert_allclose(found, -KDE(bandwidth, kernel).fit(ROWS).score_samples(QUERIES), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["gaussian", "exponential"])
def test_one_bandwidth_equals_scikit_learn(kernel):
    found = KernelDensity(0.7, kernel).fit(ROWS).decision_function(QUERIES)
    np.testing.assert_allclose(found, -Peer(bandwidth=0.7, kernel=kernel).fit(ROWS).score_samples(QUERIES), rtol=1e-9)


@pytest.mark.parametrize(("kernel", "tolerance"), [("gaussian", 1e-9), ("exponential", 1e-5)])
def test_the_density_at_fitted_rows_keeps_its_digits(kernel, tolerance):
    found = KernelDensity(0.7, kernel).fit(ROWS).decision_function(ROWS)
    expected = -KDE(0.7, kernel).fit(ROWS).score_samples(ROWS)
    np.testing.assert_allclose(found, expected, atol=tolerance)


def test_a_bandwidth_far_below_the_spread_loses_no_digits():
    near = ROWS[:5] + 1e-7
    found = KernelDensity(1e-7).fit(ROWS).decision_function(near)
    np.testing.assert_allclose(found, -KDE(1e-7).fit(ROWS).score_samples(near), rtol=1e-9)


def test_many_queries_are_scored_in_blocks():
    detector = KernelDensity().fit(ROWS)
    many = np.tile(QUERIES, (1 + (1 << 20) // (len(ROWS) * len(QUERIES)), 1))
    found = detector.decision_function(many).reshape(-1, len(QUERIES))
    np.testing.assert_allclose(found, np.tile(detector.decision_function(QUERIES), (len(found), 1)), rtol=1e-13)


def singular_rows():
    constant = np.column_stack([ROWS, np.full(len(ROWS), 2.0)])
    return {"constant": constant, "collinear": np.column_stack([ROWS, ROWS[:, 0]]), "few": ROWS[:3], "one": ROWS[:1]}


@pytest.mark.parametrize("case", singular_rows())
def test_singular_covariances_give_finite_scores_and_tell_what_is_strange(case):
    rows = singular_rows()[case]
    detector = KernelDensity().fit(rows)
    strange = rows[:1] + 200.0 * (np.arange(rows.shape[1]) == rows.shape[1] - 1)
    usual, far = detector.decision_function(rows), detector.decision_function(strange)
    assert np.isfinite(usual).all()
    assert usual.max() < far < np.inf


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**300], ids=["tiny", "huge"])
def test_the_unit_of_the_features_shifts_all_scores_alike(scale):
    plain = KernelDensity().fit(ROWS).decision_function(QUERIES)
    scaled = KernelDensity().fit(ROWS * scale).decision_function(QUERIES * scale)
    np.testing.assert_allclose(scaled, plain + 4 * np.log(scale), rtol=1e-12)


def test_one_row_a_file_and_huge_values(tmp_path):
    detector = KernelDensity([0.5, 1.0, 2.0, 4.0]).fit(ROWS)
    scores = detector.decision_function(QUERIES)
    assert [detector.score_one(query) for query in QUERIES] == pytest.approx(scores)
    detector.save(tmp_path / "detector.npz")
    loaded = Detector.load(tmp_path / "detector.npz")
    assert loaded.parameters == detector.parameters
    assert (loaded.decision_function(QUERIES) == scores).all()
    for kernel in ("gaussian", "exponential"):
        huge = KernelDensity("scott", kernel).fit(ROWS).decision_function([[1e300] * 4, [-1e308, 0, 1e308, 0]])
        assert np.isfinite(huge).all()
        assert huge.min() > scores.max()


def test_wrong_parameters_are_refused():
    for options, message in [
        ({"bandwidth": "scot"}, "Did you mean 'scott'"),
        ({"bandwidth": 0.0}, "positive"),
        ({"bandwidth": [1.0, -1.0]}, "positive"),
        ({"bandwidth": []}, "positive"),
        ({"bandwidth": [[1.0]]}, "positive"),
        ({"kernel": "tophat"}, "kernel"),
    ]:
        with refused((options, message), InvalidInput, match=message):
            KernelDensity(**options)


def test_bandwidths_must_be_one_a_feature():
    with pytest.raises(InvalidInput, match="3 numbers for 4 features"):
        KernelDensity([1.0, 1.0, 1.0]).fit(ROWS)
