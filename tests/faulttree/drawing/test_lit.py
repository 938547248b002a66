"""What is highlighted is what the events make true."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.brute_force import Table
from tests.faulttree.drawing.pictures import lit, tree, vehicle
from tests.faulttree.trees import FEWEST_AND_MOST, KINDS, fault_trees

from surefoot.core import InvalidInput
from surefoot.drawing import Text
from surefoot.faulttree import drawing


def test_a_cut_set_lights_the_way_to_the_top_and_nothing_else():
    assert lit(vehicle(), ("missed", "clutter", "pedestrian")) == {
        "collision", "undetected", "camera", "radar", "missed", "clutter", "pedestrian",
    }  # fmt: skip


def test_a_gate_that_becomes_true_beside_the_way_stays_dark():
    beside = tree({"top": ("or", ("a", "both")), "both": ("and", ("half", "b")), "half": ("or", ("a", "c"))})
    assert lit(beside, ("a",)) == {"top", "a"}


def test_events_that_do_not_reach_the_top_light_what_they_reach():
    assert lit(vehicle(), ("missed",)) == {"missed", "camera"}


def test_what_is_true_without_the_events_stays_dark():
    fixed = tree({"top": ("and", ("a", "on", "no")), "no": ("not", ("b",))}, houses={"on": True})
    assert lit(fixed, ("a",)) == {"top", "a"}


@settings(max_examples=20, deadline=None)
@given(st.data(), fault_trees(events=(1, 6), gates=(1, 6)))
def test_lit_gates_become_true_and_dark_gates_do_not_lead_to_the_top(data, subject):
    events = sorted(data.draw(st.sets(st.sampled_from(sorted(subject.events)))))
    state = sum(1 << place for place, name in enumerate(subject.events) if name in events)
    true = {name: Table.of(subject, name).true for name in subject.gates}
    becomes = {name for name, table in true.items() if table[state] and not table[0]}
    found = lit(subject, events) & set(subject.gates)
    assert found <= becomes
    assert (subject.top in found) == (subject.top in becomes)
    if subject.top not in becomes:
        assert found == becomes


def test_every_kind_of_gate_is_lit_by_the_states_that_make_it_true():
    for kind in KINDS:
        fewest, most = FEWEST_AND_MOST.get(kind, (3, 3))
        limits = {"minimum": 1, "maximum": 2} if kind == "cardinality" else {"minimum": 2} if kind == "atleast" else {}
        subject = tree({"top": (kind, ("a", "b", "c")[: max(fewest, min(most, 3))], limits)})
        table = Table.of(subject)
        for state, expected in enumerate(table.true):
            happening = [name for place, name in enumerate(table.events) if state >> place & 1]
            assert ("top" in lit(subject, happening)) == (expected and not table.true[0]), (kind, happening)


def test_a_path_lights_every_way_between_its_ends():
    assert lit(vehicle(), ("collision", "battery")) == {
        "collision", "undetected", "camera", "radar", "power", "battery",
    }  # fmt: skip
    assert "radar" not in lit(vehicle(), ("collision", "camera", "battery"))


def test_a_path_that_does_not_exist_is_refused():
    with pytest.raises(InvalidInput) as refused:
        lit(vehicle(), ("camera", "pedestrian"))
    assert refused.value.found == "camera, pedestrian"


def test_an_unknown_name_is_refused_with_a_suggestion():
    with pytest.raises(InvalidInput) as refused:
        lit(vehicle(), ("misssed",))
    assert "'missed'" in refused.value.remedy


def test_highlighted_gates_events_and_lines_are_drawn_in_their_colour():
    assert pens(vehicle(), highlight=("missed", "clutter", "pedestrian")).count("symbol lit") == 7
    assert "line lit" in pens(vehicle(), highlight=("missed",))
    assert not {"symbol lit", "line lit"} & set(pens(vehicle()))


def pens(subject, **options):
    marks = [mark for group in drawing.picture(subject, **options).groups for mark in group.marks]
    return [mark.pen.name for mark in marks if not isinstance(mark, Text)]
