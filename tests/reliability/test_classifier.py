"""A model as a function to class numbers."""

import numpy as np
import pytest
from tests.refusals import refused
from tests.reliability.worlds import above, asked, strip

from surefoot.core import DiagnosticsError, SurefootError

POINTS, LABELS = strip(np.random.default_rng(0), 5000)


class ChanceBeyond:
    """Answers alternate from call to call where the first feature exceeds the border."""

    def __init__(self, border):
        self.border, self.calls = border, 0

    def __call__(self, inputs):
        self.calls += 1
        return np.where(inputs[:, 0] > self.border, self.calls % 2, 0)


def test_a_model_that_answers_the_same_passes():
    decide = asked(above(0.5), POINTS, LABELS).decide
    np.testing.assert_array_equal(decide(POINTS), LABELS)


def test_chance_in_late_rows_is_found():
    rows = np.zeros((20_000, 2))
    rows[15_000:] = 1
    with pytest.raises(DiagnosticsError, match=r"row 1[5-9]\d{3} first: \[1.0, 1.0\]"):
        asked(ChanceBeyond(0.5), rows, rows[:, 0].astype(int))


def test_chance_where_no_data_are_is_found_at_further_points():
    with pytest.raises(DiagnosticsError, match=r"further point \d+ first: \[1.\d+, "):
        asked(ChanceBeyond(1.5), POINTS, LABELS, domain=(0, 2))


def test_an_answer_that_depends_on_the_place_in_the_batch_is_found():
    with pytest.raises(DiagnosticsError, match="differently the second time"):
        asked(lambda inputs: (np.arange(len(inputs)) > len(inputs) / 3).astype(int), POINTS, LABELS)


UNUSABLE = {
    "none among numbers": [0, 1, None],
    "none among text": ["a", "b", None],
    "numbers and text": [0, "a", 1],
    "ragged": [(0,), (1, 2), (3,)],
}


def test_labels_that_are_no_classes_are_refused():
    for name, labels in UNUSABLE.items():
        column = np.empty(3, dtype=object)
        column[:] = labels
        with refused(name, SurefootError):
            asked(above(0.5), POINTS[:3], column)
        with refused(name, SurefootError):
            asked(above(0.5), POINTS, LABELS, holdout=(POINTS[:3], column))
