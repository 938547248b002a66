"""Labels of cells."""

import numpy as np
import pytest
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.reliability import Grid
from surefoot.reliability.labelling import ASKED, CROSS_BOUNDARY, EMPTY, NORMAL, ask, label_cells
from surefoot.reliability.local import VOTE

GRID = Grid.of((0, 1), 0.25, dimensions=1)
POINTS = np.array([[0.1], [0.2], [0.3], [0.4], [0.9]])
CLASSES = ("green", "red")


def test_normal_empty_and_cross_boundary_cells():
    cells = label_cells(GRID, POINTS, np.array([0, 0, 0, 1, 1]))
    assert cells.source.tolist() == [NORMAL, CROSS_BOUNDARY, EMPTY, NORMAL]
    assert cells.labels.tolist() == [0, VOTE, VOTE, 1]
    assert cells.points.tolist() == [2, 2, 0, 1]
    assert cells.counts == {"voted": 1, "labelled": 2, "cross-boundary": 1, "oracle": 0}


@pytest.mark.parametrize("seed", range(5))
def test_labels_agree_with_a_loop_over_cells(seed):
    rng = np.random.default_rng(seed)
    points, labels = rng.random((300, 2)), rng.integers(0, 3, 300)
    grid = Grid.of((0, 1), 0.1, dimensions=2)
    found = label_cells(grid, points, labels)
    where = grid.cell_of(points)
    for cell in range(len(grid)):
        inside = set(labels[where == cell].tolist())
        assert found.source[cell] == (EMPTY if not inside else NORMAL if len(inside) == 1 else CROSS_BOUNDARY)
        assert found.labels[cell] == (inside.pop() if len(inside) == 1 else VOTE)


def test_an_oracle_labels_empty_cells_and_may_decline():
    cells = label_cells(GRID, POINTS[:2], np.array([0, 0]))
    asked = ask(lambda centres: [None if c > 0.8 else "red" for c in centres[:, 0]], GRID, cells, CLASSES)
    assert asked.source.tolist() == [NORMAL, ASKED, ASKED, EMPTY]
    assert asked.labels.tolist() == [0, 1, 1, VOTE]


def test_a_wrong_answer_of_the_oracle_is_an_error():
    for answer in [lambda c: ["blue"] * len(c), lambda c: ["red"]]:
        with refused(answer, InvalidInput, match="oracle"):
            ask(answer, GRID, label_cells(GRID, POINTS[:1], np.array([0])), CLASSES)


ONE_FOR_ALL = {
    "number": lambda c: 1,
    "none": lambda c: None,
    "text": lambda c: "red",
    "mapping": lambda c: {0: "red", 1: "red", 2: "red"},
    "array without axes": lambda c: np.array(1),
}


def test_one_answer_for_all_centres_is_an_error_that_says_what_is_asked_for():
    for name, answer in ONE_FOR_ALL.items():
        cells = label_cells(GRID, POINTS[:2], np.array([0, 0]))
        with refused(
            name, InvalidInput, match="oracle: the oracle must answer one label, or None, for each centre; found"
        ):
            ask(answer, GRID, cells, ("d", "e", "r"))


def test_an_error_of_the_oracle_itself_passes():
    for answer in [lambda c: (1 / 0 for _ in c), lambda c: [1 / 0 for _ in c]]:
        with refused(answer, ZeroDivisionError):
            ask(answer, GRID, label_cells(GRID, POINTS[:1], np.array([0])), CLASSES)


def test_an_oracle_may_answer_with_any_sequence():
    for kind in [list, tuple, iter, np.array]:
        asked = ask(
            lambda c, kind=kind: kind(["red"] * len(c)), GRID, label_cells(GRID, POINTS[:2], np.array([0, 0])), CLASSES
        )
        assert asked.labels.tolist() == [0, 1, 1, 1], kind
