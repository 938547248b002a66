"""The drawing holds every node, fits its width, and lets no text become markup."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.case import Case, Node, draw
from surefoot.case.drawing import WIDE
from surefoot.case.layout import NOTE, PADDING, TEXT, lay_out
from surefoot.draw import text_width

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "\u202eabc\x00", "x" * 10_000, "]]>&amp;")
kinds = st.sampled_from(["claim", "argument", "evidence", "side-claim"])
standings = st.sampled_from(["supported", "open", "contradicted"])
texts = st.text(min_size=1, max_size=60)
leaves = st.builds(Node, texts, kinds, texts, standings, texts, texts)
nodes = st.recursive(
    leaves,
    lambda inner: st.builds(Node, texts, kinds, texts, standings, texts, texts, st.lists(inner, max_size=4).map(tuple)),
    max_leaves=12,
)
cases = st.builds(Case, nodes, st.lists(texts, max_size=3).map(tuple))


def many(count=40):
    sides = tuple(Node(f"s{n}", "side-claim", f"Assumption number {n} holds.") for n in range(count - 2))
    return Case(Node("top", "claim", "All is well.", children=(Node("a", "argument", "Because.", children=sides),)))


def parsed(case, **options):
    return ElementTree.fromstring(draw(case, **options))


@settings(max_examples=40, deadline=None)
@given(cases, st.sampled_from([360.0, 820.0]))
def test_every_node_is_drawn_once_inside_the_picture(case, width):
    root = parsed(case, width=width)
    boxes = root.findall(f".//{SVG}rect")
    assert len(boxes) == len(list(case.nodes()))
    height = float(root.get("height"))
    for box in boxes:
        x, y, w, h = (float(box.get(name)) for name in ("x", "y", "width", "height"))
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height + 0.1


@settings(max_examples=40, deadline=None)
@given(cases)
def test_boxes_do_not_overlap_and_children_stand_below_and_right_of_their_parent(case):
    boxes = lay_out(case, width=WIDE).boxes
    for above, below in pairwise(boxes):
        assert above.y + above.height < below.y
    for box in boxes:
        assert box.parent is None or (boxes[box.parent].x < box.x and boxes[box.parent].y < box.y)


def test_a_very_deep_case_still_has_room_for_words():
    node = Node("leaf", "evidence", "The bottom.")
    for depth in range(100):
        node = Node(f"n{depth}", "claim", "A claim.", children=(node,))
    assert all(box.width >= 360 / 2 - 2 for box in lay_out(Case(node), width=360).boxes)


def test_words_fit_into_their_boxes():
    case = Case(Node("a", "claim", "A longish text with several words. " * 8, note="And a note with words. " * 9))
    (box,) = lay_out(case, width=360).boxes
    room = box.width - 2 * PADDING
    assert all(text_width(line, TEXT) <= room for line in box.lines)
    assert all(text_width(line, NOTE) <= room for line in box.notes)


def test_forty_nodes_stay_as_wide_as_one():
    assert parsed(many()).get("viewBox").split()[2] == parsed(many(3)).get("viewBox").split()[2] == "820"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    root = parsed(Case(Node(text, "claim", text, note=text, reference=text), (text,)))
    allowed = {f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "g", "rect", "path", "text")}
    assert {element.tag for element in root.iter()} <= allowed
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]


def test_a_cut_text_is_whole_in_the_title():
    text = "word " * 300
    titles = [element.text for element in parsed(Case(Node("a", "claim", text))).iter(f"{SVG}title")]
    assert any(text.strip() in title for title in titles)


def test_what_can_be_read_in_the_box_is_not_said_twice():
    assert draw(Case(Node("a", "claim", "A text that fits."), ())).count("A text that fits.") == 2


def test_a_text_beyond_reason_is_cut_even_in_the_title():
    assert len(draw(Case(Node("a", "claim", "word " * 100_000)))) < 20_000


def test_standing_is_told_by_word_and_sign_not_by_colour_alone():
    root = parsed(Case(Node("a", "claim", "x", "contradicted")))
    (group,) = root.findall(f"{SVG}g")
    assert group.get("class") == "claim contradicted"
    assert "contradicted" in [element.text for element in group.iter(f"{SVG}text")]
    assert [element for element in group.iter(f"{SVG}path") if element.get("class") == "sign"]


def test_two_drawings_of_one_page_share_no_id():
    ids = [set(re.findall(r' id="([^"]+)"', draw(many(), prefix=prefix))) for prefix in ("a", "b")]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_the_drawing_tells_what_it_is_to_those_who_cannot_see_it():
    root = parsed(many(3))
    assert root.get("role") == "img"
    named = root.get("aria-labelledby").split()
    assert [e.get("id") for e in root if e.tag in (f"{SVG}title", f"{SVG}desc")] == named


def test_the_style_sheet_can_be_left_to_the_page():
    assert "<style" in draw(many(3))
    assert "<style" not in draw(many(3), styled=False)


def test_the_same_case_gives_the_same_drawing():
    assert draw(many()) == draw(many())


def test_a_side_claim_that_was_checked_is_not_called_supported():
    words = [e.text for e in parsed(Case(Node("a", "side-claim", "x", "supported"))).iter(f"{SVG}text")]
    assert "nothing found against it" in words
    assert "supported" not in words
