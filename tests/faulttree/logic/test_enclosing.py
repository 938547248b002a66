"""A certified interval holds the true probability, however little is kept, and closes when enough is."""

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.cutsets.families import reduced
from tests.faulttree.logic import truth
from tests.faulttree.logic.problems import random_pairs
from tests.faulttree.trees import fault_trees

from surefoot.faulttree import FaultTree, Fixed, Formula
from surefoot.faulttree.logic import Limit, compile_circuit, enclosure, truncated

AMPLE = Limit(1 << 20, math.inf)
SMALL = (2, 5, 20)
magnitudes = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 1e-30, 1e-12, 1e-5, 0.5, 1 - 1e-5, 1 - 1e-12])
TREES = fault_trees(events=(3, 8), gates=(2, 9), quantities=magnitudes.map(Fixed))


def exact(tree):
    """The probability of the top event as a fraction."""
    states = [Fraction(1)]
    for quantity in tree.events.values():
        p = Fraction(quantity.value)
        states = [state * (1 - p) for state in states] + [state * p for state in states]
    return sum((states[place] for place in np.flatnonzero(Table.of(tree).true)), Fraction(0))


def enclosed(tree, sizes, *, modules=True):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[enclosure.__module__], "SIZES", sizes)
        patch.setattr(sys.modules[enclosure.__module__], "SPACE", 1 << 14)
        if not modules:
            patch.setattr(sys.modules[enclosure.__module__], "modules", lambda circuit: [])
        known = {name: quantity.value for name, quantity in tree.events.items()}
        return enclosure(truth.simplified(tree), known, AMPLE)


@pytest.mark.parametrize("modules", [True, False], ids=["in modules", "in one piece"])
@pytest.mark.parametrize("sizes", [(2,), SMALL], ids=["tiny", "growing"])
@settings(max_examples=15, deadline=None)
@given(tree=TREES)
def test_the_interval_holds_the_truth(sizes, modules, tree):
    low, high = enclosed(tree, sizes, modules=modules)
    assert 0 <= low <= high <= 1
    assert low <= exact(tree) <= high


@settings(max_examples=12, deadline=None)
@given(TREES)
def test_the_interval_closes_where_nothing_is_given_up(tree):
    low, high = enclosed(tree, (10_000,), modules=False)
    assert high - low <= 1e-11 * high + 1e-299


@settings(max_examples=12, deadline=None)
@given(TREES)
def test_more_nodes_never_widen_the_interval(tree):
    widths = [high - low for low, high in (enclosed(tree, SMALL[:count]) for count in (1, 2, 3))]
    assert widths == sorted(widths, reverse=True)


def events(**p):
    return {name: Fixed(value) for name, value in p.items()}


@pytest.mark.parametrize("p", [1 - 1e-12, 1 - 3e-9, 0.9999])
def test_the_complement_of_a_module_close_to_certain_is_exact(p):
    gates = {"top": Formula("and", ("a", Formula("not", ("often",)))), "often": Formula("atleast", ("b", "c", "d"), 2)}
    tree = FaultTree("top", gates, events(a=0.3, b=p, c=p, d=0.7))
    low, high = enclosed(tree, SMALL)
    assert low <= exact(tree) <= high
    assert high - low <= 1e-11 * high


def test_products_too_small_for_a_number_are_enclosed():
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, events(a=1e-200, b=1e-200))
    low, high = enclosed(tree, SMALL)
    assert low <= exact(tree) <= high


@pytest.mark.parametrize("seed", range(3))
def test_a_larger_tree_is_enclosed_ever_more_narrowly(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    circuit = random_pairs(20, 40, rng)
    known = dict(zip(circuit.events, 10 ** rng.uniform(-4, -0.5, 20), strict=True))
    found = compile_circuit(circuit, limit=AMPLE)
    truth_ = float(found.probability(np.array([known[name] for name in found.events])))
    widths = []
    for size in (10, 40, 160, 100_000):
        monkeypatch.setattr(sys.modules[enclosure.__module__], "SIZES", (size,))
        low, high = enclosure(circuit, known, AMPLE)
        assert low <= truth_ <= high
        widths.append(high - low)
    assert widths[0] > widths[-2] > 0
    assert widths[-1] <= 1e-11


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.booleans(), min_size=32, max_size=32), st.integers(2, 8), st.lists(magnitudes, min_size=5, max_size=5)
)
def test_a_truncated_function_lies_on_its_side(values, most, p):
    happens = truth.states(range(4, -1, -1))
    diagram = reduced(range(5), values)
    whole = truth.of_diagram(diagram, happens)
    assert whole.tolist() == values
    for below in (True, False):
        kept = truncated(diagram, [np.float64(value) for value in p], most=most, below=below)
        assert kept.size <= min(most, diagram.size)
        found = truth.of_diagram(kept, happens)
        assert (found <= whole).all() if below else (found >= whole).all()


def test_truncation_keeps_what_matters_most():
    """Of a or bcd..., the rare conjunction is given up."""
    happens = truth.states(range(4, -1, -1))
    diagram = reduced(range(5), happens[0] | (happens[1] & happens[2] & happens[3] & happens[4]))
    kept = truncated(diagram, [np.float64(0.01)] * 5, most=3, below=True)
    assert (truth.of_diagram(kept, happens) == happens[0]).all()
