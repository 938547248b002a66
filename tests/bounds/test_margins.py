import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import refusal

from surefoot.bounds import margins, mode_margins, normal_score_by_mode
from surefoot.core import InvalidInput

SCORES = np.array([[0.7, 0.2, 0.1], [0.3, 0.3, 0.4], [0.1, 0.1, 0.8]])
LABELS = [0, 1, 2]


def by_definition(scores, labels, undesired):
    """NRB, Eqn. (2), read aloud."""
    result = []
    for row, label in zip(scores, labels, strict=True):
        bad = undesired[label]
        inside = max(s for j, s in enumerate(row) if j in bad)
        outside = max(s for j, s in enumerate(row) if j not in bad)
        result.append(outside - inside)
    return result


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_margins_follow_equation_2_of_nrb(classes, n, seed):
    rng = np.random.default_rng(seed)
    scores, labels = rng.normal(size=(n, classes)).round(1), rng.integers(0, classes, n)
    sizes = rng.integers(1, classes, classes)
    wrong = [np.delete(np.arange(classes), k) for k in range(classes)]
    undesired = {k: set(rng.choice(wrong[k], size, replace=False).tolist()) for k, size in enumerate(sizes)}
    assert margins(scores, labels, undesired).tolist() == by_definition(scores, labels, undesired)


def test_without_sets_every_wrong_class_is_undesired():
    everything_else = {k: {0, 1, 2} - {k} for k in range(3)}
    assert margins(SCORES, LABELS).tolist() == margins(SCORES, LABELS, everything_else).tolist()


def test_a_positive_margin_means_the_argmax_is_right():
    rng = np.random.default_rng(0)
    scores, labels = rng.normal(size=(500, 4)), rng.integers(0, 4, 500)
    assert ((margins(scores, labels) > 0) == (scores.argmax(axis=1) == labels)).all()


def test_mapping_sequence_and_function_say_the_same():
    sets = [{1}, {0, 2}, {0}]
    forms = (sets, dict(enumerate(sets)), sets.__getitem__)
    assert len({tuple(margins(SCORES, LABELS, form).tolist()) for form in forms}) == 1


def test_a_label_is_never_undesired_for_itself():
    for sets in ({0: {0}}, {0: {0, 1}}, [[0]], lambda y: {y}):
        assert "label 0: the label is undesired for itself" in refusal(
            InvalidInput, margins, [[0.5, 0.3, 0.2]], [0], sets
        ), sets


def test_whole_numbers_of_any_type_name_a_column():
    for column in (1, 1.0, np.int8(1), np.float32(1)):
        for sets in (
            {0: {column}},
            {0: np.array([column])},
            [(column,)],
            np.array([[column]]),
            lambda y, c=column: iter([c]),
        ):
            assert margins([[0.5, 0.3, 0.1]], [0], sets).tolist() == pytest.approx([0.2]), column


def test_a_tie_has_margin_zero():
    assert margins([[0.5, 0.5]], [0]).tolist() == [0.0]


def test_a_class_that_can_never_be_chosen_is_ignored():
    assert margins([[1.0, 0.25, -np.inf]], [0]).tolist() == [0.75]
    assert margins([[1.0, -np.inf]], [0]).tolist() == [np.inf]
    assert margins([[-np.inf, 1.0]], [0]).tolist() == [-np.inf]
    assert margins([[-np.inf, -np.inf, 0.0]], [0], {0: {1}}).tolist() == [np.inf]


def test_only_sets_of_labels_that_occur_are_needed():
    assert margins([[0.9, 0.1, 0.0]], [0], {0: {2}}).tolist() == [0.9]


def test_mode_margins_keep_one_class_and_one_failure():
    assert mode_margins(SCORES, LABELS, (1, 2)).tolist() == pytest.approx([-0.1])
    assert mode_margins(SCORES, LABELS, (2, 0)).tolist() == pytest.approx([0.7])


def test_bad_input_is_named():
    for scores, labels, undesired, message in (
        ([[0.1, np.nan]], [0], None, r"scores must be free of NaN; found nan at index \(0, 1\)"),
        ([[np.inf, np.inf]], [0], None, "difference of two equal infinities.*row 0"),
        ([[0, 1], [-np.inf, -np.inf]], [0, 1], None, r"row 1 \(1 such"),
        ([[0.1, 0.2]], [2], None, "whole numbers from 0 to 1.*found 2 at index 0.*counting from 0"),
        ([[0.1, 0.2]], [-1], None, "found -1"),
        ([[0.1, 0.2]], [0.5], None, "found 0.5"),
        ([[0.1, 0.2]], [np.nan], None, "labels must be finite"),
        ([[0.1, 0.2]], [0], {0: set()}, "label 0: no class is undesired"),
        ([[0.1, 0.2]], [0], {0: {0, 1}}, "label 0: every class is undesired"),
        ([[0.1, 0.2]], [0], {1: {0}}, r"label 0: the label occurs but has no undesired set; found sets for \[1\]"),
        ([[0.1, 0.2]], [1], [{1}], "found sets for 1 labels"),
        ([[0.1, 0.2]], [0], {0: {7}}, "unknown class; found 7. Name columns from 0 to 1"),
        ([[0.1, 0.2]], [0], {0: [False, True]}, "unknown class; found False"),
        ([[0.1, 0.2]], [0], {0: {0.5}}, "unknown class; found 0.5"),
        ([[0.1, 0.2]], [0], {0: [[1]]}, r"unknown class; found \[1\]"),
        ([[0.1, 0.2]], [0], {0: {"a", 7}}, "unknown class"),
        ([[0.1, 0.2]], [0], {0: 1}, "label 0: undesired classes are a collection of column numbers; found 1"),
        ([[0.1, 0.2]], [0], {0: None}, "collection of column numbers; found None"),
        ([[0.1, 0.2]], [0], {0: "1"}, "collection of column numbers; found '1'"),
        ([[0.1, 0.2]], [0], {0: np.array(1)}, "collection of column numbers"),
        ([[0.1, 0.2]], [0], {0: {1: True}}, "collection of column numbers"),
        ([[0.1, 0.2]], [0], lambda y: None, "collection of column numbers; found None"),
        ([[0.1, 0.2]], [0], 5, "a mapping, a sequence or a function of the label; found 5"),
        ([[0.1, 0.2]], [0], "1", "a mapping, a sequence or a function of the label; found '1'"),
        ([[0.1, 0.2]], [0], {"0": {1}, 1: {0}}, "found sets for"),
        (np.empty((0, 2)), [], None, r"at least one row and two classes; found shape \(0, 2\)"),
        ([[0.1], [0.2]], [0, 0], None, "two classes"),
        ([0.1, 0.2], [0, 0], None, r"np.column_stack\(\[-d, d\]\)"),
        ([[0.1, 0.2]], [0, 1], None, "scores of 1, labels of 2"),
        ([["a", "b"]], [0], None, "scores must be numbers"),
    ):
        assert re.search(message, refusal(InvalidInput, margins, scores, labels, undesired)), (scores, labels)


def test_a_mode_whose_class_does_not_occur_is_named():
    with pytest.raises(InvalidInput, match="failure mode 1 -> 0: no row has the label 1"):
        mode_margins([[0.1, 0.2]], [0], (1, 0))


def test_bad_modes_are_named():
    for mode, message in (
        (3, "a pair of classes.*found 3"),
        (None, "a pair of classes"),
        ((0, 1, 2), r"a pair of classes.*found \(0, 1, 2\)"),
        ((0, 0), r"the true class is no failure; found \(0, 0\)"),
        ((0, 3), "unknown class; found 3"),
        ((0, 0.5), "unknown class; found 0.5"),
        ((0, "1"), "unknown class; found '1'"),
        (([0], 1), "unknown class"),
    ):
        assert re.search(message, refusal(InvalidInput, mode_margins, SCORES, LABELS, mode)), message
        assert re.search(message, refusal(InvalidInput, normal_score_by_mode, SCORES, LABELS, [mode])), message


def test_modes_are_a_collection():
    with pytest.raises(InvalidInput, match="modes must be pairs"):
        normal_score_by_mode(SCORES, LABELS, 3)


def test_text_labels_are_told_how_to_become_column_numbers():
    with pytest.raises(InvalidInput, match=r"not text; found .*'cat'.*searchsorted"):
        margins([[0.7, 0.3], [0.2, 0.8]], ["cat", "dog"])
