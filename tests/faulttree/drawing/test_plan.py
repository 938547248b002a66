"""What is drawn in full, what is collapsed, and what is only counted."""

import pytest
from hypothesis import given, settings
from tests.faulttree.drawing.pictures import bushy, chain, items, texts, titles, tree, vehicle
from tests.faulttree.trees import fault_trees

from surefoot.core import InvalidInput
from surefoot.faulttree import FaultTree, drawing
from surefoot.faulttree.drawing import selection

ARALIA = ("chinese", "baobab1", "edf9201", "das9601")


def whole(drawn):
    """All parts of a tree, none left out."""
    return selection.plan(selection.chosen(drawn, (), None), keep=(), most_rows=None)


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(1, 8), gates=(1, 8)))
def test_every_gate_is_drawn_in_full_exactly_once(subject):
    drawn = items(subject)
    parts = whole(drawn)
    full = [part.item for part in parts if part.role == "gate"]
    assert sorted(full) == [place for place, item in enumerate(drawn.items) if item.is_gate]
    roles = {part.role for part in parts} | {row.role for part in parts for row in part.rows}
    assert "collapsed" not in roles


@settings(max_examples=15, deadline=None)
@given(fault_trees(events=(1, 8), gates=(1, 8)))
def test_every_input_of_a_gate_in_full_has_a_place(subject):
    drawn = items(subject)
    parts = whole(drawn)
    for place, part in enumerate(parts):
        below = [other.item for other in parts if other.parent == place and other.role != "list"]
        below += [row.item for other in parts if other.parent == place for row in other.rows]
        below += [] if part.condition is None else [part.condition]
        assert sorted(below) == sorted(drawn.items[part.item].inputs if part.role == "gate" else [])


def test_a_shared_gate_is_drawn_once_and_referred_to_by_its_name():
    written = texts(vehicle(), collapse=())
    assert written.count("power") == 2
    assert written.count("battery") == 1
    assert "transfer: the gate stands elsewhere" in written


def test_a_named_gate_is_collapsed_and_says_what_stands_below():
    written = texts(vehicle(), collapse=("undetected",))
    assert {"3 gates,", "5 events"} <= set(written)
    assert "camera" not in written


def test_depth_counts_levels_of_gates():
    assert "camera" not in texts(vehicle(), depth=1)
    written = texts(vehicle(), depth=2)
    assert {"camera", "radar"} <= set(written)
    assert "missed" not in written


def test_a_drawing_can_begin_at_any_gate():
    written = texts(vehicle(), root="radar")
    assert "clutter" in written
    assert "pedestrian" not in written


def test_what_is_not_there_is_refused():
    for options in ({"root": "power!"}, {"collapse": ("missed",)}, {"depth": 0}):
        with pytest.raises(InvalidInput):
            drawing.picture(vehicle(), **options)


def test_a_large_tree_fits_its_width_and_says_what_is_left_out():
    scene = drawing.picture(bushy(300))
    assert scene.width <= 1600
    assert any("gates" in text and "events" in text for text in texts(bushy(300)))
    assert drawing.picture(bushy(300), width=700).width <= 700


def test_a_deep_tree_is_cut():
    assert sum(title.endswith(": or") for title in titles(chain(3000))) <= 80 + 1


def test_what_is_highlighted_is_drawn_however_large_the_tree_is():
    assert "a255" not in texts(bushy(511))
    assert "a255" in texts(bushy(511), highlight=("a255",))


def test_the_way_to_an_ml_event_is_drawn_however_large_the_tree_is():
    big = bushy(511)
    marked = tree(
        {name: (formula.kind, formula.inputs) for name, formula in big.gates.items()},
        attributes={"b300": {"component": "detector"}},
    )
    written = texts(marked)
    assert "b300" in written
    assert "ML" in written
    assert "ML: depends on a machine-learning component (detector)" in written


def test_of_many_ways_to_an_ml_event_a_shortest_is_drawn():
    subject = tree({"top": ("or", ("long", "short")), "long": ("or", ("a", "short")), "short": ("or", ("b", "c"))})
    drawn = items(subject)
    assert {drawn.items[place].name for place in drawn.ways([drawn.index["b"]])} == {"top", "short", "b"}


def test_many_events_below_a_gate_are_counted_unless_they_matter():
    many = tree({"top": ("or", tuple(f"e{n}" for n in range(40)))})
    written = texts(many, highlight=("e35",))
    assert {"e0", "e35", "29 more events"} <= set(written)
    assert "e30" not in written
    assert "e30" in texts(many, collapse=())


def test_a_list_that_is_just_full_leaves_nothing_out():
    full = tree({"top": ("or", tuple(f"e{n}" for n in range(12)))})
    assert not [text for text in texts(full) if "more" in text]


def test_inputs_of_a_priority_gate_keep_their_order():
    ordered = tree({"top": ("pand", ("first", "second", "third", "fourth", "fifth"))})
    assert [part.role for part in whole(items(ordered))][1:] == ["leaf"] * 5


def test_aralia_trees_are_readable(aralia):
    for name in ARALIA:
        subject = FaultTree.read(aralia / f"{name}.xml")
        scene = drawing.picture(subject)
        assert 900 < scene.width <= 1600, name
        assert scene.height < 1200, name
        assert scene.description.startswith(f"{len(subject.gates)} gates over {len(subject.events)} events"), name
