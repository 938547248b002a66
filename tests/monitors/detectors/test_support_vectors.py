import numpy as np
import pytest
from sklearn.svm import OneClassSVM as Reference
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, OneClassSVM
from surefoot.testing import check_detector

RNG = np.random.default_rng(9)
CENTRE = np.array([100, 0, 0, 0, -3])
ROWS = RNG.normal(size=(400, 5)) + CENTRE
LABELS = RNG.choice([2, 7], 400, p=[0.7, 0.3])
QUERIES = RNG.normal(size=(300, 5)) * 2 + CENTRE
PREDICTIONS = RNG.choice([2, 7], 300)


@pytest.mark.parametrize("options", [{}, {"nu": 0.5}, {"gamma": 0.05, "nu": 0.01}])
def test_scores_are_minus_the_decision_values_of_scikit_learn_over_the_sum_of_weights(options):
    scores = OneClassSVM(**options).fit(ROWS, LABELS).decision_function(QUERIES, PREDICTIONS)
    for label in [2, 7]:
        machine = Reference(**{"nu": 0.1, **options}).fit(ROWS[label == LABELS])
        total = options.get("nu", 0.1) * (label == LABELS).sum()
        expected = -machine.decision_function(QUERIES[label == PREDICTIONS]) / total
        np.testing.assert_allclose(scores[label == PREDICTIONS], expected, atol=1e-10)


def test_scores_keep_their_digits_far_from_the_origin():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(100, 3)) * 1e-3 + 1e4
    queries = rng.normal(size=(50, 3)) * 2e-3 + 1e4
    scores = OneClassSVM().fit(rows, np.zeros(100, int)).decision_function(queries, np.zeros(50, int))
    gamma = 1 / (3 * rows.var())
    expected = -Reference(nu=0.1, gamma=gamma).fit(rows).decision_function(queries) / 10
    np.testing.assert_allclose(scores, expected, atol=1e-8)


def test_classes_of_different_sizes_are_comparable():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(2200, 2))
    labels = np.repeat([0, 1], [2000, 200])
    detector = OneClassSVM(gamma=0.5).fit(rows, labels)
    queries = rng.normal(size=(200, 2))
    large, small = (detector.decision_function(queries, np.full(200, label)) for label in (0, 1))
    np.testing.assert_allclose(large, small, atol=0.1)
    assert 0.5 < large.std() / small.std() < 2


def test_about_a_share_nu_of_the_fitted_rows_lies_outside():
    rows = np.random.default_rng(1).normal(size=(1000, 3))
    scores = OneClassSVM(nu=0.2).fit(rows, np.zeros(1000, int)).decision_function(rows, np.zeros(1000, int))
    assert abs((scores > 1e-6).mean() - 0.2) < 0.02


def test_a_large_class_is_drawn_from_with_the_seed():
    one, same, other = (OneClassSVM(max_rows=50, seed=seed).fit(ROWS, LABELS) for seed in (0, 0, 1))
    scores = [each.decision_function(QUERIES, PREDICTIONS) for each in (one, same, other)]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert not np.allclose(scores[0], scores[2])
    assert len(one.learned["weights"]) <= 100


def test_one_row_batches_and_files_agree(tmp_path):
    detector = OneClassSVM().fit(ROWS, LABELS)
    expected = detector.decision_function(QUERIES, PREDICTIONS)
    ones = [detector.score_one(x, c) for x, c in zip(QUERIES, PREDICTIONS, strict=True)]
    np.testing.assert_allclose(ones, expected, atol=1e-12)
    detector.save(tmp_path / "machine.npz")
    loaded = Detector.load(tmp_path / "machine.npz")
    np.testing.assert_array_equal(loaded.decision_function(QUERIES, PREDICTIONS), expected)


def test_a_class_of_one_row_holds_that_row_and_no_other():
    detector = OneClassSVM().fit([[1.0, 2.0], [5.0, 5.0], [6.0, 5.0]], ["a", "b", "b"])
    here, there = detector.decision_function([[1.0, 2.0], [1.5, 2.0]], ["a", "a"])
    assert here == pytest.approx(0)
    assert there > 0.01


@pytest.mark.parametrize("rows", [np.zeros((4, 2)), np.full((4, 2), 0.1), [[1e-160, 2e-160], [0.0, 3e-160]]])
def test_constant_and_tiny_features_have_scores(rows):
    detector = OneClassSVM().fit(rows, np.zeros(len(rows), int))
    scores = detector.decision_function([rows[0], [1e300, -1e300]], [0, 0])
    assert np.isfinite(scores).all()
    assert scores[1] > scores[0]


def test_features_too_large_to_square_are_refused():
    with pytest.raises(InvalidInput, match="at most 1e\\+100"):
        OneClassSVM().fit([[1e300], [0.0]], [0, 0])


def test_parameters_are_checked():
    for wrong in [{"nu": 0.0}, {"nu": 1.0}, {"gamma": 0.0}, {"gamma": "auto"}, {"max_rows": 0}, {"seed": -1}]:
        with refused(wrong, InvalidInput, match=next(iter(wrong))):
            OneClassSVM(**wrong)


def test_it_is_complete():
    assert check_detector(OneClassSVM).passed
