from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import mahalanobis
from sklearn.covariance import EmpiricalCovariance, LedoitWolf, ShrunkCovariance
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import Detector, Mahalanobis

CLASSES, FEATURES = 3, 5
KINDS = ("class", "tied", "relative")


def rows_of(count, seed, features=FEATURES):
    """Correlated rows around a centre for each class, far from 0."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(size=(CLASSES, features)) * 3 + 20
    mixing = np.random.default_rng(8).normal(size=(features, features))
    labels = np.arange(count) % CLASSES
    return centres[labels] + rng.normal(size=(count, features)) @ mixing, labels


ROWS, LABELS = rows_of(120, 1)
QUERIES, ANSWERS = rows_of(40, 2)


def within(rows, labels):
    """Rows around the mean of their class."""
    return rows - np.array([rows[labels == k].mean(axis=0) for k in range(CLASSES)])[labels]


def smallest(covariance):
    """Smallest squared distance to the mean of a class."""
    inverse = np.linalg.inv(covariance)
    means = [ROWS[k == LABELS].mean(axis=0) for k in range(CLASSES)]
    return [min(mahalanobis(query, mean, inverse) ** 2 for mean in means) for query in QUERIES]


def test_plain_class_distance_equals_scipy():
    found = Mahalanobis("class", shrinkage=0).fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
    expected = []
    for query, answer in zip(QUERIES, ANSWERS, strict=True):
        own = ROWS[answer == LABELS]
        inverse = np.linalg.inv(np.cov(own, rowvar=False, bias=True))
        expected.append(mahalanobis(query, own.mean(axis=0), inverse) ** 2)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_plain_tied_distance_equals_scipy_and_needs_no_predictions():
    found = Mahalanobis("tied", shrinkage=0).fit(ROWS, LABELS).decision_function(QUERIES)
    np.testing.assert_allclose(found, smallest(np.cov(within(ROWS, LABELS), rowvar=False, bias=True)), rtol=1e-9)


def test_shrunk_tied_distance_equals_that_with_the_covariance_of_scikit_learn():
    found = Mahalanobis("tied").fit(ROWS, LABELS).decision_function(QUERIES)
    covariance = LedoitWolf(assume_centered=True).fit(within(ROWS, LABELS)).covariance_
    np.testing.assert_allclose(found, smallest(covariance), rtol=1e-9)


@pytest.mark.parametrize(
    ("shrinkage", "peer"),
    [(0, EmpiricalCovariance()), (None, LedoitWolf()), (0.3, ShrunkCovariance(shrinkage=0.3))],
    ids=["plain", "Ledoit-Wolf", "stated"],
)
def test_without_labels_all_rows_are_one_class_as_in_scikit_learn(shrinkage, peer):
    found = Mahalanobis("tied", shrinkage=shrinkage).fit(ROWS).decision_function(QUERIES)
    np.testing.assert_allclose(found, peer.fit(ROWS).mahalanobis(QUERIES), rtol=1e-9)


def test_relative_distance_is_what_a_class_explains_better_than_the_whole():
    found = Mahalanobis("relative").fit(ROWS, LABELS).decision_function(QUERIES)
    shared = LedoitWolf(assume_centered=True).fit(within(ROWS, LABELS)).covariance_
    np.testing.assert_allclose(found, smallest(shared) - LedoitWolf().fit(ROWS).mahalanobis(QUERIES), rtol=1e-8)


def test_a_class_of_one_row_has_the_covariance_of_all():
    labels = np.where(LABELS == 2, 0, LABELS)
    labels[0] = 2
    found = Mahalanobis("class").fit(ROWS, labels).decision_function(QUERIES, np.full(len(QUERIES), 2))
    together = ROWS - np.array([ROWS[labels == k].mean(axis=0) for k in range(3)])[labels]
    inverse = np.linalg.inv(LedoitWolf(assume_centered=True).fit(together).covariance_)
    np.testing.assert_allclose(found, [mahalanobis(query, ROWS[0], inverse) ** 2 for query in QUERIES], rtol=1e-9)


def test_fewer_rows_than_features_give_finite_scores_and_tell_what_is_strange():
    for kind, shrinkage, count in product(KINDS, (None, 0, 0.5), (3, 4, 9)):
        rows, labels = rows_of(count, 3, features=20)
        detector = Mahalanobis(kind, shrinkage=shrinkage).fit(rows, labels)
        scores = detector.decision_function(np.concatenate([rows, rows[:1] + 1e3]), [*labels, labels[0]])
        assert np.isfinite(scores).all(), (kind, shrinkage, count)
        if kind != "relative":  # far away both distances grow alike
            assert scores[-1] > scores[:-1].max(), (kind, shrinkage, count)


def test_leaving_a_constant_is_strange_and_rounding_it_is_not():
    for shrinkage in [None, 0]:
        for kind in ["class", "tied"]:
            rows = np.column_stack([ROWS, np.full(len(ROWS), 0.1)])
            detector = Mahalanobis(kind, shrinkage=shrinkage).fit(rows, LABELS)
            moved = rows[:1] + np.array([0, 0, 0, 0, 0, 30.0])
            usual, rounded, strange = (
                detector.decision_function(each, LABELS[:1])[0]
                for each in (rows[:1], rows[:1].astype(np.float32), moved)
            )
            assert abs(rounded - usual) < 1e-3, (shrinkage, kind)
            assert strange > 10 * detector.decision_function(rows, LABELS).max(), (shrinkage, kind)


def test_features_that_others_determine_do_no_harm():
    for shrinkage in [None, 0]:
        for kind in KINDS:

            def doubled(rows):
                return np.column_stack([rows, rows[:, 0] + rows[:, 1]])

            detector = Mahalanobis(kind, shrinkage=shrinkage).fit(doubled(ROWS), LABELS)
            scores = detector.decision_function(doubled(QUERIES), ANSWERS)
            assert np.isfinite(scores).all(), (shrinkage, kind)
            if kind != "relative":
                broken = doubled(QUERIES) + np.array([0, 0, 0, 0, 0, 50.0])
                assert (detector.decision_function(broken, ANSWERS) > scores).all(), (shrinkage, kind)


def test_rows_that_are_all_the_same_make_any_other_strange():
    detector = Mahalanobis().fit(np.ones((4, 2)), [0, 0, 1, 1])
    same, other = detector.decision_function([[1, 1], [1, 1.5]], [0, 1])
    assert same == 0
    assert 1e3 < other < np.inf


def test_the_unit_of_the_features_does_not_matter():
    for kind in KINDS:
        for scale in [2.0**-900, 2.0**900]:
            plain = Mahalanobis(kind).fit(ROWS, LABELS).decision_function(QUERIES, ANSWERS)
            scaled = Mahalanobis(kind).fit(ROWS * scale, LABELS).decision_function(QUERIES * scale, ANSWERS)
            np.testing.assert_allclose(scaled, plain, rtol=1e-12, err_msg=repr((kind, scale)))


@pytest.mark.parametrize("kind", KINDS)
def test_huge_values_have_finite_scores(kind):
    detector = Mahalanobis(kind).fit(ROWS, LABELS)
    huge = np.array([[1e300] * FEATURES, [-1e308, 1e308, 0, 0, 0]])
    assert np.isfinite(detector.decision_function(huge, [0, 1])).all()


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_and_a_file_give_the_same_scores(kind, tmp_path):
    detector = Mahalanobis(kind).fit(ROWS, LABELS)
    scores = detector.decision_function(QUERIES, ANSWERS)
    ones = [detector.score_one(*pair) for pair in zip(QUERIES, ANSWERS, strict=True)]
    np.testing.assert_allclose(ones, scores, rtol=1e-10)
    detector.save(tmp_path / "detector.npz")
    loaded = Detector.load(tmp_path / "detector.npz")
    assert loaded.parameters == {"kind": kind, "shrinkage": None}
    assert loaded.by_class == (kind == "class")
    assert (loaded.decision_function(QUERIES, ANSWERS) == scores).all()


def test_wrong_parameters_are_refused():
    for options, message in [
        ({"kind": "tide"}, "Did you mean 'tied'"),
        ({"shrinkage": 1.5}, "shrinkage"),
        ({"shrinkage": float("nan")}, "shrinkage"),
    ]:
        with refused((options, message), InvalidInput, match=message):
            Mahalanobis(**options)


def test_a_relative_distance_needs_two_classes():
    with pytest.raises(InvalidInput, match=r"two classes.*kind='tied'"):
        Mahalanobis("relative").fit(ROWS)
