"""Numpy and torch do the same for the engine, which is what plain loops do."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from surefoot.reliability.rare_events.devices import Host, Tensors

PLACES = [
    Host(np.float32),
    Host(np.float64),
    Tensors(torch.device("cpu"), torch.float32),
    Tensors(torch.device("cpu"), torch.float64),
]
BOTH = [PLACES[0], PLACES[3]]
shapes = st.tuples(st.integers(1, 5), st.integers(1, 9))


def table(shape, seed):
    return np.random.default_rng(seed).integers(-3, 4, shape)


@pytest.mark.parametrize("arrays", BOTH, ids=repr)
@given(shapes, st.integers(0, 1 << 20))
def test_rows_are_ordered(arrays, shape, seed):
    values = table(shape, seed)
    assert arrays.host(arrays.ordered(arrays.of(values))).tolist() == [sorted(row) for row in values.tolist()]


@pytest.mark.parametrize("arrays", BOTH, ids=repr)
@given(shapes, st.integers(0, 1 << 20))
def test_survivors_come_first_in_their_order(arrays, shape, seed):
    survives = table(shape, seed) > 0
    columns = arrays.host(arrays.survivors_first(arrays.flags(survives)))
    for row, found in zip(survives, columns, strict=True):
        assert found.tolist() == [i for i in range(len(row)) if row[i]] + [i for i in range(len(row)) if not row[i]]


@pytest.mark.parametrize("arrays", BOTH, ids=repr)
@given(shapes, st.integers(0, 1 << 20))
def test_columns_are_picked_row_by_row(arrays, shape, seed):
    values, columns = table(shape, seed), table((shape[0], 4), seed + 1) % shape[1]
    deep = np.stack([values, values + 100], axis=2)
    picked = arrays.host(arrays.picked(arrays.of(deep), arrays.whole(columns)))
    for row in range(shape[0]):
        assert picked[row].tolist() == [deep[row, column].tolist() for column in columns[row]]


@pytest.mark.parametrize("arrays", BOTH, ids=repr)
@given(shapes, st.integers(0, 1 << 20))
def test_a_tally_counts_members_of_groups(arrays, shape, seed):
    groups, counted = table(shape, seed) % shape[1], table(shape, seed + 1) > 0
    tally = arrays.host(arrays.tallied(arrays.whole(groups), arrays.flags(counted)))
    for row in range(shape[0]):
        members = [int(g) for g, c in zip(groups[row], counted[row], strict=True) if c]
        assert tally[row].tolist() == [members.count(group) for group in range(shape[1])]


def test_a_stream_gives_the_same_uniform_numbers_whatever_the_others_are():
    def drawn(arrays, *numbers):
        return arrays.host(arrays.uniforms([arrays.stream((5, number)) for number in numbers], 50, 40))

    for arrays in PLACES:
        three = drawn(arrays, 0, 1, 2)
        np.testing.assert_array_equal(three[1], drawn(arrays, 1)[0], err_msg=repr(arrays))
        np.testing.assert_array_equal(three[::-1], drawn(arrays, 2, 1, 0), err_msg=repr(arrays))
        assert not (three[0] == three[1]).all(), arrays
        assert three.min() >= 0, arrays
        assert three.max() < 1, arrays
        assert kstest(three.ravel(), "uniform").pvalue > 1e-3, arrays


def test_a_stream_goes_on_where_it_was():
    for arrays in PLACES:
        streams = [arrays.stream((0, 7))]
        first, second = (arrays.host(arrays.uniforms(streams, 3, 4)) for _ in range(2))
        assert not (first == second).any(), arrays
