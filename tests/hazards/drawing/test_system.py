import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.drawing import clean_svg
from surefoot.hazards import Hazop, Item, Row, drawing, start

SVG = "{http://www.w3.org/2000/svg}"


def system(nodes, pairs, *, learned=()):
    items = [Item(f"node {place}", learned=place in learned) for place in range(nodes)]
    flows = [Item(f"flow {place}", f"node {a}", f"node {b}") for place, (a, b) in enumerate(pairs)]
    return Hazop("system", items + flows)


@st.composite
def systems(draw):
    nodes = draw(st.integers(1, 25))
    end = st.integers(0, nodes)
    return system(nodes, draw(st.lists(st.tuples(end, end), max_size=40)), learned=range(0, nodes, 5))


def words(picture):
    return " ".join(each.text for each in ElementTree.fromstring(picture).iter(f"{SVG}text"))


def titles(picture):
    return [each.text for each in ElementTree.fromstring(picture).iter(f"{SVG}title")]


def size(picture):
    root = ElementTree.fromstring(picture)
    return float(root.get("width")), float(root.get("height"))


@settings(max_examples=20, deadline=None)
@given(systems(), st.sampled_from([500.0, 960.0, 3000.0]))
def test_every_node_and_flow_is_drawn_within_the_width(hazop, width):
    picture = drawing.draw_system(hazop, width=width)
    said = titles(picture)
    assert all(any(title.startswith(f"{item.name}:") for title in said) for item in hazop.items)
    assert size(picture)[0] <= width
    assert drawing.draw_system(hazop, width=width) == picture


@settings(max_examples=20, deadline=None)
@given(systems(), st.sampled_from([500.0, 1300.0, 4000.0]))
def test_no_node_covers_another_or_the_name_of_a_flow(hazop, width):
    boxes, names = [], []
    for group in ElementTree.fromstring(drawing.draw_system(hazop, width=width)).iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        outline, text = group.find(f"{SVG}path"), group.find(f"{SVG}text")
        if title is not None and "flow from" in title.text and text is not None:
            names.append((float(text.get("x")), float(text.get("y"))))
        elif title is not None and "flow from" not in title.text and outline is not None:
            across, down = coordinates(outline.get("d"))
            boxes.append((min(across), max(across), min(down), max(down)))
    assert len(boxes) >= sum(item.kind == "node" for item in hazop.items)
    for one, two in combinations(boxes, 2):
        assert one[1] < two[0] or two[1] < one[0] or one[3] < two[2] or two[3] < one[2]
    for left, right, top, bottom in boxes:
        assert not [(x, y) for x, y in names if left <= x <= right and top <= y <= bottom]


@settings(max_examples=15, deadline=None)
@given(systems())
def test_all_marks_lie_inside_the_picture(hazop):
    root = ElementTree.fromstring(drawing.draw_system(hazop))
    _, _, width, height = map(float, root.get("viewBox").split())
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x")) <= width
        assert 0 <= float(text.get("y")) <= height
    for path in root.iter(f"{SVG}path"):
        across, down = coordinates(path.get("d"))
        assert min(across) >= 0
        assert max(across) <= width
        assert min(down) >= 0
        assert max(down) <= height


def coordinates(steps):
    across, down = [], []
    for kind, numbers in re.findall(r"([MLCHVZ])([^MLCHVZ]*)", steps):
        values = [float(number) for number in numbers.split()]
        across += values if kind == "H" else values[::2] if kind != "V" else []
        down += values if kind == "V" else values[1::2] if kind != "H" else []
    return across, down


def test_every_flow_has_one_arrow_head_at_its_target():
    picture = drawing.draw_system(system(3, [(0, 1), (0, 1), (1, 2), (2, 0), (1, 1)]))
    closed_paths_of_boxes_and_heads = picture.count('Z"')
    assert closed_paths_of_boxes_and_heads == 3 + 5


def test_a_long_system_is_broken_into_bands_that_refer_to_each_other():
    picture = drawing.draw_system(system(16, [(place, place + 1) for place in range(15)]))
    assert "node 4: drawn elsewhere" in titles(picture)
    assert "is drawn elsewhere" in words(picture)
    assert size(picture)[0] <= 960


def test_parts_stay_below_the_height_and_hold_everything():
    hazop = system(16, [(place, place + 1) for place in range(15)])
    parts = list(drawing.draw_parts(hazop, width=960.0, tallest=200.0))
    assert len(parts) > 1
    assert all(size(part)[1] <= 230 for part in parts)
    said = [title for part in parts for title in titles(part)]
    assert all(any(title.startswith(f"{item.name}:") for title in said) for item in hazop.items)


def test_learned_items_are_marked_and_explained():
    plain = drawing.draw_system(system(2, [(0, 1)]))
    marked = drawing.draw_system(system(2, [(0, 1)], learned=[0]))
    assert "ML" not in words(plain)
    assert "ML: comes from machine learning" in words(marked)
    assert "node 0: node, learned" in titles(marked)


def test_an_end_that_is_no_node_is_drawn_as_such():
    picture = drawing.draw_system(Hazop("v", [Item("a"), Item("f", "a", "ghost")]))
    assert "ghost: node, not described" in titles(picture)
    assert "named by a flow, not described" in words(picture)


def test_counts_show_rows_and_their_worst_risk():
    rows = [
        Row("R1", "node 0", "p", "no", ("a",), severity="critical", likelihood="frequent"),
        Row("R2", "node 0", "p", "no", ("a",), severity="critical", likelihood="remote"),
        Row("R3", "flow 0", "p", "no", ("a",), severity="no such word", likelihood="remote"),
        Row("R4", "node 1", "p", "no"),
    ]
    hazop = replace(system(2, [(0, 1)]), rows=tuple(rows))
    said = titles(drawing.draw_system(hazop))
    assert "node 0: node, 2 rows, worst risk intolerable" in said
    assert "flow 0: flow from node 0 to node 1, 1 row, risk not rated" in said
    assert "node 1: node" in said
    assert "rows" not in " ".join(titles(drawing.draw_system(hazop, counts=False)))


def test_a_huge_system_is_drawn_in_part_around_learned_items():
    pairs = [(place, place + 1) for place in range(4999)]
    picture = drawing.draw_system(system(5000, pairs, learned=[2500]))
    assert "60 of 5,000 nodes and 59 of 4,999 flows are drawn" in words(picture)
    assert any(title.startswith("node 2500:") for title in titles(picture))
    assert len(picture) < 500_000


def test_very_many_flows_are_drawn_in_part():
    picture = drawing.draw_system(system(3, [(0, 1)] * 400))
    assert "3 of 3 nodes and 150 of 400 flows are drawn" in words(picture)


def test_small_and_odd_systems_are_pictures_that_a_report_takes():
    for hazop in [Hazop("empty"), system(1, []), system(30, []), system(1, [(0, 0)]), start("vehicle")]:
        assert clean_svg(drawing.draw_system(hazop).encode(), "p").startswith("<svg"), hazop.items


def test_hostile_names_stay_text():
    hostile = "</title><script>alert(1)</script>\u202e\x00&"
    hazop = Hazop(hostile, [Item(hostile, description=hostile), Item("b"), Item(f"f{hostile}", hostile, "b")])
    picture = drawing.draw_system(hazop)
    assert "<script" not in picture
    assert "\u202e" not in picture
    assert "\ufffd" in picture
    clean_svg(picture.encode(), "p")
