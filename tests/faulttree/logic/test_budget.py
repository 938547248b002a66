"""A budget is kept; what it does not allow is enclosed, and the error says so."""

import pickle

import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.faulttree import BeyondBudget, Budget, FaultTree, Fixed, Formula


def pairs(seed=0, *, events=26, gates=52):
    """A disjunction of random pairs: some thousands of nodes in any order."""
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(events, 2, replace=False) for _ in range(gates)]
    formulas = tuple(Formula("and", (f"e{one}", f"e{other}")) for one, other in chosen)
    p = rng.uniform(0.001, 0.05, events)
    return FaultTree("top", {"top": Formula("or", formulas)}, {f"e{i}": Fixed(float(p[i])) for i in range(events)})


SMALL = Budget(nodes=1_100, seconds=10)


@pytest.mark.parametrize("seed", range(2))
def test_beyond_the_nodes_the_interval_holds_the_exact_probability(seed):
    with pytest.raises(BeyondBudget) as error:
        pairs(seed).probability(budget=SMALL)
    exact = pairs(seed).probability()
    assert 0 < error.value.low <= exact <= error.value.high < 1
    assert (error.value.low, error.value.high) == pytest.approx(pairs(seed).interval(budget=SMALL), rel=1e-6)


def test_beyond_the_time_the_interval_holds_the_exact_probability():
    exact = pairs().probability()
    with pytest.raises(BeyondBudget) as error:
        pairs().probability(budget=Budget(seconds=1e-6))
    assert error.value.low <= exact <= error.value.high


def test_a_tree_that_was_too_large_can_be_tried_again_with_more():
    tree = pairs()
    with pytest.raises(BeyondBudget):
        tree.compile(SMALL)
    assert tree.interval() == (tree.probability(),) * 2


def test_the_error_says_the_interval_and_what_to_do():
    text = str(BeyondBudget(low=1e-6, high=2.5e-6))
    assert "1e-06 to 2.5e-06" in text
    assert "larger budget" in text


def test_the_error_can_be_sent_between_processes():
    error = pickle.loads(pickle.dumps(BeyondBudget(low=0.25, high=0.5)))
    assert (error.low, error.high) == (0.25, 0.5)
    assert str(error) == str(BeyondBudget(low=0.25, high=0.5))


def test_a_budget_of_nothing_is_refused():
    for name, wrong in (("nodes", 0), ("nodes", 1.5), ("seconds", 0), ("seconds", float("nan"))):
        with pytest.raises(InvalidInput, match=name):
            Budget(**{name: wrong})
