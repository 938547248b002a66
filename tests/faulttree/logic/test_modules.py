"""Modules are the gates whose events occur nowhere else."""

from hypothesis import given, settings
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic import FIRST, Circuit, modules


def below(circuit, number):
    """Gates and variables under a gate."""
    found, stack = set(), [number]
    while stack:
        for literal in circuit.gates[stack.pop()].inputs:
            if abs(literal) not in found:
                found.add(abs(literal))
                if abs(literal) in circuit.gates:
                    stack.append(abs(literal))
    return found


def by_definition(circuit):
    """Gates such that no gate outside them uses what is inside them."""
    reached = set(circuit.reachable())
    users = {number: {abs(literal) for literal in circuit.gates[number].inputs} for number in reached}
    inside = {number: below(circuit, number) for number in reached}
    return {
        gate for gate in reached if not any(users[other] & inside[gate] for other in reached - inside[gate] - {gate})
    }


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(2, 8), gates=(2, 10)))
def test_modules_are_those_of_the_definition(tree):
    for circuit in (truth.lowered(tree), truth.simplified(tree)):
        if abs(circuit.top) in circuit.gates:
            found = modules(circuit)
            assert set(found) == by_definition(circuit)
            assert len(set(found)) == len(found)
            assert found[-1] == abs(circuit.top)


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(2, 8), gates=(2, 10)))
def test_a_module_comes_after_the_modules_inside_it(tree):
    circuit = truth.lowered(tree)
    if abs(circuit.top) in circuit.gates:
        found = modules(circuit)
        for place, gate in enumerate(found):
            assert not below(circuit, gate) & set(found[place:])


def test_a_shared_event_joins_the_gates_that_share_it():
    a, b, c, d, e = range(FIRST, FIRST + 5)
    circuit = Circuit(list("abcde"))
    left, right, apart = circuit.conjunction([a, b]), circuit.conjunction([b, c]), circuit.conjunction([d, e])
    circuit.top = circuit.parity([left, right, apart])
    assert modules(circuit) == [apart, circuit.top]
