"""Which answers count as failures."""

import numpy as np
from tests.refusals import refused
from tests.reliability.worlds import asked

from surefoot.core import InvalidInput

POINTS, LABELS = np.array([[0.1], [0.4], [0.9]]), np.array([0, 1, 2])


def undesired_answers(undesired):
    """Whether each answer fails for each true label, as estimators are told."""
    return asked(lambda x: (3 * x[:, 0]).astype(int), POINTS, LABELS, undesired=undesired).undesired


def test_all_wrong_answers_fail_where_nothing_else_is_said():
    for undesired in [None, {}]:
        assert (undesired_answers(undesired) == ~np.eye(3, dtype=bool)).all(), undesired


def test_a_named_class_fails_by_its_own_set_only():
    for answers in [[0], (0,), {0}, {"0"}, frozenset({0}), np.array([0]), {0: "why"}.keys()]:
        table = undesired_answers({1: answers, "2": []})
        assert table.tolist() == [[False, True, True], [True, False, False], [False, False, False]], answers


def test_other_shapes_are_refused_with_an_example():
    for undesired, message in [
        ([1], r"must map true labels to collections of answers; found list \[1\]"),
        ([], "must map true labels"),
        ("1", "must map true labels"),
        ({1: 0}, "answers of 1 must be a collection of labels; found int 0"),
        ({1: "0"}, "answers of 1 must be a collection of labels; found str '0'"),
        ({1: None}, "answers of 1 must be a collection of labels; found NoneType None"),
        ({1: np.array(0)}, "answers of 1 must be a collection"),
    ]:
        with refused(undesired, InvalidInput, match=rf"undesired: .*{message}.*For example undesired={{'0': \['1'\]}}"):
            undesired_answers(undesired)


def test_the_right_answer_and_unknown_classes_are_refused():
    for undesired in [{1: [1]}, {1: [7]}, {7: [1]}]:
        with refused(undesired, InvalidInput, match="undesired"):
            undesired_answers(undesired)
