"""The partition of the domain."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.reliability import Grid


def test_the_running_example_has_62500_cells():
    grid = Grid.of((0, 1), 0.004, dimensions=2)
    assert grid.shape == (250, 250)
    assert len(grid) == 62_500
    assert grid.side == pytest.approx(0.004)


def test_a_domain_is_a_pair_a_pair_a_feature_or_two_corners():
    for domain in [(0, 1), [(0, 1), (0, 1)], ((0, 0), (1, 1)), np.array([[0.0, 1.0], [0.0, 1.0]])]:
        grid = Grid.of(domain, 0.25, dimensions=2)
        assert grid.lower.tolist() == [0, 0], domain
        assert grid.upper.tolist() == [1, 1], domain
        assert grid.shape == (4, 4), domain


def test_a_side_that_does_not_divide_the_domain_cuts_the_last_cell():
    grid = Grid.of([(0, 1), (-1, 1)], (0.3, 0.5), dimensions=2)
    assert grid.shape == (4, 4)
    assert grid.edges[0].tolist() == pytest.approx([0, 0.3, 0.6, 0.9, 1])


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.tuples(
            st.lists(st.tuples(st.floats(-5, 5), st.floats(0.1, 5)), min_size=d, max_size=d), st.floats(0.05, 3)
        )
    ),
    st.integers(0, 2**32 - 1),
)
def test_every_point_lies_in_its_cell_and_cells_fill_the_domain(shape, seed):
    spans, side = shape
    grid = Grid.of(
        [(low, low + width) for low, width in spans], max(side, 0.02 * max(w for _, w in spans)), dimensions=len(spans)
    )
    points = grid.lower + np.random.default_rng(seed).random((20, len(spans))) * (grid.upper - grid.lower)
    points = np.concatenate([points, grid.lower[None], grid.upper[None]])
    lower, upper = grid.corners(grid.cell_of(points))
    assert ((lower <= points) & (points <= upper)).all()
    low, high = grid.corners(slice(None))
    assert (high - low).prod(axis=1).sum() == pytest.approx((grid.upper - grid.lower).prod())


def test_an_edge_belongs_to_the_cell_above_and_the_end_to_the_last():
    grid = Grid.of((0, 1), 0.25, dimensions=1)
    assert grid.cell_of(np.array([[0.0], [0.25], [0.999], [1.0]])).tolist() == [0, 1, 3, 3]


def test_bad_domains_and_sides_are_refused():
    for domain, side in [
        ((1, 0), 0.1),
        ([(0, 1)], 0.1),
        ((0, 1), 0),
        ((0, 1), -1),
        ((0, 1), (0.1, 0.1, 0.1)),
        ((0, np.nan), 0.1),
    ]:
        with refused((domain, side), InvalidInput):
            Grid.of(domain, side, dimensions=2)


def test_points_outside_are_counted_and_named():
    grid = Grid.of((0, 1), 0.5, dimensions=2)
    with pytest.raises(InvalidInput, match=r"2 of 3 rows of X .* row 1: \[0.5, 1.5\]"):
        grid.require_inside(np.array([[0.1, 0.1], [0.5, 1.5], [-1, 0]]), name="X")


def test_too_many_cells_along_a_feature_are_refused_before_they_are_made():
    for domain, side, cells in [
        ((0, 1), 1e-13, r"1e\+13"),
        ((0, 1), 1e-320, "inf"),
        ((-1e308, 1e308), 1.0, "inf"),
        ([(0, 1), (0, 4)], (0.1, 1e-8), r"4e\+08"),
    ]:
        with refused(
            cells, InvalidInput, match=rf"more than 10,000,000 cells; found {cells} cells .* Take a side of at least"
        ):
            Grid.of(domain, side, dimensions=2)


def test_the_side_that_the_error_proposes_is_taken():
    with pytest.raises(InvalidInput, match=r"at least 2e-07") as error:
        Grid.of((0, 2), 1e-9, dimensions=1)
    assert "feature 0 into more than" in str(error.value)
    assert Grid.of((0, 2), 2e-7, dimensions=1).shape == (10_000_000,)


def test_cells_without_width_in_double_precision_are_refused():
    with pytest.raises(InvalidInput, match="feature 1 have no width in double precision; found 1,000 cells"):
        Grid.of([(0, 1), (1e15, 1e15 + 1)], (0.1, 0.001), dimensions=2)


def test_sides_are_the_largest_along_each_feature():
    grid = Grid.of([(0, 1), (-1, 1), (0, 0.2)], (0.3, 0.5, 1), dimensions=3)
    assert grid.sides.tolist() == pytest.approx([0.3, 0.5, 0.2])
    assert grid.side == pytest.approx(0.5)
