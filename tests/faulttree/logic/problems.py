"""Problems that engines are given, from random trees."""

from hypothesis import assume
from hypothesis import strategies as st
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree.logic import FIRST, Circuit, Problem


@st.composite
def problems(draw, **options):
    """The circuit of a tree, either side up, with some of the leaves turned round."""
    circuit = truth.simplified(draw(fault_trees(**{"events": (1, 6), "gates": (1, 7)} | options)))
    assume(abs(circuit.top) >= FIRST)
    flipped = draw(st.sets(st.integers(FIRST, circuit.first_gate - 1)))
    return Problem.of(circuit, circuit.top * draw(st.sampled_from([1, -1])), (), flipped)


def one_gate(operator, inputs, *, least=0, sign=1, flipped=()):
    """A single gate over literals of ``max(inputs)`` events, which are numbered from 1."""
    circuit = Circuit([f"e{i}" for i in range(max(map(abs, inputs)))])
    literals = [(abs(n) + FIRST - 1) * (1 if n > 0 else -1) for n in inputs]
    made = {
        "and": lambda: circuit.conjunction(literals),
        "xor": lambda: circuit.parity(literals),
        "atleast": lambda: circuit.at_least(least, literals),
    }[operator]()
    return Problem.of(circuit, made * sign, (), {n + FIRST - 1 for n in flipped})


def random_pairs(events, gates, rng):
    """A disjunction of random pairs, whose diagrams are large in every order."""
    circuit = Circuit([f"e{i}" for i in range(events)])
    pairs = [(FIRST + rng.choice(events, 2, replace=False)).tolist() for _ in range(gates)]
    circuit.top = circuit.disjunction([circuit.conjunction(pair) for pair in pairs])
    return circuit
