"""Ways on a grid cost as little as any, found by trying all."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.drawing import routing

HIGH, WIDE = 3, 3
costs = st.integers(1, 200).map(float)
across = st.lists(costs, min_size=HIGH * (WIDE - 1), max_size=HIGH * (WIDE - 1))
down = st.lists(costs, min_size=(HIGH - 1) * WIDE, max_size=(HIGH - 1) * WIDE)
places = st.integers(0, HIGH * WIDE - 1)


def price(way, across, down):
    """What a way costs that begins downwards, turns included."""
    total, upright = 0.0, True
    for here, there in pairwise(way):
        (row, column), (to_row, to_column) = divmod(here, WIDE), divmod(there, WIDE)
        along = row != to_row
        total += routing.BEND * (along != upright)
        total += down[min(row, to_row), column] if along else across[row, min(column, to_column)]
        upright = along
    return total


def all_ways(start, end):
    waiting = [(start,)]
    while waiting:
        way = waiting.pop()
        if way[-1] == end:
            yield way
            continue
        row, column = divmod(way[-1], WIDE)
        near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        inside = [r * WIDE + c for r, c in near if 0 <= r < HIGH and 0 <= c < WIDE]
        waiting += [(*way, place) for place in inside if place not in way]


@settings(max_examples=25, deadline=None)
@given(across, down, places, places)
def test_no_way_costs_less(across, down, start, end):
    tables = np.reshape(across, (HIGH, WIDE - 1)), np.reshape(down, (HIGH - 1, WIDE))
    found = routing.shortest(*tables, start, end)
    way = [place for place, before in zip(found, [None, *found], strict=False) if place != before]
    assert way[0] == start
    assert way[-1] == end
    assert price(way, *tables) == min(price(other, *tables) for other in all_ways(start, end))
