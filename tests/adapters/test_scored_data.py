"""Data that bring scores made elsewhere."""

import numpy as np
import pytest

from surefoot.adapters import as_data, load_data
from surefoot.core import InvalidInput
from tests.adapters.problems import problem

Y = np.asarray([0, 1, 2, 1])
P = np.asarray([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]])


def test_probabilities_are_recognised():
    data = as_data({"scores": P, "labels": Y})
    assert (data.output, data.classes) == ("probability", ("0", "1", "2"))
    assert np.array_equal(data.scores, P)


def test_logits_become_probabilities_when_said_so():
    data = as_data({"scores": np.log(P), "labels": Y, "output": "logit"})
    assert data.output == "probability"
    np.testing.assert_allclose(data.scores, P)
    assert as_data({"scores": np.log(P), "labels": Y}).output == "score"


def test_predicted_labels_become_ones_and_zeros():
    data = as_data({"scores": np.asarray(["a", "c", "b"]), "labels": np.asarray(["a", "b", "b"])})
    assert (data.output, data.classes) == ("label", ("a", "b", "c"))
    assert data.scores.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert data.labels.tolist() == [0, 1, 1]


def test_a_class_that_never_occurs_still_has_its_column():
    data = as_data({"scores": P, "labels": Y % 2 * 2})
    assert data.classes == ("0", "1", "2")
    assert data.labels.tolist() == [0, 2, 0, 2]


def test_classes_may_be_numbers_and_an_unknown_word_for_scores_gets_a_suggestion():
    assert as_data({"scores": P, "labels": Y}, classes=[0, 1, 2]).classes == ("0", "1", "2")
    with pytest.raises(InvalidInput, match="Did you mean 'logit'"):
        as_data({"scores": P, "labels": Y, "output": "logits"})


def test_columns_named_after_the_classes_keep_their_names(tmp_path):
    (tmp_path / "d.csv").write_text("malignant,benign,label\n0.9,0.1,malignant\n0.2,0.8,benign\n")
    source = {"path": "d.csv", "scores": ["malignant", "benign"], "folder": tmp_path}
    data = load_data(**source)
    assert data.classes == ("malignant", "benign")
    assert data.labels.tolist() == data.scores.argmax(axis=1).tolist()
    with problem("data-classes", "same order"):
        load_data(**source, classes=["benign", "malignant"])


def test_scores_that_do_not_fit_are_refused():
    for data, code, match in (
        ({"scores": P, "labels": ["a", "b", "a", "b"]}, "data-classes", "3 columns of scores for 2 classes"),
        ({"scores": P[:, :2], "labels": Y}, "data-classes", "2 columns of scores for 3 classes"),
        ({"scores": P * 2, "labels": Y, "output": "probability"}, "data-type", "row 0"),
        ({"scores": P * np.nan, "labels": Y}, "data-missing-values", "'scores'"),
        ({"scores": P[:, :, None], "labels": Y}, "data-type", "shape"),
        ({"scores": P[:3], "labels": Y}, "data-type", "scores has 3, labels has 4|labels has 4, scores has 3"),
        (
            {"scores": ["a", "d", "a", "a"], "labels": ["a", "b", "a", "b"], "classes": ["a", "b", "c"]},
            "data-classes",
            "'d'",
        ),
        ({"scores": P, "label": Y}, "data-column", "Did you mean 'labels'"),
        ({"labels": Y, "classes": ["a", "a", "b"]}, "data-classes", "twice"),
        ({"labels": Y, "classes": "abc"}, "data-classes", "no list"),
        ({"inputs": np.zeros((4, 0)), "labels": Y}, "data-type", "no values"),
        ({"inputs": P, "labels": Y, "attributes": {"labels": Y}}, "data-column", "Rename"),
        ({"scores": P.astype(str), "labels": Y}, "data-type", "scores must be numbers; found text"),
        ({"scores": P * 1e308, "labels": Y}, "data-type", "beyond 1e\\+150"),
        ({"scores": P, "labels": ["a", "b", "c", "b"]}, "data-classes", "List classes in the order"),
        ({"inputs": P, "labels": Y, "attributes": {"use": ["\udce9", "b", "b", "b"]}}, "data-type", "not Unicode"),
    ):
        with problem(code, match):
            as_data(data)
