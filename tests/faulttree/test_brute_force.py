"""The oracle of the other tests, against what textbooks say."""

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table, state_probabilities
from tests.faulttree.trees import fault_trees

from surefoot.faulttree import FaultTree, Fixed, Formula

P = {"a": 0.1, "b": 0.2, "c": 0.3}


def tree(formula):
    return FaultTree("top", {"top": formula}, {name: Fixed(p) for name, p in P.items()})


def sets(*words):
    return {frozenset(word) for word in words}


def literals(*words):
    """``Ab``: not a, and b."""
    return {frozenset((letter.lower(), letter.islower()) for letter in word) for word in words}


def test_two_of_three():
    table = Table.of(tree(Formula("atleast", ("a", "b", "c"), 2)))
    assert table.probability(P) == pytest.approx(0.02 + 0.03 + 0.06 - 2 * 0.006)
    assert table.minimal_cut_sets == sets("ab", "ac", "bc")
    assert table.prime_implicants == literals("ab", "ac", "bc")
    assert table.birnbaum(P, "a") == pytest.approx(0.2 + 0.3 - 2 * 0.06)
    assert table.joint(P, "a", "b") == pytest.approx(1 - 2 * 0.3)
    assert table.directions == {"a": 1, "b": 1, "c": 1}


def test_the_consensus_is_a_prime_implicant():
    formula = Formula("or", (Formula("and", ("a", "b")), Formula("and", (Formula("not", ("a",)), "c"))))
    table = Table.of(tree(formula))
    assert table.prime_implicants == literals("ab", "Ac", "bc")
    assert table.minimal_cut_sets == sets("ab", "c")
    assert table.directions == {"a": 0, "b": 1, "c": 1}


def test_exclusive_or_and_its_kin():
    assert Table.of(tree(Formula("xor", ("a", "b")))).prime_implicants == literals("aB", "Ab")
    assert Table.of(tree(Formula("iff", ("a", "b")))).prime_implicants == literals("ab", "AB")
    assert Table.of(tree(Formula("imply", ("a", "b")))).prime_implicants == literals("A", "b")
    assert Table.of(tree(Formula("nor", ("a", "b")))).prime_implicants == literals("AB")
    assert Table.of(tree(Formula("nand", ("a", "b")))).directions == {"a": -1, "b": -1, "c": 0}
    assert Table.of(tree(Formula("cardinality", ("a", "b", "c"), 1, 2))).minimal_cut_sets == sets("a", "b", "c")


def test_a_constant_has_one_implicant_or_none():
    assert Table.of(tree(Formula("or", ("a", True)))).prime_implicants == sets("")
    assert Table.of(tree(Formula("and", ("a", False)))).prime_implicants == set()


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(1, 6)))
def test_the_implicants_of_a_random_tree_cover_exactly_its_true_states(tree):
    table = Table.of(tree)
    covered = [implied(state, table) for state in range(2 ** len(table.events))]
    assert covered == table.true.tolist()


def implied(state, table):
    happens = {name: bool(state >> index & 1) for index, name in enumerate(table.events)}
    return any(all(happens[name] == value for name, value in product) for product in table.prime_implicants)


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(1, 6), coherent=True))
def test_cut_sets_of_a_coherent_tree_are_its_prime_implicants(tree):
    table = Table.of(tree)
    assert {frozenset((name, True) for name in cut) for cut in table.minimal_cut_sets} == table.prime_implicants


def test_states_of_fourteen_events_sum_to_one():
    assert state_probabilities([0.1] * 14).sum() == pytest.approx(1)
