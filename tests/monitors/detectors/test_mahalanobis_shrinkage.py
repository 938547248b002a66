import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.covariance import ledoit_wolf

from surefoot.monitors.detectors.density import Whitening, covariance_of, shrunk, shrunk_class, weight_of


def centred(count, features, seed):
    rows = np.random.default_rng(seed).normal(size=(count, features)) * np.arange(1, features + 1)
    return rows - rows.mean(axis=0)


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 40), st.integers(1, 8), st.integers(0, 99))
def test_shrinkage_towards_a_sphere_equals_scikit_learn(count, features, seed):
    rows = centred(count, features, seed)
    expected, _ = ledoit_wolf(rows, assume_centered=True)
    np.testing.assert_allclose(shrunk(rows), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("count", [3, 10, 200])
def test_weight_of_any_target_is_the_error_over_the_distance(count):
    rows, target = centred(count, 4, 1), np.diag([1.0, 2.0, 3.0, 4.0])
    covariance = covariance_of(rows)
    error = sum(np.linalg.norm(np.outer(row, row) - covariance) ** 2 for row in rows) / count**2
    expected = min(error / np.linalg.norm(covariance - target) ** 2, 1)
    assert weight_of(target, covariance, rows) == pytest.approx(expected, rel=1e-10)


def test_a_stated_weight_mixes_class_and_pooled_covariance():
    rows, pooled = centred(50, 3, 2), np.diag([5.0, 1.0, 2.0])
    expected = 0.75 * np.cov(rows, rowvar=False, bias=True) + 0.25 * pooled
    np.testing.assert_allclose(shrunk_class(rows, pooled, 0.25), expected, rtol=1e-12)


@pytest.mark.parametrize(("count", "least"), [(1, 1.0), (2, 0.5), (3, 1 / 3)])
def test_a_tiny_class_leans_on_all_classes_even_where_nothing_should_be_shrunk(count, least):
    rows, pooled = centred(count, 6, 3), np.eye(6)
    expected = (1 - least) * covariance_of(rows) + least * pooled
    np.testing.assert_allclose(shrunk_class(rows, pooled, 0.0), expected, atol=1e-12)
    assert np.linalg.eigvalsh(shrunk_class(rows, pooled))[0] >= least * 0.999


def test_more_rows_are_shrunk_less():
    pooled = np.diag([9.0, 9.0, 9.0])
    weights = []
    for count in (5, 50, 500, 5000):
        rows = centred(count, 3, 4)
        weights.append(weight_of(pooled, covariance_of(rows), rows))
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] < 0.01


def test_whitened_rows_have_the_identity_as_covariance():
    rows = centred(300, 4, 5) @ np.random.default_rng(6).normal(size=(4, 4))
    plain = Whitening.of_rows(np.zeros(4), rows, len(rows))
    assert plain is not None
    other = Whitening.of_covariance(np.zeros(4), covariance_of(rows))
    for whitening in (plain, other):
        np.testing.assert_allclose(covariance_of(whitening.of(rows)), np.eye(4), atol=1e-9)
        expected = np.linalg.slogdet(covariance_of(rows))[1] / 2
        assert whitening.log_det == pytest.approx(expected, rel=1e-9)


def test_whitening_by_rows_keeps_digits_that_the_covariance_loses():
    """Features that sum to 1 but for 1e-8, as outputs of a softmax in single precision do."""
    rng = np.random.default_rng(7)
    noise = rng.normal(size=2000)
    noise -= noise.mean()
    first = rng.normal(size=2000)
    first -= first.mean()
    first -= noise * (first @ noise) / (noise @ noise)
    rows = np.column_stack([first, 1e-8 * noise - first])
    whitening = Whitening.of_rows(np.zeros(2), rows, len(rows))
    assert whitening is not None
    exact = np.log(first.std()) + np.log(1e-8 * noise.std())
    assert whitening.log_det == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize(
    "rows",
    [np.ones((5, 2)) - 1, np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, -2.0]]), np.eye(2)],
    ids=["constant", "collinear", "few"],
)
def test_rows_that_do_not_tell_their_covariance_are_known(rows):
    assert Whitening.of_rows(np.zeros(2), rows, len(rows)) is None
