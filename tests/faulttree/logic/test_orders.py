"""Every order of variables holds each leaf once."""

import numpy as np
from hypothesis import given, settings
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic import FIRST, Circuit, Problem, pulled, walks


@settings(max_examples=15, deadline=None)
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


def test_pulled_orders_bring_neighbours_together_the_best_first():
    orders = pulled(chain(40, seed=1))
    apart = [
        np.mean([abs(order.index(FIRST + place) - order.index(FIRST + place + 1)) for place in range(39)])
        for order in orders
    ]
    assert apart[0] < 5
    assert apart[0] <= apart[-1]


def test_the_orders_are_the_same_every_time():
    assert pulled(chain(20, seed=3)) == pulled(chain(20, seed=3))
