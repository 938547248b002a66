"""Success rate and accuracy, against scikit-learn and by hand."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score
from tests.refusals import refusal

from surefoot.core import InvalidInput
from surefoot.metrics import metric_named, of, tasks


def booked(dialogue, goal):
    return goal in dialogue


def test_outputs_say_whether_the_task_was_done():
    for outputs in ([True, False, True, True], np.array([1, 0, 1, 1]), [1.0, 0, np.True_, 1]):
        assert of(outputs, [None] * 4, "success_rate") == 0.75, outputs
        metric = tasks.success_rate()
        assert metric.error(metric.statistics(outputs, [None] * 4)).tolist() == [0, 1, 0, 0], outputs


def test_a_judge_says_it_of_output_and_truth_and_no_answer_is_a_failure():
    metric = tasks.success_rate(booked)
    assert of(["hotel on monday", "taxi", tasks.NO_ANSWER], ["hotel", "hotel", "hotel"], metric) == pytest.approx(1 / 3)
    assert metric.empty is tasks.NO_ANSWER
    assert tasks.success_rate().empty is False


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=20))
@settings(max_examples=20, deadline=None)
def test_accuracy_equals_that_of_scikit_learn(pairs):
    outputs, truths = np.array(pairs).T
    expected = accuracy_score(truths, outputs)
    assert of(outputs, truths, "accuracy") == pytest.approx(expected)
    assert of([f"c{label}" for label in outputs], [f"c{label}" for label in truths], "accuracy") == of(
        outputs.tolist(), truths, "accuracy"
    )


def test_no_answer_is_never_right_whatever_the_labels_are():
    assert of([tasks.NO_ANSWER, 1], [1, 1], "accuracy") == 0.5
    assert of([tasks.NO_ANSWER, tasks.NO_ANSWER], ["a", "b"], tasks.accuracy()) == 0
    assert of(["left", tasks.NO_ANSWER], ["left", "left"], "accuracy") == 0.5


def test_what_is_neither_success_nor_label_is_refused():
    for name, outputs, truths, message in (
        ("success_rate", [0.5], [None], "found 0.5 at index 0"),
        ("success_rate", [True, None], [1, 1], "found None at index 1"),
        ("success_rate", ["yes"], ["yes"], "a judge of output and truth"),
        ("success_rate", [np.nan], [1], "True or False"),
        ("success_rate", [[True, False]], [1], "True or False"),
        ("success_rate", [True], [1, 2], "same length"),
        ("success_rate", [], [], "at least one item"),
        ("accuracy", [None], [1], "must be labels; found None at index 0"),
        ("accuracy", [[0.1, 0.9]], [1], "argmax"),
        ("accuracy", np.zeros((2, 3)), [1, 1], "argmax"),
        ("accuracy", [1], [np.nan], "truths must be labels"),
        ("accuracy", ["1"], [1], "found text and numbers"),
        ("accuracy", [], [], "at least one item"),
    ):
        assert re.search(message, refusal(InvalidInput, of, outputs, truths, metric_named(name))), message
