import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cluster import KMeans
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, FeatureBox
from surefoot.testing import check_detector

RNG = np.random.default_rng(10)
ROWS = RNG.normal(size=(300, 4))
LABELS = RNG.integers(0, 2, 300)


def test_hand_case_in_two_dimensions():
    detector = FeatureBox().fit([[0.0, 10.0], [2.0, 20.0]], [0, 0])
    queries = [[1, 15], [0, 20], [3, 15], [1, 5], [3, 30], [-2, 25]]
    assert detector.decision_function(queries, [0] * 6).tolist() == [0, 0, 0.5, 0.5, 1.0, 1.0]


def test_a_margin_takes_in_rows_that_are_out_by_no_more():
    detector = FeatureBox(margin=0.5).fit([[0.0], [2.0]], [0, 0])
    assert detector.decision_function([[3], [3.5], [-1]], [0] * 3).tolist() == [0, 0.25, 0]


@given(arrays(float, (6, 3), elements=st.floats(-100, 100)), st.floats(0, 3))
@settings(max_examples=20, deadline=None)
def test_a_box_moved_by_the_score_holds_the_row(rows, extra):
    detector = FeatureBox(margin=extra).fit(ROWS[:, :3], LABELS)
    scores = detector.decision_function(rows, np.ones(6, int))
    own = ROWS[LABELS == 1][:, :3]
    low, high = own.min(axis=0), own.max(axis=0)
    moved = (scores[:, None] + extra + 1e-9) * (high - low)
    assert ((rows >= low - moved) & (rows <= high + moved)).all()
    touching = (np.maximum(low - rows, rows - high) / (high - low)).max(axis=1)
    np.testing.assert_allclose(scores, np.maximum(touching - extra, 0), atol=1e-9)


def test_fitted_rows_lie_inside():
    for clusters in (1, 3):
        assert not FeatureBox(clusters=clusters).fit(ROWS, LABELS).decision_function(ROWS, LABELS).any()


def test_clusters_leave_the_gap_between_them_outside():
    rows = np.random.default_rng(1).uniform(0, 1, (100, 2)) + np.repeat([[0], [10]], 50, axis=0)
    whole, parts = (FeatureBox(clusters=n).fit(rows, np.zeros(100, int)) for n in (1, 2))
    assert whole.score_one(np.array([5.0, 5.0]), 0) == 0
    numbers = KMeans(2, n_init=4, random_state=0).fit_predict(rows)
    near = rows[numbers == numbers[0]]
    expected = ((5 - near.max(axis=0)) / np.ptp(near, axis=0)).max()
    assert parts.score_one(np.array([5.0, 5.0]), 0) == pytest.approx(expected)


def test_a_quantile_leaves_its_share_out_on_each_side():
    rows = np.arange(101.0)[:, None]
    detector = FeatureBox(quantile=0.1).fit(rows, np.zeros(101, int))
    outside = detector.decision_function(rows, np.zeros(101, int)) > 0
    assert outside.tolist() == [n < 10 or n > 90 for n in range(101)]


def test_constant_features_take_the_width_over_all_rows_and_else_one():
    detector = FeatureBox().fit([[3.0, 0.0, 0.0], [3.0, 0.0, 1.0], [3.0, 8.0, 0.0]], [0, 0, 1])
    assert detector.score_one(np.array([3, 2, 0.5]), 0) == 0.25
    assert detector.score_one(np.array([5, 0, 0.5]), 0) == 2
    assert detector.score_one(np.array([3, 4, 0]), 1) == 0.5


def test_more_clusters_than_distinct_rows_are_those_rows():
    rows = np.repeat([[0.0, 1.0], [5.0, 1.0]], 5, axis=0)
    detector = FeatureBox(clusters=7).fit(rows, np.zeros(10, int))
    assert detector.decision_function([[0, 1], [5, 1], [1, 1]], [0] * 3).tolist() == [0, 0, 0.2]
    assert FeatureBox(clusters=3).fit([[0.0]], [0]).score_one(np.array([2.0]), 0) == 2


@pytest.mark.parametrize("clusters", [1, 2])
def test_huge_values_have_finite_scores(clusters):
    detector = FeatureBox(clusters=clusters).fit([[1e300, 1e-300], [-1e300, 2e-300], [0, 0]], [0, 0, 0])
    scores = detector.decision_function([[1e308, 1e308], [0, 0]], [0, 0])
    assert np.isfinite(scores).all()
    assert scores[0] > 1e50 > scores[1] == 0


def test_a_file_holds_it_and_one_row_scores_as_in_a_batch(tmp_path):
    detector = FeatureBox(margin=0.1, clusters=2, quantile=0.05).fit(ROWS, LABELS)
    detector.save(tmp_path / "box.npz")
    loaded = Detector.load(tmp_path / "box.npz")
    scores = detector.decision_function(ROWS * 2, LABELS)
    np.testing.assert_array_equal(loaded.decision_function(ROWS * 2, LABELS), scores)
    assert [detector.score_one(x, c) for x, c in zip(ROWS * 2, LABELS, strict=True)] == scores.tolist()


def test_parameters_are_checked():
    for wrong in [{"margin": -0.1}, {"margin": np.inf}, {"clusters": 0}, {"quantile": 0.5}, {"quantile": -0.1}]:
        with refused(wrong, InvalidInput, match=next(iter(wrong))):
            FeatureBox(**wrong)


@pytest.mark.parametrize("options", [{}, {"clusters": 2, "quantile": 0.05, "margin": 0.1}])
def test_it_is_complete(options):
    assert check_detector(lambda: FeatureBox(**options)).passed
