"""Every rule keeps the truth table, and does what it is there for."""

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic.circuit import FIRST, TRUE, Circuit
from surefoot.faulttree.logic.simplify import _absorbed, _coalesced, _factored, _rewritten, simplified

A, B, C, D, E = range(FIRST, FIRST + 5)
RULES = {
    "coalesced": _coalesced,
    "absorbed": lambda circuit: _rewritten(circuit, _absorbed),
    "factored": lambda circuit: _rewritten(circuit, _factored),
    "simplified": simplified,
}


@pytest.mark.parametrize("rule", RULES)
@settings(max_examples=30, deadline=None)
@given(tree=fault_trees(events=(1, 6), gates=(1, 9)))
def test_a_rule_keeps_the_truth_table(rule, tree):
    found = RULES[rule](truth.lowered(tree))
    assert (truth.of_circuit(found, truth.states(tree.events)) == Table.of(tree).true).all()


@settings(max_examples=30, deadline=None)
@given(fault_trees(events=(2, 6), gates=(3, 9), coherent=True))
def test_a_simplified_circuit_is_never_larger(tree):
    circuit = truth.lowered(tree)
    assert simplified(circuit).size <= circuit.size


def circuit(make):
    """A circuit over five events with the top event that ``make`` gives."""
    found = Circuit(list("abcde"))
    found.top = make(found)
    return found


def same(one, other):
    """Whether two circuits are the same but for the numbers of their gates."""
    one, other = _rewritten(one, lambda new, inputs, alone: inputs), _rewritten(other, lambda n, inputs, a: inputs)
    return (one.top, one.gates) == (other.top, other.gates)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            lambda c: c.conjunction([A, c.conjunction([B, c.conjunction([C, D])])]),
            lambda c: c.conjunction([A, B, C, D]),
        ),
        (lambda c: c.disjunction([A, c.disjunction([B, C])]), lambda c: c.disjunction([A, B, C])),
        (lambda c: c.parity([A, -c.parity([B, C])]), lambda c: -c.parity([A, B, C])),
        (lambda c: c.conjunction([A, -c.conjunction([A, B])]), lambda c: c.conjunction([A, -B])),
        (lambda c: c.conjunction([A, -c.conjunction([-A, B])]), lambda c: A),
        (lambda c: c.disjunction([A, c.conjunction([A, B])]), lambda c: A),
        (lambda c: c.disjunction([A, c.conjunction([-A, B])]), lambda c: c.disjunction([A, B])),
        (
            lambda c: c.conjunction([c.conjunction([A, B, c.parity([C, D])]), -c.conjunction([A, B])]),
            lambda c: -TRUE,
        ),
        (
            lambda c: c.disjunction([c.conjunction([A, B]), c.conjunction([A, C]), c.conjunction([A, D])]),
            lambda c: c.conjunction([A, c.disjunction([B, C, D])]),
        ),
        (
            lambda c: c.conjunction([c.disjunction([A, B]), c.disjunction([A, C]), E]),
            lambda c: c.conjunction([c.disjunction([A, c.conjunction([B, C])]), E]),
        ),
    ],
    ids=["and", "or", "parity", "demanded", "impossible", "absorbed", "left over", "never", "factor", "dual factor"],
)
def test_what_a_rule_makes_of_a_small_circuit(given, expected):
    assert same(simplified(circuit(given)), circuit(expected))


def test_a_gate_that_two_gates_share_is_not_dissolved():
    def make(c):
        shared = c.conjunction([A, B])
        return c.disjunction([c.conjunction([shared, C]), c.conjunction([shared, -C, D]), c.conjunction([-shared, E])])

    assert any(gate.inputs == (A, B) for gate in simplified(circuit(make)).gates.values())


def test_a_chain_of_twenty_thousand_disjunctions_becomes_one_gate():
    count = 20_000
    long = Circuit([f"e{i}" for i in range(count)])
    long.top = FIRST
    for number in range(FIRST + 1, FIRST + count):
        long.top = long.disjunction([long.top, number])
    found = simplified(long)
    assert [len(gate.inputs) for gate in found.gates.values()] == [count]
