"""Gates of a circuit mean what their names say, whatever their inputs are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.logic import truth

from surefoot.faulttree.logic import FIRST, TRUE, Circuit

NAMES = ["a", "b", "c"]
A, B, C = range(FIRST, FIRST + 3)
HAPPENS = truth.states(NAMES)
COUNTS = {TRUE: 1, A: HAPPENS["a"] * 1, B: HAPPENS["b"] * 1, C: HAPPENS["c"] * 1}
inputs = st.lists(st.sampled_from([s * n for n in (TRUE, A, B, C) for s in (1, -1)]), max_size=9)


def count(literals):
    """How many of the literals are true, in each state."""
    parts = [COUNTS[n] if n > 0 else 1 - COUNTS[-n] for n in literals]
    return sum(parts, np.zeros(8, dtype=int))


@settings(max_examples=50, deadline=None)
@given(inputs, st.integers(-1, 10))
def test_constants_complements_and_repetitions_count_as_they_should(literals, least):
    circuit, found = Circuit(NAMES), count(literals)
    expected = {
        circuit.conjunction(literals): found == len(literals),
        circuit.disjunction(literals): found > 0,
        circuit.parity(literals): found % 2 == 1,
        circuit.at_least(least, literals): found >= least,
    }
    for literal, table in expected.items():
        assert (truth.of_circuit(circuit, HAPPENS, literal) == table).all()


def test_equal_gates_are_one_gate():
    circuit = Circuit(NAMES)
    assert circuit.conjunction([A, B]) == circuit.conjunction([B, A, A, TRUE])
    assert circuit.disjunction([A, B]) == -circuit.conjunction([-A, -B])
    assert circuit.parity([A, -B]) == -circuit.parity([A, B])
    assert len(circuit.gates) == 3


@pytest.mark.parametrize("least", [1, 3])
def test_a_count_of_one_or_all_is_no_count(least):
    circuit = Circuit(NAMES)
    circuit.at_least(least, [A, B, C])
    assert [gate.operator for gate in circuit.gates.values()] == ["and"]


def test_many_repeated_inputs_need_few_gates():
    circuit = Circuit([f"e{i}" for i in range(40)])
    circuit.top = circuit.at_least(40, [FIRST + place for place in range(40)] * 2)
    assert len(circuit.gates) < 3_000


def test_only_what_lies_below_the_top_event_is_reachable_and_counts():
    circuit = Circuit(NAMES)
    circuit.top = circuit.disjunction([circuit.conjunction([A, B]), C])
    circuit.parity([A, B, C])
    reached = list(circuit.reachable())
    assert reached == sorted(reached)
    assert len(reached) == 2
    assert circuit.size == 4


def test_a_gate_can_be_made_again_over_other_inputs():
    circuit = Circuit(NAMES)
    for made in (circuit.conjunction([A, B]), circuit.parity([A, B]), circuit.at_least(2, [A, B, C])):
        assert circuit.again(circuit.gates[made], circuit.gates[made].inputs) == made
