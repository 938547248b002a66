"""A fault tree as an object: equality, copies, and what it hands on."""

import pickle

import pytest
from hypothesis import given, settings
from tests.faulttree.brute_force import Table
from tests.faulttree.trees import fault_trees

from surefoot.core import Estimate, SurefootError
from surefoot.faulttree import BetaFactor, Budget, FaultTree, Fixed, Formula

GATES = {"top": Formula("or", ("power", "brakes")), "brakes": Formula("and", ("left", "right"))}


def brakes(**options):
    events = {"power": Fixed(1e-4), "left": Fixed(0.01), "right": Fixed(0.02)}
    return FaultTree("top", GATES, events, **options)


@settings(max_examples=20, deadline=None)
@given(fault_trees(events=(1, 7)))
def test_the_probability_is_that_of_all_states(tree):
    p = {name: quantity.value for name, quantity in tree.events.items()}
    assert tree.probability() == pytest.approx(Table.of(tree).probability(p), rel=1e-12, abs=1e-15)
    assert tree.interval() == (tree.probability(),) * 2


def test_equal_content_is_an_equal_tree():
    assert brakes() == brakes()
    assert hash(brakes()) == hash(brakes())
    assert brakes() != brakes(name="other")
    assert brakes() != brakes().with_events({"left": 0.5})


def test_what_was_compiled_does_not_count_for_equality():
    compiled = brakes()
    compiled.probability()
    assert compiled == brakes()


@settings(max_examples=12, deadline=None)
@given(fault_trees())
def test_a_tree_can_be_sent_between_processes_before_and_after_compilation(tree):
    fresh = pickle.loads(pickle.dumps(tree))
    probability = tree.probability()
    again = pickle.loads(pickle.dumps(tree))
    assert fresh == again == tree
    assert fresh.probability() == again.probability() == probability


def test_the_mappings_of_a_tree_cannot_be_changed():
    with pytest.raises(TypeError):
        brakes().events["left"] = Fixed(0.5)


def test_a_tree_is_compiled_once():
    tree = brakes()
    assert tree.compile(Budget(nodes=5_000)) is tree.compiled is tree.compile()


def test_known_events_are_replaced_by_name():
    tree = brakes()
    changed = tree.with_events({"left": 0.5, "right": Estimate("misses", 0.25)})
    assert changed.probability() == pytest.approx(1 - (1 - 1e-4) * (1 - 0.125))
    assert tree.probability() == pytest.approx(1 - (1 - 1e-4) * (1 - 2e-4))


def test_a_tree_without_groups_and_orders_is_its_own_expansion():
    tree = brakes()
    assert tree.expanded is tree


def test_a_group_is_compiled_with_what_its_members_share():
    group = BetaFactor("channels", ("left", "right"), 0.01, 0.1)
    tree = FaultTree("top", GATES, {"power": Fixed(1e-4)}, groups=(group,))
    assert set(tree.compiled.events) == {"power", "[left]", "[right]", "[left right]"}
    assert tree.probability() == pytest.approx(1 - (1 - 1e-4) * (1 - 0.001) * (1 - 0.009**2))


def test_an_event_without_a_probability_is_named():
    tree = FaultTree("top", GATES, {"power": Fixed(0.1), "left": None, "right": Fixed(0.2)})
    with pytest.raises(SurefootError, match="left"):
        tree.probability()
    assert tree.cut_set_count() == 2


def test_a_gate_without_influence_needs_no_probability():
    gates = {"top": Formula("or", ("power", Formula("and", ("left", False))))}
    tree = FaultTree("top", gates, {"power": Fixed(0.125), "left": None})
    assert tree.probability() == 0.125


def test_the_words_for_a_tree_are_short():
    assert repr(brakes(name="cart")) == "FaultTree('cart', top='top', 2 gates, 3 events)"
