"""Every rule keeps the truth table, and does what it is there for."""

from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic import FIRST, TRUE, Circuit, simplified

A, B, C, D, E = range(FIRST, FIRST + 5)


@settings(max_examples=30, deadline=None)
@given(tree=fault_trees(events=(1, 6), gates=(1, 9)))
def test_a_simplified_circuit_keeps_the_truth_table(tree):
    found = simplified(truth.lowered(tree))
    assert (truth.of_circuit(found, truth.states(tree.events)) == Table.of(tree).true).all()


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(2, 6), gates=(3, 9), coherent=True))
def test_a_simplified_circuit_is_never_larger(tree):
    circuit = truth.lowered(tree)
    assert simplified(circuit).size <= circuit.size


def circuit(make):
    """A circuit over five events with the top event that ``make`` gives."""
    found = Circuit(list("abcde"))
    found.top = make(found)
    return found


def shape(found, literal):
    """A literal of a circuit, but for the numbers of its gates."""
    gate = found.gates.get(abs(literal))
    if gate is None:
        return literal
    return literal < 0, gate.operator, gate.least, frozenset(shape(found, each) for each in gate.inputs)


def test_what_the_rules_make_of_small_circuits():
    cases = [
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
    ]
    for place, (given_, expected) in enumerate(cases):
        found, wanted = simplified(circuit(given_)), circuit(expected)
        assert shape(found, found.top) == shape(wanted, wanted.top), place


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
