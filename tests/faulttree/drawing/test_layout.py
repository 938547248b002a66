"""Blocks stand apart, words inside them, lines between them."""

import re
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.faulttree.drawing.pictures import blocks, bushy, chain, items, tree, writer
from tests.faulttree.trees import fault_trees

from surefoot.drawing import Text, text_width
from surefoot.faulttree.drawing import diagram, selection
from surefoot.faulttree.drawing.blocks import Painter, list_groups

NEARLY = 1e-6
ROUNDED = 0.06
"""Places in a drawing have one decimal."""
trees = fault_trees(events=(1, 8), gates=(1, 8))
few = st.sampled_from([1, 3])


@settings(max_examples=15, deadline=None)
@given(trees, few)
def test_no_two_blocks_overlap(drawn, few):
    for first, second in combinations(blocks(drawn, few), 2):
        beside = (
            first.right + selection.GAP <= second.left + NEARLY or second.right + selection.GAP <= first.left + NEARLY
        )
        assert beside or first.bottom <= second.y or second.bottom <= first.y


@settings(max_examples=15, deadline=None)
@given(trees, few)
def test_a_gate_stands_midway_above_its_first_and_its_last_input(drawn, few):
    found = blocks(drawn, few)
    for place, gate in enumerate(found):
        below = [block for block in found if block.part.parent == place]
        if below:
            assert gate.x == pytest.approx((below[0].x + below[-1].x) / 2)
            assert all(gate.bottom < block.y for block in below)
            assert all(first.x < second.x for first, second in pairwise(below))


@settings(max_examples=15, deadline=None)
@given(trees, few)
def test_no_line_runs_through_a_block_that_it_does_not_join(drawn, few):
    found = blocks(drawn, few)
    for path in diagram.edges(found, items(drawn), ()):
        for x1, y1, x2, y2 in segments(path.steps):
            crossed = [one for one in found if x1 < one.right and one.left < x2 + ROUNDED and y1 < one.bottom]
            for block in crossed:
                # A line begins behind the symbol of its gate and ends at the upper end of a block.
                begins_here = y1 > block.y and x1 == pytest.approx(block.x, abs=ROUNDED)
                assert begins_here or y2 <= block.y + ROUNDED


def segments(steps):
    """Straight pieces of a path, from left to right and downwards."""
    x = y = 0.0
    for kind, *numbers in re.findall(r"([ML]) ([-0-9.]+) ([-0-9.]+)", steps):
        new_x, new_y = map(float, numbers)
        if kind != "M":
            yield min(x, new_x), min(y, new_y), max(x, new_x), max(y, new_y)
        x, y = new_x, new_y


@settings(max_examples=12, deadline=None)
@given(trees, few, st.text(max_size=400))
def test_all_words_of_a_block_stand_inside_it(drawn, few, label):
    named = tree({"top": ("or", ("a", "b"))}, labels={"top": label, "a": label})
    for subject in (drawn, named):
        values = dict.fromkeys((*subject.gates, *subject.events), 1.2345e-11)
        brush = Painter(writer(subject, values), (), ())
        for block in blocks(subject, few, values):
            groups = list_groups(block, brush) if block.part.role == "list" else [brush.block(block)]
            for mark in (mark for group in groups for mark in group.marks if isinstance(mark, Text)):
                inside(mark, block)


def inside(mark, block):
    width = text_width(mark.text, mark.letters.size)
    left = mark.x - (width / 2 if mark.anchor == "middle" else 0.0)
    assert block.left - NEARLY <= left
    assert left + width <= block.right + NEARLY
    assert block.y <= mark.y - 0.75 * mark.letters.size
    assert mark.y <= block.bottom + NEARLY


def test_the_middle_one_of_three_unequal_subtrees_stands_in_the_middle():
    unequal = tree({"top": ("or", ("a", "b", "wide")), "wide": ("or", ("x", "y", "z"))})
    xs = [block.x for block in blocks(unequal) if block.part.parent == 0]
    assert xs[1] - xs[0] > selection.GAP
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
        assert first.y < second.y or first.right + selection.GAP <= second.left + NEARLY
