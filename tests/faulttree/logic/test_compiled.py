"""Probability and derivatives of compiled trees are those of brute force."""

import sys
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.logic import truth
from tests.faulttree.trees import fault_trees

from surefoot.faulttree import Compiled, FaultTree, Fixed, Formula
from surefoot.faulttree.logic import RelibmssEngine, compile_tree

DEEP = 5_000
TREES = fault_trees(events=(1, 7), gates=(1, 8))


def probabilities(tree):
    return {name: quantity.value for name, quantity in tree.events.items()}


def columns(found, p):
    return np.array([p[name] for name in found.events])


def tree(formula, **p):
    return FaultTree("top", {"top": formula}, {name: Fixed(value) for name, value in p.items()})


@pytest.mark.parametrize("in_modules", [True, False], ids=["in modules", "in one piece"])
@settings(max_examples=20, deadline=None)
@given(tree=TREES)
def test_function_and_probability_are_the_trees(in_modules, tree):
    found, table, p = compile_tree(tree, in_modules=in_modules), Table.of(tree), probabilities(tree)
    assert (truth.of_compiled(found, truth.states(tree.events)) == table.true).all()
    assert float(found.probability(columns(found, p))) == pytest.approx(table.probability(p), rel=1e-12, abs=1e-15)
    assert table.relevant <= set(found.events)


@settings(max_examples=15, deadline=None)
@given(TREES)
def test_the_second_engine_gives_the_same_function(tree):
    found = compile_tree(tree, engine=RelibmssEngine())
    assert (truth.of_compiled(found, truth.states(tree.events)) == Table.of(tree).true).all()


@settings(max_examples=20, deadline=None)
@given(TREES)
def test_every_part_is_false_where_all_its_columns_are(tree):
    for part in tree.compiled.parts:
        assert not truth.of_diagram(part.diagram, dict.fromkeys(range(100), np.zeros(1, dtype=bool)))[0]


@settings(max_examples=20, deadline=None)
@given(TREES)
def test_the_gradient_is_the_birnbaum_importance(tree):
    found, table, p = tree.compiled, Table.of(tree), probabilities(tree)
    expected = [table.birnbaum(p, name) for name in found.events]
    assert found.gradient(columns(found, p)).tolist() == pytest.approx(expected, rel=1e-9, abs=1e-13)


@settings(max_examples=20, deadline=None)
@given(TREES, st.integers(0, 1000))
def test_the_gradient_is_the_limit_of_differences(tree, seed):
    found = tree.compiled
    p = np.random.default_rng(seed).uniform(0.1, 0.9, len(found.events))
    steps = 1e-3 * np.eye(len(p))
    differences = [(found.probability(p + step) - found.probability(p - step)) / 2e-3 for step in steps]
    assert found.gradient(p).tolist() == pytest.approx(differences, abs=1e-10)


@settings(max_examples=20, deadline=None)
@given(TREES, st.integers(0, 1000))
def test_many_draws_are_the_same_as_one_by_one(tree, seed):
    found = tree.compiled
    p = np.random.default_rng(seed).uniform(size=(len(found.events), 37))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[Compiled.__module__], "BLOCK", 1)  # several blocks of 16 draws
        together, slopes = found.probability(p), found.gradient(p)
    assert together.tolist() == [float(found.probability(draw)) for draw in p.T]
    assert slopes.shape == p.shape
    assert slopes.T.tolist() == [pytest.approx(found.gradient(draw).tolist(), abs=1e-15) for draw in p.T]


def test_no_draws_give_no_results():
    found = tree(Formula("and", ("a", "b")), a=0.1, b=0.2).compiled
    assert found.probability(np.empty((2, 0))).shape == (0,)
    assert found.gradient(np.empty((2, 0))).shape == (2, 0)


@settings(max_examples=20, deadline=None)
@given(TREES)
def test_directions_are_never_wrong_and_coherence_follows(tree):
    found, table = tree.compiled, Table.of(tree)
    for name, sign in found.directions.items():
        rising = table.true[truth.states(tree.events)[name]].astype(int) - table.true[~truth.states(tree.events)[name]]
        assert sign == 0 or (sign * rising >= 0).all()
    assert found.coherent <= all(sign > 0 for sign in found.directions.values())


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(1, 7), coherent=True, houses=False, constants=False))
def test_a_tree_of_coherent_gates_is_coherent(tree):
    assert tree.compiled.coherent


def test_negated_tops_and_single_events():
    cases = [
        (Formula("nor", ("a", "b")), 0.9 * 0.8),
        (Formula("nand", ("a", "b")), 1 - 0.1 * 0.2),
        (Formula("not", ("a",)), 0.9),
        (Formula("pass", ("b",)), 0.2),
        (Formula("imply", ("a", "b")), 1 - 0.1 * 0.8),
        (Formula("iff", ("a", "b")), 0.1 * 0.2 + 0.9 * 0.8),
        (Formula("xor", ("a", "b")), 0.1 * 0.8 + 0.9 * 0.2),
        (Formula("cardinality", ("a", "b"), 0, 1), 1 - 0.1 * 0.2),
    ]
    for formula, expected in cases:
        found = tree(formula, a=0.1, b=0.2).compiled
        assert float(found.probability(columns(found, {"a": 0.1, "b": 0.2}))) == pytest.approx(expected, rel=1e-14), (
            formula
        )
        assert found.negated == (formula.kind in ("nor", "nand", "not", "imply", "iff", "cardinality")), formula


@pytest.mark.parametrize("value", [True, False])
def test_a_constant_top_event_has_no_events(value):
    found = tree(Formula("or" if value else "and", ("a", value)), a=0.1).compiled
    assert found.events == ()
    assert float(found.probability(np.empty(0))) == value
    assert found.probability(np.empty((0, 5))).tolist() == [value] * 5
    assert found.gradient(np.empty(0)).shape == (0,)
    assert truth.sets_of(found.parts[-1].minimal) == set()


@pytest.mark.parametrize("top", ["a", "h"])
def test_the_top_event_may_be_no_gate(top):
    found = FaultTree(top, {}, {"a": Fixed(0.25)}, {"h": True})
    assert found.probability() == (0.25 if top == "a" else 1)


def chain(kinds):
    """Gates deep below each other, each with an event of its own."""
    gates = {f"g{i}": Formula(kinds[i % len(kinds)], (f"g{i + 1}", f"e{i}")) for i in range(DEEP)}
    return FaultTree("g0", gates, {**{f"e{i}": Fixed(0.3) for i in range(DEEP)}, f"g{DEEP}": Fixed(0.3)})


@pytest.mark.parametrize(
    ("kinds", "join"),
    [
        (("or", "and"), {"or": lambda p: p + 0.3 - 0.3 * p, "and": lambda p: 0.3 * p}),
        (("or",), {"or": lambda p: p + 0.3 - 0.3 * p}),
        (("xor",), {"xor": lambda p: 0.7 * p + 0.3 * (1 - p)}),
        (("nand", "xor"), {"nand": lambda p: 1 - 0.3 * p, "xor": lambda p: 0.7 * p + 0.3 * (1 - p)}),
    ],
    ids=lambda value: " ".join(value),
)
def test_a_chain_of_five_thousand_gates(kinds, join):
    expected = 0.3
    for place in reversed(range(DEEP)):
        expected = join[kinds[place % len(kinds)]](expected)
    assert chain(kinds).probability() == pytest.approx(expected, rel=1e-9)


def test_blocks_of_draws_are_bounded():
    found = tree(Formula("and", ("a", "b")), a=0.1, b=0.2).compiled
    steps = [part.stop - part.start for part in found._blocks(1_000_000)]
    assert sum(steps) == 1_000_000
    assert max(steps) * found.nodes <= sys.modules[Compiled.__module__].BLOCK


def test_columns_of_a_part_are_events_and_earlier_parts():
    gates = {
        "top": Formula("atleast", ("x", "y", "c"), 2),
        "x": Formula("and", ("a", "b")),
        "y": Formula("xor", ("d", "e")),
    }
    found = FaultTree("top", gates, dict.fromkeys("abcde", Fixed(0.5))).compiled
    assert len(found.parts) == 3
    for place, part in enumerate(found.parts):
        assert all(column < len(found.events) + place for column, _ in part.diagram.levels)
    assert {len(found.events), len(found.events) + 1} < {column for column, _ in found.parts[-1].diagram.levels}


def cut_sets(found):
    """The minimal sets of the parts, those of earlier parts put in place of their columns."""
    if found.negated:
        return {frozenset()}
    known = [{frozenset({name})} for name in found.events]
    for part in found.parts:
        known.append(
            {
                frozenset().union(*choice)
                for item in truth.sets_of(part.minimal)
                for choice in product(*(known[column] for column in item))
            }
        )
    return known[-1]


@settings(max_examples=20, deadline=None)
@given(TREES)
def test_minimal_sets_of_the_parts_give_those_of_the_tree(tree):
    assert cut_sets(tree.compiled) == Table.of(tree).minimal_cut_sets


NEARLY_CERTAIN = {
    "none of five": (Formula("nor", tuple("abcde")), 0.9999, lambda q: q**5),
    "fewer than two of three": (
        Formula("not", (Formula("atleast", tuple("abc"), minimum=2),)),
        1 - 1e-8,
        lambda q: 3 * q * q - 2 * q**3,
    ),
}


@pytest.mark.parametrize("which", NEARLY_CERTAIN)
def test_complements_of_what_is_nearly_certain_keep_their_digits(which):
    formula, p, exact = NEARLY_CERTAIN[which]
    tree = FaultTree("top", {"top": formula}, dict.fromkeys(formula.names(), Fixed(p)))
    assert tree.probability() == pytest.approx(exact(1 - p), rel=1e-12)


def test_a_module_that_is_nearly_certain_keeps_the_digits_of_its_complement():
    rarely = Formula("not", (Formula("atleast", tuple("vwxyz"), minimum=3),))
    events = {"a": Fixed(0.5), **dict.fromkeys("vwxyz", Fixed(1 - 1e-7))}
    tree = FaultTree("top", {"top": Formula("and", ("a", rarely))}, events)
    q = 1 - (1 - 1e-7)
    exact = 0.5 * (10 * q**3 * (1 - q) ** 2 + 5 * q**4 * (1 - q) + q**5)
    assert tree.probability() == pytest.approx(exact, rel=1e-12)
    p = np.array([float(tree.events[name].value) for name in tree.compiled.events])
    slope = dict(zip(tree.compiled.events, tree.compiled.gradient(p), strict=True))
    assert slope["v"] == pytest.approx(-0.5 * 6 * q**2 * (1 - q) ** 2, rel=1e-9)


@pytest.mark.parametrize("value", [True, False])
def test_a_constant_top_event_is_coherent(value):
    tree = FaultTree("top", {"top": Formula("and", (Formula("or", ("a", value)), value))}, {"a": Fixed(0.3)})
    assert tree.compiled.coherent
    assert tree.probability() == float(value)
