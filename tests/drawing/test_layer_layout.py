"""Layers, order and heights against graphlib, brute force and isotonic regression of scikit-learn."""

from collections import Counter
from graphlib import CycleError, TopologicalSorter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from surefoot.drawing import layer_layout

QUICK = settings(max_examples=25, deadline=None)


@st.composite
def graphs(draw, *, circles):
    nodes = draw(st.integers(2, 14))
    node = st.integers(0, nodes - 1)
    pairs = [pair for pair in draw(st.lists(st.tuples(node, node), max_size=40)) if pair[0] != pair[1]]
    return nodes, pairs if circles else [(min(pair), max(pair)) for pair in pairs]


def is_acyclic(nodes, pairs):
    sorter = TopologicalSorter({node: [source for source, target in pairs if target == node] for node in range(nodes)})
    try:
        sorter.prepare()
    except CycleError:
        return False
    return True


@QUICK
@given(graphs(circles=True))
def test_without_what_leads_back_there_is_no_circle(graph):
    nodes, pairs = graph
    back = layer_layout.backward(nodes, pairs)
    assert is_acyclic(nodes, [pair for place, pair in enumerate(pairs) if place not in back])
    turned = [pair[::-1] if place in back else pair for place, pair in enumerate(pairs)]
    assert is_acyclic(nodes, turned)
    assert len(back) <= len(pairs) / 2


@QUICK
@given(graphs(circles=False))
def test_nothing_leads_back_where_there_is_no_circle(graph):
    assert layer_layout.backward(*graph) == frozenset()


def test_a_flow_back_to_the_first_of_the_list_is_the_one_that_leads_back():
    assert layer_layout.backward(4, [(0, 1), (1, 2), (3, 1), (2, 0)]) == {3}


@QUICK
@given(graphs(circles=False), st.integers(1, 4))
def test_flows_lead_to_later_layers_and_no_layer_is_crowded(graph, most):
    nodes, pairs = graph
    found = layer_layout.layers(nodes, pairs, most)
    assert all(found[source] < found[target] for source, target in pairs)
    assert max(Counter(found).values()) <= most
    assert set(found) == set(range(max(found) + 1))


@QUICK
@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 9), st.floats(0.1, 5)), min_size=1, max_size=12))
def test_heights_are_the_isotonic_regression(cells):
    wanted, apart, weights = (np.array(column) for column in zip(*cells, strict=True))
    apart = apart[1:]
    shift = np.concatenate([[0.0], np.cumsum(apart)])
    expected = IsotonicRegression().fit_transform(np.arange(len(wanted)), wanted - shift, sample_weight=weights) + shift
    np.testing.assert_allclose(layer_layout.settled(list(wanted), list(apart), list(weights)), expected, atol=1e-8)


@st.composite
def two_columns(draw):
    left, right = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    pair = st.tuples(st.integers(0, left - 1), st.integers(left, left + right - 1))
    joins = {}
    for source, target in draw(st.lists(pair, max_size=12)):
        joins.setdefault(source, []).append(target)
    return [list(range(left)), list(range(left, left + right))], joins


@QUICK
@given(two_columns())
def test_crossings_are_those_of_brute_force(case):
    columns, joins = case
    lines = [(source, target) for source, targets in joins.items() for target in targets]
    expected = sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for a, b in combinations(lines, 2))
    assert layer_layout.crossings(columns, joins) == expected


def test_order_undoes_crossings_that_can_be_undone():
    right = {0: [5], 1: [4], 2: [3]}
    left = {5: [0], 4: [1], 3: [2]}
    found = layer_layout.ordered([[0, 1, 2], [3, 4, 5]], left, right)
    assert layer_layout.crossings(found, right) == 0
    assert [sorted(column) for column in found] == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("columns", [[[0]], [[0], []], [[], [0]]])
def test_order_takes_empty_columns(columns):
    assert layer_layout.ordered(columns, {}, {}) == columns
