"""The circuit of a tree has the tree's truth table."""

from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree import Formula
from surefoot.faulttree.logic import FIRST, TRUE, lower


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(1, 6), gates=(1, 8)))
def test_the_truth_table_is_the_trees(tree):
    found = truth.of_circuit(truth.lowered(tree), truth.states(tree.events))
    assert (found == Table.of(tree).true).all()


def test_variables_are_numbered_as_a_reader_meets_them():
    gates = {"top": Formula("or", ("later", "z")), "later": Formula("and", ("y", Formula("not", ("x",))))}
    assert lower("top", gates, dict.fromkeys("xyz"), {}).events == ["y", "x", "z"]


def test_the_top_event_may_be_a_basic_event_or_a_house_event():
    assert lower("a", {}, {"a": None}, {}).top == FIRST
    assert lower("h", {}, {}, {"h": True}).top == TRUE
    assert lower("h", {}, {}, {"h": False}).top == -TRUE


def test_a_gate_that_is_used_twice_is_lowered_once():
    gates = {"top": Formula("xor", ("g", Formula("not", ("g",)))), "g": Formula("and", ("a", "b"))}
    assert lower("top", gates, dict.fromkeys("ab"), {}).top == TRUE


def test_a_formula_nested_deeply_is_no_recursion():
    formula = Formula("and", ("a", "b"))
    for _ in range(20_001):
        formula = Formula("not", (formula,))
    try:
        circuit = lower("top", {"top": formula}, dict.fromkeys("ab"), {})
    finally:
        # A chain this long must be taken apart by hand: to free it at once would recurse.
        while isinstance(formula.inputs[0], Formula):
            formula = formula.inputs[0]
    assert circuit.top < 0
    assert len(circuit.gates) == 1
