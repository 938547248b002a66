"""What the data say about the assumptions of RAM."""

import numpy as np
import pytest
from tests.reliability.worlds import above

from surefoot.profile import KDE
from surefoot.reliability import MonteCarlo, assess_cells


def separated(points, labels, side):
    found = assess_cells(
        above(0.5), points, labels, side=side, domain=(0, 1), profile=KDE(0.1), estimator=MonteCarlo(samples=20)
    )
    return next(a.check for a in found.assumptions if a.id == "separated-classes")


def fits_one_cell(points, labels, side):
    """Whether two inputs of different labels can lie in one closed cell."""
    near = (np.abs(points[:, None] - points) <= side).all(axis=2)
    return bool((near & (labels[:, None] != labels)).any())


@pytest.mark.parametrize("seed", range(6))
def test_cells_of_unequal_sides_are_checked_by_each_of_them(seed):
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.choice([0.2, 0.4, 0.6, 0.8], 40), rng.random(40)])
    labels = (points[:, 0] > 0.5).astype(int)
    for side in ((0.1, 1.0), (0.25, 0.5), (0.25, 0.05)):
        check = separated(points, labels, side)
        assert (check.status == "contradicted") == fits_one_cell(points, labels, np.array(side))
        assert check.method.endswith("measured in cells")
        assert check.figures["side"] == 1


def test_cells_of_one_side_keep_the_units_of_the_data():
    check = separated(np.array([[0.25, 0.5], [0.75, 0.5]]), np.array([0, 1]), 0.1)
    assert (check.status, check.figures["separation"]) == ("supported", 0.5)
    assert check.method == "side 0.1 is below the smallest distance between labels, 0.5"
