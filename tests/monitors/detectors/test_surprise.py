import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import gaussian_kde
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import DSA, LSA, Detector

CLASSES, FEATURES = 4, 5


def rows_of(count, seed, features=FEATURES):
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % CLASSES
    return np.random.default_rng(9).normal(size=(CLASSES, features))[labels] * 2 + rng.normal(
        size=(count, features)
    ), labels


ROWS, LABELS = rows_of(160, 1)
QUERIES, ANSWERS = rows_of(60, 2)


def adequacies(rows, labels, queries, answers):
    """Distance surprise adequacy as its definition reads, with the range of values that ties leave."""
    low, high = [], []
    for query, answer in zip(queries, answers, strict=True):
        own, others = rows[labels == answer], rows[labels != answer]
        to_own = cdist(query[None], own)[0]
        apart = cdist(own[to_own == to_own.min()], others).min(axis=1)
        low.append(to_own.min() / apart.max())
        high.append(to_own.min() / apart.min())
    return np.array(low), np.array(high)


def test_distance_surprise_equals_its_definition():
    found = DSA().fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
    np.testing.assert_allclose(found, adequacies(ROWS, LABELS, QUERIES, ANSWERS)[0], rtol=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 30), st.integers(1, 4), st.integers(0, 999))
def test_distance_surprise_of_rows_with_ties_lies_among_the_tied(count, features, seed):
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    rows = rng.integers(0, 4, size=(count, features)) + 0.5 * labels[:, None]
    queries, answers = rng.integers(0, 5, size=(10, features)).astype(float), np.arange(10) % 2
    found = DSA().fit(rows, labels).decision_function(queries, answers)
    low, high = adequacies(rows, labels, queries, answers)
    assert (found >= low * (1 - 1e-12)).all()
    assert (found <= high * (1 + 1e-12)).all()


def test_a_row_that_is_in_two_classes_leaves_scores_finite():
    rows, labels = np.array([[0.0], [0.0], [4.0], [7.0]]), [0, 1, 0, 1]
    scores = DSA().fit(rows, labels).decision_function([[1.0], [5.0], [0.0], [6.0]], [0, 0, 1, 1])
    assert scores.tolist() == [1 / 3, 1 / 3, 0.0, 1 / 3]
    same = DSA().fit(np.zeros((2, 1)), [0, 1]).decision_function([[2.0]], [1])
    assert same.tolist() == [2.0]


def test_distance_surprise_needs_two_classes():
    with pytest.raises(InvalidInput, match=r"at least two classes.*Use KNN"):
        DSA().fit(ROWS, np.zeros(len(ROWS)))


def test_likelihood_surprise_equals_scipy():
    found = LSA().fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
    densities = [gaussian_kde(ROWS[k == LABELS].T) for k in range(CLASSES)]
    pairs = zip(QUERIES, ANSWERS, strict=True)
    np.testing.assert_allclose(found, [-densities[k].logpdf(query)[0] for query, k in pairs], rtol=1e-9)


def test_features_that_hardly_vary_are_left_out():
    def widened(rows, seed):
        return np.insert(rows, 2, 0.002 * np.random.default_rng(seed).normal(size=len(rows)), axis=1)

    plain = LSA().fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
    found = LSA().fit(widened(ROWS, 3), LABELS).decision_function(widened(QUERIES, 4), ANSWERS)
    np.testing.assert_allclose(found, plain, rtol=1e-12)
    kept = LSA(variance_floor=1e-7).fit(widened(ROWS, 3), LABELS).decision_function(widened(QUERIES, 4), ANSWERS)
    assert (np.abs(kept - plain) > 0.1).all()


def test_features_must_vary():
    with pytest.raises(InvalidInput, match=r"no feature varies.*Lower variance_floor"):
        LSA().fit(ROWS * 1e-4, LABELS)
    with pytest.raises(InvalidInput, match="no feature varies"):
        LSA(variance_floor=0).fit(np.ones((8, 2)), np.arange(8) % 2)


def test_a_wrong_floor_is_refused():
    for floor in [-1.0, float("nan"), "low"]:
        with refused(floor, InvalidInput, match="variance_floor"):
            LSA(variance_floor=floor)


def test_tiny_classes_give_finite_scores_and_tell_what_is_strange():
    for kind in [LSA, DSA]:
        for count in [4, 6, 9]:
            rows, labels = rows_of(count, 5, features=20)
            detector = kind().fit(rows, labels)
            usual, far = detector.decision_function(rows, labels), detector.decision_function(rows + 100, labels)
            assert np.isfinite(usual).all(), (kind, count)
            assert far.min() > usual.max(), (kind, count)


def test_a_feature_that_is_constant_in_one_class_makes_leaving_it_strange_there():
    rows = ROWS.copy()
    rows[LABELS == 0, 1] = 0.3
    detector = LSA().fit(rows, LABELS)
    usual = detector.decision_function(rows[LABELS == 0], np.zeros(40, dtype=int))
    moved = rows[LABELS == 0] + 3 * (np.arange(FEATURES) == 1)
    assert np.isfinite(usual).all()
    assert (detector.decision_function(moved, np.zeros(40, dtype=int)) > usual.max()).all()


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**300], ids=["tiny", "huge"])
def test_units_cancel_in_distances_and_shift_likelihoods_alike(scale):
    for detector, shift in ((DSA(), 0.0), (LSA(variance_floor=0), FEATURES * np.log(scale))):
        plain = detector.fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
        scaled = detector.fit(ROWS * scale, LABELS).decision_function(QUERIES * scale, ANSWERS)
        np.testing.assert_allclose(scaled, plain + shift, rtol=1e-12)


@pytest.mark.parametrize("kind", [LSA, DSA])
def test_one_row_a_file_and_huge_values(kind, tmp_path):
    names = np.array(["car", "cat", "dog", "tree"])
    detector = kind().fit(ROWS, names[LABELS])
    scores = detector.decision_function(QUERIES, names[ANSWERS])
    ones = [detector.score_one(*pair) for pair in zip(QUERIES, names[ANSWERS], strict=True)]
    np.testing.assert_allclose(ones, scores, rtol=1e-10)
    detector.save(tmp_path / "detector.npz")
    loaded = Detector.load(tmp_path / "detector.npz")
    assert (loaded.decision_function(QUERIES, names[ANSWERS]) == scores).all()
    huge = loaded.decision_function(np.full((2, FEATURES), 1e300), ["car", "dog"])
    assert np.isfinite(huge).all()
    assert huge.min() > scores.max()
