"""Trees are tidy: neighbours apart, parents above the middle of their children, nothing recursive."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.drawing import Part, place_tree

GAP, NEARLY = 10.0, 1e-6
sizes = st.tuples(st.floats(1, 50), st.floats(1, 50), st.floats(1, 90))


@st.composite
def trees(draw):
    """Parts of any size; the first is the root."""
    parts = [Part(*draw(sizes), drop=15.0, gap=GAP) for _ in range(draw(st.integers(1, 30)))]
    for place in range(1, len(parts)):
        parts[draw(st.integers(0, place - 1))].below.append(place)
    return parts


def boxes(parts, placed):
    for part, x, y in zip(parts, placed.axes, placed.tops, strict=True):
        yield x - part.left, y, x + part.right, y + part.height


@settings(max_examples=25, deadline=None)
@given(trees(), st.sampled_from([None, lambda width, _: width]))
def test_no_two_parts_touch_and_the_leftmost_begins_at_0(parts, cost):
    placed = place_tree(parts, 0, cost=cost)
    found = list(boxes(parts, placed))
    assert min(left for left, *_ in found) >= -NEARLY
    for one, two in combinations(found, 2):
        apart = one[2] + GAP <= two[0] + NEARLY or two[2] + GAP <= one[0] + NEARLY
        assert apart or one[3] < two[1] or two[3] < one[1]
    for place, part in enumerate(parts):
        assert sorted(child for row in placed.rows[place] for child in row) == sorted(part.below)
        assert all(placed.tops[child] > found[place][3] for child in part.below)
        assert placed.reach[place] >= part.height


@settings(max_examples=25, deadline=None)
@given(trees())
def test_a_part_stands_midway_above_its_first_and_its_last_child(parts):
    placed = place_tree(parts, 0)
    for place, part in enumerate(parts):
        if len(placed.rows[place]) == 1:
            ends = placed.axes[part.below[0]], placed.axes[part.below[-1]]
            assert placed.axes[place] == pytest.approx(sum(ends) / 2)


@settings(max_examples=25, deadline=None)
@given(st.lists(sizes, min_size=1, max_size=5))
def test_neighbours_stand_no_further_apart_than_needed(found):
    leaves = [Part(*size) for size in found]
    placed = place_tree([Part(1, 1, 1, list(range(1, len(leaves) + 1)), gap=GAP), *leaves], 0)
    across = placed.axes[len(leaves)] - placed.axes[1]
    assert across == pytest.approx(sum(one[1] + two[0] + GAP for one, two in pairwise(found)))


def test_a_neighbour_moves_over_what_hangs_lower():
    parts = [Part(1, 1, 1, [1, 2], gap=0.0), Part(1, 1, 5, [3]), Part(1, 1, 5), Part(20, 20, 5)]
    placed = place_tree(parts, 0, tops=[0, 10, 10, 20])
    assert placed.axes[2] - placed.axes[1] == 2.0
    wide = [Part(1, 1, 1, [1, 2], gap=0.0), Part(1, 1, 5, [3]), Part(1, 1, 25), Part(20, 20, 5)]
    assert place_tree(wide, 0, tops=[0, 10, 10, 20]).axes[2] > 20


def test_given_heights_keep_a_family_in_one_row():
    parts = [Part(5, 5, 5, list(range(1, 41))), *(Part(5, 5, 5) for _ in range(40))]
    assert place_tree(parts, 0, tops=[0, *[10] * 40]).rows[0] == [list(range(1, 41))]
    assert len(place_tree(parts, 0).rows[0]) > 1


def test_rows_are_broken_until_the_shape_is_good():
    parts = [Part(5, 5, 5, [1, 2]), Part(5, 5, 5, list(range(3, 23))), Part(5, 5, 5, list(range(23, 43)))]
    parts += [Part(50, 50, 5, [place + 40] if place < 23 else []) for place in range(3, 63)]
    loose = place_tree(parts, 0)
    tight = place_tree(parts, 0, cost=lambda width, height: max(0.0, width / height - 2.0))
    assert max(tight.axes) < max(loose.axes)


def test_a_chain_of_10000_does_not_recurse():
    parts = [Part(5, 5, 5, [place + 1], drop=5.0) for place in range(9_999)] + [Part(5, 5, 5)]
    assert place_tree(parts, 0).tops[-1] == 99_990
