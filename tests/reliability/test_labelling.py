"""Labels of cells."""

import numpy as np
from tests.refusals import refused
from tests.reliability.worlds import asked

from surefoot.core import InvalidInput
from surefoot.profile import KDE
from surefoot.reliability import LocalProblem, MonteCarlo, assess_cells

VOTE = LocalProblem.VOTE
POINTS, LABELS = np.array([[0.1], [0.2], [0.9]]), np.array(["green", "green", "red"])


def model(x):
    return np.where(x[:, 0] > 0.5, "red", "green")


def labels_of(points, labels, **options):
    return asked(model, points, labels, **options).labels.tolist()


def test_normal_empty_and_cross_boundary_cells():
    points = np.array([[0.1], [0.2], [0.3], [0.4], [0.9]])
    labels = np.array(["green", "green", "green", "red", "red"])
    assert labels_of(points, labels) == [0, VOTE, VOTE, 1]
    found = assess_cells(
        model, points, labels, side=0.25, domain=(0, 1), profile=KDE(0.1), estimator=MonteCarlo(20)
    ).cells
    assert [row[2] for row in found.table().rows] == ["labelled", "cross-boundary", "voted", "labelled"]
    assert found.points.tolist() == [2, 2, 0, 1]
    assert found.risk[1] == 1


def test_labels_agree_with_a_loop_over_cells():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        points, labels = rng.random((300, 2)), rng.integers(0, 3, 300)
        problem = asked(lambda x: (3 * x[:, 0]).astype(int), points, labels, side=0.1)
        where = problem.boxes.cell_of(points)
        for cell in range(len(problem.boxes)):
            inside = set(labels[where == cell].tolist())
            assert (problem.weights[cell] == 0) == (len(inside) > 1), (seed, cell)
            assert problem.labels[cell] == (inside.pop() if len(inside) == 1 else VOTE), (seed, cell)


def test_an_oracle_labels_empty_cells_and_may_decline():
    found = labels_of(POINTS, LABELS, oracle=lambda centres: [None if c > 0.5 else "red" for c in centres[:, 0]])
    assert found == [0, 1, VOTE, 1]


def test_a_wrong_answer_of_the_oracle_is_an_error():
    for name, answer in {"unknown": lambda c: ["blue"] * len(c), "too few": lambda c: ["red"]}.items():
        with refused(name, InvalidInput, match="oracle"):
            labels_of(POINTS, LABELS, oracle=answer)


ONE_FOR_ALL = {
    "number": lambda c: 1,
    "none": lambda c: None,
    "text": lambda c: "rd",
    "mapping": lambda c: {0: "red", 1: "red"},
    "array without axes": lambda c: np.array(1),
}


def test_one_answer_for_all_centres_is_an_error_that_says_what_is_asked_for():
    for name, answer in ONE_FOR_ALL.items():
        with refused(name, InvalidInput, match="one label, or None, for each centre"):
            labels_of(POINTS, LABELS, oracle=answer)


def test_an_error_of_the_oracle_itself_passes():
    for name, answer in {"one by one": lambda c: (1 / 0 for _ in c), "at once": lambda c: [1 / 0 for _ in c]}.items():
        with refused(name, ZeroDivisionError):
            labels_of(POINTS, LABELS, oracle=answer)


def test_an_oracle_may_answer_with_any_sequence():
    for kind in (list, tuple, iter, np.array):
        found = labels_of(POINTS, LABELS, oracle=lambda c, kind=kind: kind(["red"] * len(c)))
        assert found == [0, 1, 1, 1], kind
