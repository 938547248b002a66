"""Every order of variables holds each leaf once."""

import numpy as np
from hypothesis import given, settings
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic.circuit import FIRST, Circuit
from surefoot.faulttree.logic.orders import _Hypergraph, pulled, walks
from surefoot.faulttree.logic.part import Problem


@settings(max_examples=30, deadline=None)
@given(fault_trees(events=(2, 8), gates=(2, 8)))
def test_every_order_is_a_permutation_of_the_leaves(tree):
    circuit = truth.simplified(tree)
    if abs(circuit.top) in circuit.gates:
        problem = Problem.of(circuit, circuit.top, (), ())
        for order in (*walks(problem), *pulled(problem)):
            assert sorted(order) == sorted(problem.leaves)


def test_a_single_leaf_has_one_order():
    problem = Problem.of(Circuit(["a"], top=FIRST), FIRST, (), ())
    assert set(walks(problem)) == {(FIRST,)}


def chain(length, *, seed):
    """Pairs of neighbours in a chain of events, met in a random order."""
    rng = np.random.default_rng(seed)
    circuit = Circuit([f"e{i}" for i in range(length)])
    places = rng.permutation(length - 1).tolist()
    pairs = [circuit.conjunction([FIRST + place, FIRST + place + 1]) for place in places]
    circuit.top = circuit.disjunction(pairs)
    return Problem.of(circuit, circuit.top, (), ())


def test_pulled_orders_come_by_rising_span():
    problem = chain(12, seed=0)
    spans = [_Hypergraph(problem).span(order) for order in pulled(problem)]
    assert spans == sorted(spans)


def test_force_brings_neighbours_together():
    problem = chain(40, seed=1)
    hypergraph, rng = _Hypergraph(problem), np.random.default_rng(2)
    shuffled = tuple(rng.permutation(problem.leaves).tolist())
    assert hypergraph.span(hypergraph.force(shuffled)) < hypergraph.span(shuffled)
    best = pulled(problem)[0]
    apart = [abs(best.index(FIRST + place) - best.index(FIRST + place + 1)) for place in range(39)]
    assert np.mean(apart) < 5


def test_the_orders_are_the_same_every_time():
    assert pulled(chain(20, seed=3)) == pulled(chain(20, seed=3))
