import numpy as np
import pytest
from sklearn.ensemble import IsolationForest as Reference
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Detector, IsolationForest
from surefoot.testing import check_detector

RNG = np.random.default_rng(8)
ROWS = RNG.normal(size=(700, 6)) * [1, 10, 0.1, 1, 1, 1e6]
LABELS = RNG.choice(["cat", "dog", "eel"], 700, p=[0.6, 0.399, 0.001])
LABELS[0] = "eel"
QUERIES = RNG.normal(size=(400, 6)) * [2, 20, 0.1, 1, 3, 1e6]
PREDICTIONS = RNG.choice(["cat", "dog", "eel"], 400)


def reference(label, **options):
    own = ROWS[label == LABELS]
    return Reference(max_samples=min(options.pop("sample", 256), len(own)), random_state=3, **options).fit(own)


@pytest.mark.parametrize("sample", [16, 256])
def test_scores_equal_those_of_scikit_learn_in_each_class(sample):
    detector = IsolationForest(trees=30, sample=sample, seed=3).fit(ROWS, LABELS)
    scores = detector.decision_function(QUERIES, PREDICTIONS)
    for label in ["cat", "dog", "eel"]:
        expected = -reference(label, sample=sample, n_estimators=30).score_samples(QUERIES[label == PREDICTIONS])
        np.testing.assert_allclose(scores[label == PREDICTIONS], expected, rtol=1e-12)


@pytest.mark.parametrize("contamination", [0.1, 0.3, 0.5])
def test_contamination_is_the_share_of_fitted_rows_rejected_as_in_scikit_learn(contamination):
    detector = IsolationForest(trees=30, contamination=contamination, seed=3).fit(ROWS, LABELS)
    alarms = detector.decision_function(ROWS, LABELS) > 0
    for label in ["cat", "dog"]:
        theirs = reference(label, n_estimators=30, contamination=contamination)
        np.testing.assert_array_equal(alarms[label == LABELS], theirs.predict(ROWS[label == LABELS]) < 0)
        assert abs(alarms[label == LABELS].mean() - contamination) <= 1 / (label == LABELS).sum()


def test_thresholds_stand_in_the_order_of_classes():
    detector = IsolationForest(trees=30, contamination=0.3, seed=3).fit(ROWS, LABELS)
    assert detector.classes.tolist() == ["cat", "dog", "eel"]
    expected = [-reference(label, n_estimators=30, contamination=0.3).offset_ for label in ["cat", "dog", "eel"]]
    np.testing.assert_allclose(detector.thresholds, expected, rtol=1e-12)


def test_inputs_are_rounded_to_single_precision_as_scikit_learn_does():
    rows = np.float64(1.0) + np.arange(64)[:, None] * 2e-8
    queries = np.float64(1.0) + np.linspace(0, 1.3e-6, 999)[:, None]
    detector = IsolationForest(trees=20).fit(rows, np.zeros(64, int))
    theirs = Reference(n_estimators=20, max_samples=64, random_state=0).fit(rows)
    scores = detector.decision_function(queries, np.zeros(999, int))
    np.testing.assert_allclose(scores, -theirs.score_samples(queries), rtol=1e-12)
    assert 1 < len(np.unique(scores)) < 100


def test_the_score_of_one_row_is_exactly_that_of_the_batch():
    detector = IsolationForest(trees=50, contamination=0.3).fit(ROWS, LABELS)
    batch = detector.decision_function(QUERIES, PREDICTIONS)
    assert [detector.score_one(x, c) for x, c in zip(QUERIES[:50], PREDICTIONS, strict=False)] == batch[:50].tolist()


def test_more_rows_than_one_part_holds_score_alike():
    detector = IsolationForest(trees=100).fit(ROWS, LABELS)
    rows = np.repeat(QUERIES[:10], 200, axis=0)
    scores = detector.decision_function(rows, np.repeat(PREDICTIONS[:10], 200))
    np.testing.assert_array_equal(scores, np.repeat(detector.decision_function(QUERIES[:10], PREDICTIONS[:10]), 200))


def test_a_file_holds_it(tmp_path):
    detector = IsolationForest(trees=10, contamination=0.3).fit(ROWS, LABELS)
    detector.save(tmp_path / "forest.npz")
    loaded = Detector.load(tmp_path / "forest.npz")
    assert loaded.parameters == detector.parameters
    expected = detector.decision_function(QUERIES, PREDICTIONS)
    np.testing.assert_array_equal(loaded.decision_function(QUERIES, PREDICTIONS), expected)


def test_far_rows_are_stranger_than_near_ones():
    detector = IsolationForest().fit(np.random.default_rng(1).normal(size=(500, 4)), np.zeros(500, int))
    scores = detector.decision_function([[0, 0, 0, 0], [9, 9, 9, 9], [1e300, -1e300, 0, 0]], [0, 0, 0])
    assert scores[0] < 0.5 < scores[2] < scores[1] <= 1


@pytest.mark.parametrize("rows", [np.zeros((5, 3)), np.full((5, 3), 1e300), [[1.0, 2.0]], [[-1e308], [1e308], [0.0]]])
def test_constant_huge_and_single_rows_have_scores(rows):
    detector = IsolationForest(trees=5, contamination=0.3).fit(rows, np.zeros(len(rows), int))
    assert np.isfinite(detector.decision_function(rows, np.zeros(len(rows), int))).all()


def test_thresholds_need_a_contamination():
    with pytest.raises(Undefined, match="contamination"):
        IsolationForest(trees=1).fit(ROWS, LABELS).thresholds  # noqa: B018


def test_parameters_are_checked():
    for wrong in [{"trees": 0}, {"sample": 0}, {"contamination": 0.0}, {"contamination": 1.0}, {"seed": -1}]:
        with refused(wrong, InvalidInput, match=next(iter(wrong))):
            IsolationForest(**wrong)


def test_labels_are_needed():
    with pytest.raises(InvalidInput, match="needs labels"):
        IsolationForest().fit(ROWS)


@pytest.mark.parametrize("contamination", [None, 0.3])
def test_it_is_complete(contamination):
    assert check_detector(lambda: IsolationForest(trees=5, contamination=contamination)).passed
