"""Every measure against a table of all states."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table, state_probabilities
from tests.faulttree.trees import fault_trees

from surefoot.core import Undefined
from surefoot.faulttree import FaultTree, Fixed, Formula

inside = st.floats(0.01, 0.99).map(Fixed)
few = settings(max_examples=15, deadline=None)


def known(tree):
    return {name: quantity.value for name, quantity in tree.events.items()}


def with_probability(tree):
    table, p = Table.of(tree), known(tree)
    assume(table.probability(p) > 1e-9)
    return table, p, table.probability(p)


@few
@given(fault_trees(quantities=inside))
def test_events_agree_with_the_table_of_all_states(tree):
    table, p, top = with_probability(tree)
    found = tree.importance(gates=False)
    assert set(found.names) >= table.relevant
    for name in found.names:
        present, absent = (table.probability({**p, name: state}) for state in (1.0, 0.0))
        assert found.of(name, "birnbaum") == pytest.approx(present - absent, abs=1e-12)
        assert found.of(name, "criticality") == pytest.approx((top - absent) / top, rel=1e-9, abs=1e-12)
        assert found.of(name, "diagnostic") == pytest.approx(p[name] * present / top, rel=1e-9, abs=1e-12)
        assert found.of(name, "raw") == pytest.approx(present / top, rel=1e-9, abs=1e-12)
        assert found.of(name, "conditional") == pytest.approx(present, rel=1e-9, abs=1e-12)
        if absent > 0:
            assert found.of(name, "rrw") == pytest.approx(top / absent, rel=1e-9)
        else:
            assert found.of(name, "rrw") == np.inf


@few
@given(fault_trees(coherent=True, quantities=inside))
def test_fussell_vesely_is_the_union_of_the_cut_sets_with_the_event(tree):
    table, p, top = with_probability(tree)
    found = tree.importance(gates=False)
    weights, states = state_probabilities([p[name] for name in table.events]), np.arange(len(table.true))
    for name in table.relevant:
        sets = [sum(1 << table.events.index(e) for e in s) for s in table.minimal_cut_sets if name in s]
        covered = np.any([states & mask == mask for mask in sets], axis=0)
        assert found.of(name, "fussell_vesely") == pytest.approx(weights[covered].sum() / top, rel=1e-9)
        assert found.of(name, "fussell_vesely") >= found.of(name, "criticality") - 1e-12


@few
@given(fault_trees(quantities=inside, events=(2, 6)))
def test_gates_agree_with_trees_that_have_a_constant_in_their_place(tree):
    _, p, top = with_probability(tree)
    found = tree.importance().only("gate")
    for name in found.names:
        present, absent = (
            Table.of(replace(tree, gates={**tree.gates, name: Formula("pass", (state,))})).probability(p)
            for state in (True, False)
        )
        own, both = Table.of(tree, name), Table.of(tree, Formula("and", (name, tree.top))).probability(p)
        assert found.of(name, "birnbaum") == pytest.approx(present - absent, abs=1e-12)
        assert found.of(name, "raw") == pytest.approx(present / top, rel=1e-9, abs=1e-12)
        assert found.of(name, "diagnostic") == pytest.approx(both / top, rel=1e-9, abs=1e-12)
        if own.probability(p) > 1e-9:
            assert found.of(name, "conditional") == pytest.approx(both / own.probability(p), rel=1e-9, abs=1e-12)


@few
@given(fault_trees(quantities=inside, events=(2, 6)))
def test_joint_importance_is_the_second_mixed_difference(tree):
    table, p, _ = with_probability(tree)
    assume(len(table.relevant) > 1)
    found = tree.joint_importance()
    for (first, second), value in zip(found.pairs, found.values, strict=True):
        assert value == pytest.approx(table.joint(p, first, second), abs=1e-12)


@few
@given(fault_trees(coherent=True, quantities=inside))
def test_differential_importance_adds_up_and_follows_its_definition(tree):
    table, p, _ = with_probability(tree)
    found = tree.importance(gates=False)
    assume(len(found))
    slopes = {name: table.birnbaum(p, name) for name in found.names}
    for name in found.names:
        assert found.of(name, "differential_uniform") == pytest.approx(slopes[name] / sum(slopes.values()))
        total = sum(p[other] * slope for other, slope in slopes.items())
        assert found.of(name, "differential_proportional") == pytest.approx(p[name] * slopes[name] / total)
    for measure in ("differential_uniform", "differential_proportional"):
        assert sum(found.values[measure]) == pytest.approx(1)


def test_a_gate_that_shares_events_is_told_apart_from_one_that_is_seen():
    # Seeing "g" says that "a" is there; making it certain does not.
    gates = {"top": Formula("and", ("g", "a")), "g": Formula("and", ("a", "b"))}
    found = FaultTree("top", gates, {"a": Fixed(0.1), "b": Fixed(0.2)}).importance()
    assert found.of("g", "raw") == pytest.approx(0.1 / 0.02)
    assert found.of("g", "conditional") == pytest.approx(1.0)
    assert found.of("g", "diagnostic") == pytest.approx(1.0)


def test_worth_stays_exact_where_nearly_nothing_is_left_without_an_event():
    gates = {"top": Formula("or", ("a", "b"))}
    found = FaultTree("top", gates, {"a": Fixed(0.5), "b": Fixed(1e-14)}).importance()
    assert found.of("a", "rrw") == pytest.approx((0.5 + 0.5e-14) / 1e-14, rel=1e-12)


def test_an_impossible_top_event_has_no_importance():
    tree = FaultTree("top", {"top": Formula("and", ("a", "b"))}, {"a": Fixed(0.0), "b": Fixed(0.5)})
    with pytest.raises(Undefined, match="probability 0"):
        tree.importance()


def test_a_tree_that_is_not_coherent_says_why_it_has_no_fussell_vesely():
    tree = FaultTree("top", {"top": Formula("xor", ("a", "b"))}, {"a": Fixed(0.1), "b": Fixed(0.5)})
    found = tree.importance()
    assert found.of("a", "fussell_vesely") is None
    assert "coherent" in found.notes[0]


def test_a_gate_that_never_happens_has_no_conditional_probability():
    gates = {"top": Formula("or", ("g", "c")), "g": Formula("and", ("a", "b"))}
    found = FaultTree("top", gates, {"a": Fixed(0.1), "b": Fixed(0.0), "c": Fixed(0.5)}).importance()
    assert found.of("g", "conditional") is None
    assert found.of("b", "conditional") == pytest.approx(0.55)


def test_an_event_that_hardly_matters_keeps_its_digits():
    gates = {"top": Formula("or", ("a", "g")), "g": Formula("and", ("b", "c"))}
    found = FaultTree("top", gates, {"a": Fixed(0.5), "b": Fixed(1e-12), "c": Fixed(1e-12)}).importance()
    assert found.of("b", "birnbaum") == pytest.approx(0.5e-12, rel=1e-3)
    assert found.of("b", "criticality") == pytest.approx(1e-24, rel=1e-3)
