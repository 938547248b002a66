"""All engines, and the diagrams made without one, hold the same function."""

import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.logic import truth
from tests.faulttree.logic.problems import one_gate, problems, random_pairs
from tests.faulttree.logic.third_engine import CuddEngine

from surefoot.faulttree.logic import (
    Builder,
    Limit,
    OverLimit,
    OxiddEngine,
    Problem,
    RelibmssEngine,
    of_one_gate,
    solved,
    walks,
)

ENGINES = [OxiddEngine(), OxiddEngine(collect=True), RelibmssEngine()]
AMPLE = Limit(10_000)


def columns_of(problem):
    """The column of each leaf, not in the order of the leaves."""
    return {leaf: 7 * place % 11 for place, leaf in enumerate(sorted(problem.leaves))}


def same_function(diagram, problem):
    happens = truth.states(problem.leaves)
    columns = {column: happens[leaf] for leaf, column in columns_of(problem).items()}
    return (truth.of_diagram(diagram, columns) == truth.of_problem(problem, happens)).all()


def assert_sound(diagram):
    """Nodes are reduced, all different, and stand level by level, children first."""
    nodes = list(zip(diagram.column[2:], diagram.low[2:], diagram.high[2:], strict=True))
    assert len(set(nodes)) == len(nodes)
    assert all(low != high for _, low, high in nodes)
    assert len({column for column, _ in diagram.levels}) == len(diagram.levels)
    for _, level in diagram.levels:
        assert max(diagram.low[level].max(), diagram.high[level].max()) < level.start


@pytest.mark.parametrize("engine", ENGINES, ids=["oxidd", "oxidd that collects", "relibmss"])
@settings(max_examples=15, deadline=None)
@given(problem=problems(), choice=st.integers(0, 7))
def test_an_engine_gives_the_function_of_the_problem_in_any_order(engine, problem, choice):
    order = list(walks(problem))[choice]
    diagram = engine.build(problem, order, AMPLE, tuple(columns_of(problem)[leaf] for leaf in order))
    assert same_function(diagram, problem)
    assert_sound(diagram)


@settings(max_examples=15, deadline=None)
@given(problem=problems())
def test_both_engines_give_diagrams_of_one_size(problem):
    order = next(walks(problem))
    sizes = {engine.build(problem, order, AMPLE, order).size for engine in ENGINES}
    assert len(sizes) == 1


@settings(max_examples=15, deadline=None)
@given(problem=problems(events=(1, 5)))
def test_a_third_engine_agrees(problem):
    pytest.importorskip("dd.cudd", reason="the bindings of CUDD are not installed")
    order = next(walks(problem))
    operations = CuddEngine().operations(len(order), AMPLE)
    function = Builder(problem, order, operations, AMPLE).root()
    happens = truth.states(problem.leaves)
    found = [operations.truth(function, row) for row in np.array([happens[leaf] for leaf in order]).T]
    assert found == truth.of_problem(problem, happens).tolist()


gates = st.one_of(
    st.tuples(st.just("and"), st.just(0), st.integers(2, 6)),
    st.tuples(st.just("xor"), st.just(0), st.integers(2, 6)),
    st.integers(3, 6).flatmap(lambda n: st.tuples(st.just("atleast"), st.integers(2, n - 1), st.just(n))),
)


@settings(max_examples=25, deadline=None)
@given(gates, st.data())
def test_a_single_gate_needs_no_engine(gate, data):
    operator, least, count = gate
    inputs = [place * data.draw(st.sampled_from([1, -1])) for place in range(1, count + 1)]
    flipped = data.draw(st.sets(st.integers(1, count)))
    problem = one_gate(operator, inputs, least=least, sign=data.draw(st.sampled_from([1, -1])), flipped=flipped)
    diagram = of_one_gate(problem, columns_of(problem))
    assert same_function(diagram, problem)
    assert_sound(diagram)
    order = tuple(sorted(problem.leaves))
    assert diagram.size == OxiddEngine().build(problem, order, AMPLE, order).size


def test_several_gates_need_an_engine():
    circuit = random_pairs(4, 3, np.random.default_rng(0))
    assert of_one_gate(Problem.of(circuit, circuit.top, (), ()), {}) is None


def test_a_large_count_is_left_to_the_engine():
    problem = one_gate("atleast", range(1, 201), least=100)
    columns = {leaf: place for place, leaf in enumerate(problem.leaves)}
    assert of_one_gate(problem, columns) is None
    assert solved(problem, columns, OxiddEngine(), Limit(1 << 20)).size == 100 * 101


@pytest.mark.parametrize("engine", ENGINES[1:], ids=["oxidd", "relibmss"])
def test_too_many_nodes_are_refused(engine):
    circuit = random_pairs(40, 60, np.random.default_rng(1))
    problem = Problem.of(circuit, circuit.top, (), ())
    with pytest.raises(OverLimit, match="too many nodes") as error:
        engine.build(problem, problem.leaves, Limit(1_000), problem.leaves)
    assert 0 < error.value.built <= len(problem.gates)


@pytest.mark.parametrize("engine", ENGINES[1:], ids=["oxidd", "relibmss"])
def test_a_deadline_that_has_passed_stops_the_work(engine):
    circuit = random_pairs(10, 10, np.random.default_rng(2))
    problem = Problem.of(circuit, circuit.top, (), ())
    with pytest.raises(OverLimit, match="time limit"):
        engine.build(problem, problem.leaves, Limit(10_000, time.monotonic() - 1), problem.leaves)


def test_the_portfolio_tries_further_orders_until_one_is_small_enough(monkeypatch):
    monkeypatch.setattr(sys.modules[solved.__module__], "FIRST", 300)
    monkeypatch.setattr(sys.modules[solved.__module__], "SCREEN", 300)
    rng = np.random.default_rng(3)
    circuit = random_pairs(24, 40, rng)
    problem = Problem.of(circuit, circuit.top, (), ())
    columns = {leaf: place for place, leaf in enumerate(problem.leaves)}
    with pytest.raises(OverLimit):
        OxiddEngine().build(problem, next(walks(problem)), Limit(300), problem.leaves)
    diagram = solved(problem, columns, OxiddEngine(), Limit(1 << 20))
    states = rng.random((24, 4096)) < 0.2
    happens = {leaf: states[place] for leaf, place in columns.items()}
    expected = truth.of_problem(problem, happens)
    assert 0.1 < expected.mean() < 0.99
    assert (truth.of_diagram(diagram, dict(enumerate(states))) == expected).all()
