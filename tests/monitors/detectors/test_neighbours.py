import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import KNN, Detector

RNG = np.random.default_rng(1)
ROWS, LABELS = RNG.normal(size=(300, 6)) + 5, np.arange(300) % 4
QUERIES, ANSWERS = RNG.normal(size=(50, 6)) * 2 + 5, np.arange(50) % 4


def kth(rows, queries, k):
    return NearestNeighbors(n_neighbors=k).fit(rows).kneighbors(queries)[0][:, -1]


@pytest.mark.parametrize("k", [1, 2, 17, 300])
def test_distances_equal_scikit_learn(k):
    np.testing.assert_allclose(KNN(k).fit(ROWS).decision_function(QUERIES), kth(ROWS, QUERIES, k), rtol=1e-12)


def test_distances_within_the_predicted_class_equal_scikit_learn():
    found = KNN(5, per_class=True).fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
    expected = [kth(ROWS[answer == LABELS], query[None], 5)[0] for query, answer in zip(QUERIES, ANSWERS, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_distances_of_directions_equal_scikit_learn():
    found = KNN(5, normalise=True).fit(ROWS).decision_function(QUERIES)
    np.testing.assert_allclose(found, kth(normalize(ROWS), normalize(QUERIES), 5), rtol=1e-11)
    again = KNN(5, normalise=True).fit(ROWS).decision_function(QUERIES * 1e200)
    np.testing.assert_allclose(again, found, rtol=1e-11)


def test_a_row_of_zeros_has_no_direction():
    assert KNN(1, normalise=True).fit([[3.0, 4.0]]).decision_function([[0.0, 0.0]]) == pytest.approx([1.0])


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 5), st.integers(1, 12), st.integers(0, 999), st.sampled_from([0.0, 1e6]))
def test_nearest_rows_on_a_lattice_with_ties_are_exact(count, features, queries, seed, offset):
    rng = np.random.default_rng(seed)
    rows = rng.integers(-2, 3, size=(count, features)) + offset
    asked = rng.integers(-3, 4, size=(queries, features)) + offset
    every = cdist(asked, rows)
    for n in {1, (count + 1) // 2, count}:
        assert KNN(n).fit(rows).decision_function(asked).tolist() == np.sort(every, axis=1)[:, n - 1].tolist()


def test_nearest_rows_among_many_are_exact_wherever_they_stand():
    for count in [64, 320, 967, 1_000]:
        for n in [2, 10]:
            for together in [False, True]:
                rows = np.random.default_rng(count).integers(-4, 5, size=(count, 3)).astype(float)
                rows = rows[np.argsort(np.abs(rows).sum(axis=1))] if together else rows
                asked = np.random.default_rng(n).integers(-5, 6, size=(40, 3)).astype(float)
                found, every = KNN(n).fit(rows).decision_function(asked), cdist(asked, rows)
                assert found.tolist() == np.sort(every, axis=1)[:, n - 1].tolist(), (count, n, together)


@pytest.mark.parametrize("count", [15, 16, 17, 4095, 4096, 4097, 8209])
def test_rows_are_found_wherever_a_block_ends_one_by_one_too(count):
    rng = np.random.default_rng(count)
    rows, asked = rng.integers(-6, 7, size=(count, 4)).astype(float), rng.integers(-7, 8, size=(12, 4)).astype(float)
    every = np.sort(cdist(asked, rows), axis=1)
    for n in (1, 10, 300, count):
        detector = KNN(n).fit(rows)
        expected = every[:, min(n, count) - 1].tolist()
        assert detector.decision_function(asked).tolist() == expected, n
        assert [detector.score_one(row) for row in asked] == expected, n


def test_rows_that_single_precision_cannot_tell_apart_are_told_apart():
    base = np.random.default_rng(2).normal(size=(1, 20))
    rows = np.concatenate([base + 1e-9 * np.random.default_rng(3).normal(size=(50, 20)), base + 3.0])
    queries = base + 1e-9 * np.random.default_rng(4).normal(size=(30, 20))
    found = KNN(1).fit(rows).decision_function(queries)
    np.testing.assert_allclose(found, cdist(queries, rows).min(axis=1), rtol=1e-12)


def test_queries_far_away_find_the_right_row():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    queries = np.array([[1e13, 0.0], [0.0, 1e13], [-1e13, -1e13]])
    found = KNN(1).fit(rows).decision_function(queries)
    assert found.tolist() == [1e13 - 1, 1e13 - 1, np.hypot(1e13, 1e13)]


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**300], ids=["tiny", "huge"])
def test_distances_scale_with_their_unit(scale):
    plain = KNN(3).fit(ROWS).decision_function(QUERIES)
    assert (KNN(3).fit(ROWS * scale).decision_function(QUERIES * scale) == plain * scale).all()


def test_many_queries_are_scored_in_blocks():
    rows, queries = np.random.default_rng(5).normal(size=(1_500, 6)), np.random.default_rng(6).normal(size=(12_000, 6))
    found = KNN(3).fit(rows).decision_function(queries)
    np.testing.assert_allclose(found, kth(rows, queries, 3), rtol=1e-12)


def test_where_there_are_fewer_rows_the_farthest_counts():
    assert KNN(10).fit([[0.0], [3.0]]).decision_function([[1.0]]).tolist() == [2.0]
    found = (
        KNN(2, per_class=True).fit([[0.0], [3.0], [9.0]], ["a", "a", "b"]).decision_function([[1.0]] * 2, ["a", "b"])
    )
    assert found.tolist() == [2.0, 8.0]


def test_one_row_a_file_and_huge_values(tmp_path):
    detector = KNN(4, per_class=True).fit(ROWS, LABELS)
    scores = detector.decision_function(QUERIES, ANSWERS)
    assert [detector.score_one(*pair) for pair in zip(QUERIES, ANSWERS, strict=True)] == pytest.approx(scores)
    detector.save(tmp_path / "detector.npz")
    loaded = Detector.load(tmp_path / "detector.npz")
    assert loaded.by_class
    assert (loaded.decision_function(QUERIES, ANSWERS) == scores).all()
    huge = loaded.decision_function(np.full((2, 6), 1e300), [0, 1])
    assert np.isfinite(huge).all()
    assert (huge > scores.max()).all()


def test_k_must_be_a_whole_number():
    for k in [0, 1.5, "three"]:
        with refused(k, InvalidInput, match="k must be a whole number"):
            KNN(k)


@pytest.mark.parametrize("scale", [1.0, 1e-3])
def test_answers_are_the_same_to_the_last_bit_without_faiss(scale, monkeypatch):
    pytest.importorskip("faiss")
    rng = np.random.default_rng(4)
    rows, queries = 5 + scale * rng.normal(size=(900, 20)), 5 + scale * rng.normal(size=(60, 20))
    rows[100:140] = rows[7]
    rows[200:230] = np.round(rows[200:230], 1)
    queries[:3] = rows[[7, 100, 205]]
    found = [KNN(k).fit(rows).decision_function(queries) for k in (1, 10, 45, 900)]
    monkeypatch.setitem(sys.modules, "faiss", None)
    for k, with_faiss in zip((1, 10, 45, 900), found, strict=True):
        np.testing.assert_array_equal(KNN(k).fit(rows).decision_function(queries), with_faiss)
