"""Boxes stand apart, words inside them, arguments flow downwards, lines go round."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.drawings.cases import (
    HOSTILE,
    NOTATIONS,
    bushy,
    chain,
    evaluated,
    every_kind,
    fan,
    overlapping,
    random_cases,
    small,
)

from surefoot.case import Case, Choice, Node, drawings
from surefoot.core import InvalidInput
from surefoot.drawing import text_width

notations = st.sampled_from(NOTATIONS)


def meets(points, box):
    """Whether a line runs through the inside of a box."""
    return any(
        min(x, to_x) < box.right - 1
        and max(x, to_x) > box.x + 1
        and min(y, to_y) < box.bottom - 1
        and max(y, to_y) > box.y + 1
        for (x, y), (to_x, to_y) in pairwise(points)
    )


def touches(point, box):
    x, y = point
    return box.x - 0.1 <= x <= box.right + 0.1 and box.y - 0.1 <= y <= box.bottom + 0.1


@settings(max_examples=25, deadline=None)
@given(random_cases(), notations, st.booleans())
def test_no_two_boxes_touch_and_all_stand_inside(case, notation, with_standing):
    layout = drawings.lay_out(case, notation=notation, evaluation=evaluated(case) if with_standing else None)
    assert overlapping(layout.boxes) == []
    assert [box.id for box in layout.boxes if not box.stub] == list(case.nodes)
    for box in layout.boxes:
        assert box.x >= 0
        assert box.y >= 0
        assert box.right <= layout.width
        assert box.bottom <= layout.height


@settings(max_examples=4, deadline=None)
@given(random_cases(most=300), notations)
def test_no_two_boxes_touch_in_a_large_case(case, notation):
    assert overlapping(drawings.lay_out(case, notation=notation).boxes) == []


@settings(max_examples=20, deadline=None)
@given(random_cases(), notations)
def test_edges_join_their_boxes_and_those_of_the_tree_meet_no_other(case, notation):
    layout = drawings.lay_out(case, notation=notation)
    boxes = {box.id: box for box in layout.boxes}
    for edge in layout.edges:
        assert touches(edge.points[0], boxes[edge.source])
        assert touches(edge.points[-1], boxes[edge.target])
        if not edge.further:
            met = [box.id for box in layout.boxes if meets(edge.points, box)]
            assert set(met) <= {edge.source, edge.target}


@settings(max_examples=20, deadline=None)
@given(random_cases(), notations)
def test_every_relation_is_drawn_once(case, notation):
    layout = drawings.lay_out(case, notation=notation)
    drawn = [(edge.source.rpartition(">")[2], edge.target.rpartition(">")[2]) for edge in layout.edges]
    wanted = {(node.id, other) for node in case for other in (*node.below, *node.challenges)}
    assert set(drawn) == wanted
    assert len(drawn) == len(wanted)


@settings(max_examples=20, deadline=None)
@given(random_cases(), notations)
def test_what_supports_stands_below(case, notation):
    layout = drawings.lay_out(case, notation=notation)
    boxes = {box.id: box for box in layout.boxes}
    for edge in layout.edges:
        if edge.relation == "supported_by" and not edge.further:
            assert boxes[edge.target].y >= boxes[edge.source].bottom


def test_a_circle_is_drawn_once_and_dashed():
    case = Case.of([Node("A", "claim", "a", ("B",)), Node("B", "claim", "b", ("A", "B"))])
    edges = {(edge.source, edge.target): edge.back for edge in drawings.lay_out(case, notation="cae").edges}
    assert edges == {("A", "B"): False, ("B", "A"): True, ("B", "B"): True}


def test_contexts_stand_beside_their_node():
    for notation in NOTATIONS:
        boxes = {box.id: box for box in drawings.lay_out(small(), notation=notation).boxes}
        claim, context, side_claim, argument = (boxes[name] for name in ("C1", "X1", "S1", "A1"))
        assert context.y < claim.bottom
        assert (context.right < claim.x) == (notation == "gsn")
        assert side_claim.x > argument.right


def test_a_side_claim_that_something_holds_up_stands_below():
    boxes = {box.id: box for box in drawings.lay_out(every_kind(), notation="gsn").boxes}
    assert boxes["S2"].y > boxes["A2"].bottom
    assert boxes["S2"].words.shape == "rectangle"


def test_a_shared_node_hangs_on_the_deepest_and_other_edges_cross():
    nodes = [Node("A", "claim", "a", ("B", "E")), Node("B", "claim", "b", ("E",)), Node("E", "evidence", "e")]
    edges = {
        (edge.source, edge.target): edge.further for edge in drawings.lay_out(Case.of(nodes), notation="cae").edges
    }
    assert edges == {("A", "B"): False, ("B", "E"): False, ("A", "E"): True}


def test_a_wide_fan_is_broken_into_rows():
    layout = drawings.lay_out(fan(), notation="cae")
    rows = {box.y for box in layout.boxes if box.node.kind == "evidence"}
    assert len(rows) >= 4
    assert 0.4 < layout.width / layout.height < 2.5


@pytest.mark.parametrize("notation", NOTATIONS)
def test_300_nodes_have_a_shape_people_can_look_at(notation):
    case = bushy(300)
    layout = drawings.lay_out(case, notation=notation, evaluation=evaluated(case))
    assert 0.3 < layout.width / layout.height < 3.0
    assert overlapping(layout.boxes) == []


@pytest.mark.parametrize("notation", NOTATIONS)
def test_long_ways_go_round_the_boxes(notation):
    layout = drawings.lay_out(bushy(150), notation=notation)
    further = [edge for edge in layout.edges if edge.further]
    assert len(further) >= 6
    for edge in further:
        others = (box for box in layout.boxes if box.id not in (edge.source, edge.target))
        assert [box.id for box in others if meets(edge.points, box)] == []


def test_a_chain_of_10000_does_not_recurse():
    layout = drawings.lay_out(chain(10_000), notation="gsn")
    assert all(above.bottom < below.y for above, below in pairwise(layout.boxes))


def test_modules_have_frames_and_nodes_met_from_another_one_are_stubs():
    layout = drawings.lay_out(every_kind(), notation="gsn")
    assert [frame.name for frame in layout.frames] == ["main module", "other"]
    inside = {frame.name: frame for frame in layout.frames}
    for box in layout.boxes:
        theirs = box.id == "other>nowhere" or (box.node.module == "other" and box.stub != "away")
        own = "other" if theirs else "main module"
        frame = inside[own]
        assert frame.x <= box.x
        assert box.right <= frame.x + frame.width
        assert frame.y <= box.y
        assert box.bottom <= frame.y + frame.height
    assert {box.id: box.stub for box in layout.boxes if box.stub} == {">B1": "away", "other>nowhere": "missing"}


def test_nodes_of_a_choice_stand_together_under_one_fork():
    layout = drawings.lay_out(every_kind(), notation="gsn")
    members = sorted(box.x for box in layout.boxes if box.id in ("C4", "C5", "C6"))
    between = [box.id for box in layout.boxes if members[0] < box.x < members[-1] and box.id in ("C2", "C3")]
    assert between == []
    assert [fork.text for fork in layout.forks] == ["1 of 3"]


def test_a_choice_of_several_says_how_many():
    leaves = [Node(f"C{n}", "claim", "x") for n in range(3)]
    top = Node("A", "argument", "a", ("C0", "C1", "C2"), choice=(Choice(("C0", "C1", "C2"), 1, 2),))
    assert [fork.text for fork in drawings.lay_out(Case.of([top, *leaves]), notation="gsn").forks] == ["1 to 2 of 3"]


SIZES = {"label": 10.5, "says": 12.5, "note": 10.5, "opinion": 10.5}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_words_fit_into_their_boxes(notation):
    kinds = ("claim", "argument", "evidence", "context")
    case = Case.of(
        Node(f"{kind}{place}{text[:50]}", kind, text) for place, text in enumerate(HOSTILE) for kind in kinds
    )
    for box in drawings.lay_out(case, notation=notation, evaluation=evaluated(case)).boxes:
        for row in box.words.rows:
            assert text_width(row.text, SIZES.get(row.role, 11.0)) <= box.width, row.text
        assert len(box.lines) <= 9


def test_a_cut_text_says_so():
    (box,) = drawings.lay_out(Case.of([Node("A", "claim", "word " * 300)]), notation="cae").boxes
    assert box.lines[-1].endswith("…")


def test_an_unknown_notation_is_refused():
    with pytest.raises(InvalidInput) as refused:
        drawings.lay_out(small(), notation="uml")
    assert refused.value.found == "'uml'"


def test_a_tag_keeps_what_carries_it_and_what_stands_above():
    layout = drawings.lay_out(small(), notation="cae", tag="amlas")
    assert [box.id for box in layout.boxes] == ["C1", "A1", "C2"]
    assert [box.id for box in drawings.lay_out(small(), notation="cae", tag="AMLAS: stage 3").boxes] == [
        "C1",
        "A1",
        "C2",
    ]


def test_an_unknown_tag_is_refused_and_the_known_ones_are_named():
    with pytest.raises(InvalidInput, match=r"AMLAS: stage 3"):
        drawings.lay_out(small(), notation="cae", tag="UL 4600")
