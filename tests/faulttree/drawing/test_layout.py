"""Blocks stand apart, words inside them, lines between them."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.drawing.pictures import blocks, bushy, chain, tree
from tests.faulttree.trees import fault_trees

from surefoot.drawing import text_width
from surefoot.faulttree.drawing.contour import Outline, distance, places
from surefoot.faulttree.drawing.edges import edges
from surefoot.faulttree.drawing.graph import graph
from surefoot.faulttree.drawing.marks import Painter
from surefoot.faulttree.drawing.metrics import GAP, metrics
from surefoot.faulttree.drawing.rows import list_groups
from surefoot.faulttree.drawing.scene import Text
from surefoot.faulttree.drawing.words import Writer

NEARLY = 1e-6
ROUNDED = 0.06
"""Places in a drawing have one decimal."""
trees = fault_trees(events=(1, 8), gates=(1, 8))
few = st.sampled_from([1, 3])
sizes = st.tuples(st.floats(1, 50), st.floats(1, 50), st.floats(1, 50))


@settings(max_examples=25, deadline=None)
@given(trees, few)
def test_no_two_blocks_overlap(drawn, few):
    for first, second in combinations(blocks(drawn, few), 2):
        beside = first.right + GAP <= second.left + NEARLY or second.right + GAP <= first.left + NEARLY
        assert beside or first.bottom <= second.y or second.bottom <= first.y


@settings(max_examples=25, deadline=None)
@given(trees, few)
def test_a_gate_stands_midway_above_its_first_and_its_last_input(drawn, few):
    found = blocks(drawn, few)
    for place, gate in enumerate(found):
        below = [block for block in found if block.part.parent == place]
        if below:
            assert gate.x == pytest.approx((below[0].x + below[-1].x) / 2)
            assert all(gate.bottom < block.y for block in below)
            assert all(first.x < second.x for first, second in pairwise(below))


@settings(max_examples=25, deadline=None)
@given(trees, few)
def test_no_line_runs_through_a_block_that_it_does_not_join(drawn, few):
    found = blocks(drawn, few)
    for path in edges(found, graph(drawn), ()):
        for x1, y1, x2, y2 in segments(path.steps):
            crossed = [one for one in found if x1 < one.right and one.left < x2 + ROUNDED and y1 < one.bottom]
            for block in crossed:
                # A line begins behind the symbol of its gate and ends at the upper end of a block.
                begins_here = y1 > block.y and x1 == pytest.approx(block.x, abs=ROUNDED)
                assert begins_here or y2 <= block.y + ROUNDED


def segments(steps):
    """Straight pieces of a path, from left to right and downwards."""
    x = y = 0.0
    for kind, numbers in re.findall(r"([MHV]) ([-0-9. ]+)", steps):
        ends = [float(word) for word in numbers.split()]
        new_x, new_y = (ends[0], ends[1]) if kind == "M" else (ends[0], y) if kind == "H" else (x, ends[0])
        if kind != "M":
            yield min(x, new_x), min(y, new_y), max(x, new_x), max(y, new_y)
        x, y = new_x, new_y


@settings(max_examples=25, deadline=None)
@given(trees, few, st.text(max_size=400))
def test_all_words_of_a_block_stand_inside_it(drawn, few, label):
    named = tree({"top": ("or", ("a", "b"))}, labels={"top": label, "a": label})
    for subject in (drawn, named):
        values = dict.fromkeys((*subject.gates, *subject.events), 1.2345e-11)
        painter = Painter(Writer(graph(subject), metrics(graph(subject)), values), (), ())
        for block in blocks(subject, few, values):
            groups = list_groups(block, painter) if block.part.role == "list" else [painter.block(block)]
            for mark in (mark for group in groups for mark in group.marks if isinstance(mark, Text)):
                inside(mark, block)


def inside(mark, block):
    width = text_width(mark.text, mark.size)
    left = mark.x - (width / 2 if mark.anchor == "middle" else 0.0)
    assert block.left - NEARLY <= left
    assert left + width <= block.right + NEARLY
    assert block.y <= mark.y - 0.75 * mark.size
    assert mark.y <= block.bottom + NEARLY


@settings(max_examples=50, deadline=None)
@given(st.lists(sizes, min_size=1, max_size=6))
def test_neighbours_stand_a_gap_apart_and_the_outer_ones_no_further_than_needed(found):
    outlines = [Outline(bottom, left, right) for bottom, left, right in found]
    at = places(outlines, GAP)
    for (first, x), (second, y) in combinations(zip(found, at, strict=True), 2):
        assert x + first[2] + GAP <= y - second[1] + NEARLY
    assert at[0] == 0
    assert at[-1] == pytest.approx(sum(a[2] + b[1] + GAP for a, b in pairwise(found)))


def test_a_neighbour_moves_under_a_short_one():
    tall, short = Outline(10.0, 5.0, 5.0), Outline(10.0, 5.0, 5.0)
    tall.put_on_top(5.0, 1.0, 1.0)
    short.put_on_top(5.0, 20.0, 20.0)
    flat = Outline(5.0, 1.0, 1.0)
    assert distance(tall, flat, 0.0) == 2.0
    assert distance(short, flat, 0.0) == 21.0


def test_the_middle_one_of_three_unequal_subtrees_stands_in_the_middle():
    unequal = tree({"top": ("or", ("a", "b", "wide")), "wide": ("or", ("x", "y", "z"))})
    xs = [block.x for block in blocks(unequal) if block.part.parent == 0]
    assert xs[1] - xs[0] > GAP
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1])


def test_a_mirrored_tree_is_drawn_as_its_mirror_image():
    gates = {
        "top": ("or", ("p", "q", "r")),
        "p": ("or", ("a", "b")),
        "q": ("or", ("c", "s")),
        "r": ("or", ("d", "e", "f")),
    }
    gates["s"] = ("or", ("g", "h"))
    mirrored = {name: (kind, inputs[::-1]) for name, (kind, inputs) in gates.items()}
    there = sorted((block.y, block.left) for block in blocks(tree(gates)))
    width = max(block.right for block in blocks(tree(gates)))
    back = sorted((block.y, width - block.right) for block in blocks(tree(mirrored)))
    assert there == [pytest.approx(pair) for pair in back]


@pytest.mark.parametrize("big", [chain(2000), bushy(2000)], ids=["deep", "bushy"])
def test_large_trees_are_laid_out_whole_and_without_overlap(big):
    found = sorted(blocks(big), key=lambda block: (block.y, block.left))
    assert sum(block.part.role == "gate" for block in found) == 2000
    for first, second in pairwise(found):
        assert first.y < second.y or first.right + GAP <= second.left + NEARLY
