"""Cut sets, prime implicants and sums of trees, against all states of their events and against the literature."""

import math

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

from surefoot.faulttree import FaultTree, Formula, cutsets, probabilities

FEW = settings(max_examples=15, deadline=None, derandomize=True)


@FEW
@given(fault_trees(events=(1, 14), gates=(1, 10)))
def test_minimal_cut_sets_of_any_tree_are_those_of_brute_force(tree):
    truth = Table.of(tree).minimal_cut_sets
    found = [frozenset(item.events) for item in tree.cut_sets()]
    assert sorted(found, key=sorted) == sorted(truth, key=sorted)
    assert tree.cut_set_count() == sum(cutsets.count_by_order(tree.compiled).values()) == len(truth)


@FEW
@given(fault_trees(events=(1, 10), gates=(1, 8)))
def test_prime_implicants_of_any_tree_are_those_of_brute_force(tree):
    truth = Table.of(tree).prime_implicants
    found = tree.prime_implicants()
    assert {frozenset(tuple(literal) for literal in item.literals) for item in found} == truth
    assert found.total_count == len(truth)


@FEW
@given(fault_trees(events=(1, 10), gates=(1, 8), coherent=True))
def test_the_omitted_sum_bounds_what_the_kept_sets_miss_of_the_top_event(tree):
    p, table = probabilities(tree), Table.of(tree)
    for options in ({"order": 1}, {"cutoff": 0.01}, {"limit": 2}, {"cutoff": 1e-4, "by": "probability"}):
        sets = tree.cut_sets(**options)
        kept = Formula("or", tuple(Formula("and", item.events or (True,)) for item in sets) or (False,))
        union = Table.of(tree, kept).probability(p)
        assert union <= table.probability(p) + 1e-12
        assert table.probability(p) <= union + sets.omitted_sum + 1e-12


@FEW
@given(fault_trees(events=(1, 10), gates=(1, 8), coherent=True))
def test_both_approximations_lie_above_the_top_event_of_a_coherent_tree(tree):
    p, table = probabilities(tree), Table.of(tree)
    found = cutsets.approximations(tree.compiled, [p[event] for event in tree.compiled.events])
    assert found.rare_event + 1e-12 >= found.min_cut_upper_bound >= table.probability(p) - 1e-12
    total = math.fsum(math.prod(p[event] for event in item) for item in table.minimal_cut_sets)
    assert found.rare_event == pytest.approx(total, rel=1e-12)


def test_the_pressure_tank_of_the_fault_tree_handbook_has_its_five_cut_sets():
    """Vesely, Goldberg, Roberts and Haasl (1981), chapter VIII."""
    gates = {
        "E1": Formula("or", ("T", "E2")),
        "E2": Formula("or", ("E3", "K2")),
        "E3": Formula("and", ("S", "E4")),
        "E4": Formula("or", ("S1", "E5")),
        "E5": Formula("or", ("K1", "R")),
    }
    tree = FaultTree("E1", gates, dict.fromkeys(("T", "K2", "S", "S1", "K1", "R")))
    assert [item.events for item in tree.cut_sets()] == [("K2",), ("T",), ("K1", "S"), ("R", "S"), ("S", "S1")]


def test_the_consensus_is_a_prime_implicant_but_no_cut_set():
    """Quine (1955): ab + -ac has the consensus bc."""
    gates = {"top": Formula("or", (Formula("and", ("a", "b")), Formula("and", (Formula("not", ("a",)), "c"))))}
    tree = FaultTree("top", gates, dict.fromkeys("abc"))
    assert {str(item) for item in tree.prime_implicants()} == {"a, b", "-a, c", "b, c"}
    assert [item.events for item in tree.cut_sets()] == [("c",), ("a", "b")]
