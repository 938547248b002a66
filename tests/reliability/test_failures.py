"""Which answers count as failures."""

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.reliability.failures import undesired_answers

CLASSES = ("0", "1", "2")


@pytest.mark.parametrize("undesired", [None, {}], ids=["none", "empty"])
def test_all_wrong_answers_fail_where_nothing_else_is_said(undesired):
    assert (undesired_answers(undesired, CLASSES) == ~np.eye(3, dtype=bool)).all()


@pytest.mark.parametrize(
    "answers", [[0], (0,), {0}, {"0"}, frozenset({0}), np.array([0]), {0: "why"}.keys()], ids=lambda a: type(a).__name__
)
def test_a_named_class_fails_by_its_own_set_only(answers):
    table = undesired_answers({1: answers, "2": []}, CLASSES)
    assert table.tolist() == [[False, True, True], [True, False, False], [False, False, False]]


@pytest.mark.parametrize(
    ("undesired", "message"),
    [
        ([1], r"must map true labels to collections of answers; found list \[1\]"),
        ([], "must map true labels"),
        ("1", "must map true labels"),
        ({1: 0}, "answers of 1 must be a collection of labels; found int 0"),
        ({1: "0"}, "answers of 1 must be a collection of labels; found str '0'"),
        ({1: None}, "answers of 1 must be a collection of labels; found NoneType None"),
        ({1: np.array(0)}, "answers of 1 must be a collection"),
    ],
    ids=["list", "empty list", "text", "number", "text as answers", "none", "array without axes"],
)
def test_other_shapes_are_refused_with_an_example(undesired, message):
    with pytest.raises(InvalidInput, match=rf"undesired: .*{message}.*For example undesired={{'0': \['1'\]}}"):
        undesired_answers(undesired, CLASSES)


@pytest.mark.parametrize("undesired", [{1: [1]}, {1: [7]}, {7: [1]}], ids=["right", "no answer", "no class"])
def test_the_right_answer_and_unknown_classes_are_refused(undesired):
    with pytest.raises(InvalidInput, match="undesired"):
        undesired_answers(undesired, CLASSES)
