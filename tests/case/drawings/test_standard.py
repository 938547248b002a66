"""GSN drawings keep to the GSN Community Standard, version 3, and no line ends in the air."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.drawings.cases import NOTATIONS, SVG, every_kind, parsed, random_cases, said, small

from surefoot.bounds import clopper_pearson
from surefoot.case import Case, ClaimPoint, Module, Node, drawings, part


def marks(root, role):
    return [each for each in root.iter(f"{SVG}path") if role in each.get("class", "").split()]


def words(case, notation="gsn"):
    return {(box.node.id, box.stub): box.words for box in drawings.lay_out(case, notation=notation).boxes}


def beside():
    """Nodes of another module, referred to without a sub-case."""
    nodes = [
        Node("G1", "claim", "Top", ("G9", "Sn9"), ("C9", "A9")),
        Node("G9", "claim", "Away", undeveloped=True, module="m"),
        Node("C9", "context", "Away", module="m"),
        Node("A9", "side-claim", "Away", module="m"),
        Node("Sn9", "evidence", "Away", module="m"),
    ]
    return replace(Case.of(nodes), modules={"m": Module("Brakes")})


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_challenge_is_a_dashed_line_with_an_open_arrowhead(notation):
    root = parsed(small(), notation=notation, legend=False)
    (head,) = marks(root, "challenges-tip")
    assert "vee" in head.get("class").split()
    assert "Z" not in head.get("d")
    (drawn,) = (each for each in marks(root, "challenges") if "edge" in each.get("class").split())
    ends = re.findall(r"L ([\d.]+ [\d.]+)", drawn.get("d"))
    assert ends[-1] in head.get("d"), "the line runs on to the point of an open arrowhead"


def test_other_arrowheads_are_closed():
    root = parsed(small(), notation="gsn", legend=False)
    others = [head for head in marks(root, "tip") if "challenges-tip" not in head.get("class")]
    assert others
    assert all(head.get("d").endswith("Z") for head in others)


def test_what_challenges_is_a_goal_or_a_solution_in_gsn():
    found = words(Case.of([Node("D1", "defeater", "Doubt"), Node("E1", "evidence", "Counter", challenges=("D1",))]))
    assert found["D1", ""].shape == "rectangle"
    assert found["E1", ""].shape == "circle"


def test_a_solution_is_a_circle_however_much_it_says():
    for length in (1, 20, 150, 700, 5000):
        found = words(Case.of([Node("Sn1", "evidence", "tests " * (length // 6 + 1))]))["Sn1", ""]
        assert found.shape == "circle"
        assert found.width == found.height < 330


def test_no_word_is_broken_for_a_smaller_circle():
    found = words(Case.of([Node("Sn1", "evidence", "Counter-evidence.")]))["Sn1", ""]
    assert [row.text for row in found.rows if row.role == "says"] == ["Counter-evidence."]


def test_away_elements_keep_their_shape_and_name_their_module():
    found = words(beside())
    shapes = {identity: words.shape for (identity, stub), words in found.items() if stub == "away"}
    assert shapes == {"G9": "rectangle", "Sn9": "circle", "C9": "rounded", "A9": "oval"}
    root = parsed(beside(), notation="gsn", legend=False)
    assert said(root, "module-name") == ["m"] * 4
    assert said(root, "letter") == ["A", "A"]


def test_the_frame_of_a_module_says_its_name():
    assert "m: Brakes" in drawings.svg(beside())


@pytest.mark.parametrize("notation", NOTATIONS)
def test_no_line_leaves_in_the_air(notation):
    """Off the middle of a node there is no mark that a line could begin under."""
    shared = Node("G9", "claim", "Shared", undeveloped=True)
    marked = Node("S1", "argument", "Over all", ("G2", "G9"), uninstantiated=True)
    case = Case.of(
        [
            Node("G1", "claim", "Top", ("S1",), uninstantiated=True),
            replace(marked, in_context_of=("A1",)),
            Node("A1", "side-claim", "Argued", ("Sn2",)),
            Node("Sn2", "evidence", "Argued"),
            Node("G2", "claim", "Part", ("G9",)),
            shared,
        ]
    )
    for drawn in (case, every_kind()):
        layout = drawings.lay_out(drawn, notation=notation)
        boxes = {box.id: box for box in layout.boxes}
        for edge in layout.edges:
            ends = ((edge.source, edge.points[0]), (edge.target, edge.points[-1]))
            assert all(_touches(boxes[identity], point) for identity, point in ends), edge


def _touches(box: drawings.Box, point: tuple[float, float]) -> bool:
    """On the outline, or in the middle under the mark of what is undeveloped."""
    x, y = point
    bottom = box.bottom if abs(x - box.axis) <= 8.5 else box.y + box.height
    return box.x - 0.1 <= x <= box.right + 0.1 and box.y - 0.1 <= y <= bottom + 0.1


def test_a_line_from_below_meets_the_edge_of_a_circle():
    case = Case.of([Node("G1", "claim", "Top", ("Sn1",)), Node("Sn1", "evidence", "Tests")])
    doubts = [Node("D1", "defeater", "Doubt", ("Sn2",), challenges=("Sn1",)), Node("Sn2", "evidence", "Audit")]
    layout = drawings.lay_out(Case.of([*case.nodes.values(), *doubts]), notation="gsn")
    (box,) = (box for box in layout.boxes if box.node.id == "Sn1")
    (edge,) = (edge for edge in layout.edges if edge.relation == "challenges")
    away = ((edge.points[-1][0] - box.axis) ** 2 + (edge.points[-1][1] - box.middle) ** 2) ** 0.5
    assert away == pytest.approx(box.width / 2, abs=0.5)


def test_how_many_stands_clear_of_the_arrowhead_on_a_level_line():
    argument = Node("S1", "argument", "Over all", (), ("A1",), undeveloped=True, multiplicity={"A1": "0..n"})
    root = parsed(Case.of([argument, Node("A1", "side-claim", "Assumed")]), notation="gsn", legend=False)
    (many,) = (text for text in root.iter(f"{SVG}text") if text.text == "0..n")
    (ball,) = marks(root, "solid")
    top = min(float(y) for y in re.findall(r"[\d.]+ ([\d.]+)", ball.get("d")))
    assert many.get("text-anchor") == "middle"
    assert float(many.get("y")) < top


def test_the_legend_names_only_what_is_drawn_and_claims_first():
    top = Node("G1", "claim", "Top", ("G2",), ("C1",), multiplicity={"G2": "0..1"})
    case = Case.of([Node("C1", "context", "Context"), top, Node("G2", "claim", "Part", undeveloped=True)])
    root = parsed(case, notation="gsn")
    legend = [group for group in root.iter(f"{SVG}g") if "legend" in group.get("class", "").split()]
    texts = ["".join(group.itertext()).strip() for group in legend]
    assert texts[:2] == ["goal", "context"]
    assert "optional" in texts
    assert "so many of it" not in texts


def test_what_was_measured_is_not_cut_for_a_smaller_circle():
    case = Case.of([Node("Sn1", "evidence", "3,000 approaches, 14 assets missed.", rests_on="tests.misses")])
    counted = clopper_pearson(14, 3000, level=0.95, quantity="misses")
    (box,) = drawings.lay_out(case, notation="gsn", evaluation=case.evaluate({"tests.misses": counted})).boxes
    noted = " ".join(row.text for row in box.words.rows if row.role == "note")
    assert "measured: 0.00467 per demand" in noted


def test_an_empty_case_is_said_to_be_empty():
    assert "without nodes" in drawings.svg(Case.of([]))


def extended():
    """Claim points, doubts about relations, what they defeat, and away elements."""
    nodes = [
        Node("G1", "claim", "It stops", ("S1",), ("C1", "C9"), claim_points={"ACP1": ClaimPoint(("S1",), "G9")}),
        Node("C1", "context", "Dry roads"),
        Node("C9", "sub-case", "What in time means", of="m/C7"),
        Node("S1", "argument", "Over both circuits", ("G2", "G3"), claim_points={"ACP2": ClaimPoint(("G2", "G3"))}),
        Node("G2", "claim", "The front one holds", ("Sn1",), by_contract=True),
        Node("Sn1", "evidence", "Tests", claim_points={"ACP3": ClaimPoint()}),
        Node("G3", "claim", "The rear one holds", ("Sn2",), defeated_relations=("Sn2",)),
        Node("Sn2", "sub-case", "Tests of the supplier", of="m/Sn7"),
        Node("G9", "claim", "Hazards are complete", undeveloped=True),
        Node("D1", "defeater", "They share a pump", challenges=("S1 -> G3",)),
        Node("D2", "defeater", "Roads get wet", challenges=("G1 -> C1",)),
        Node("D3", "defeater", "Batches differ", challenges=("G3 -> Sn2",)),
        Node("C7", "context", "What in time means", module="m", public=True),
        Node("Sn7", "evidence", "Tests of the supplier", module="m", public=True),
    ]
    return Case({node.id: node for node in nodes}, modules={"m": Module("m")}, notation="gsn")


def beside_a_line(point, line):
    """Whether a point lies on the last piece of a line."""
    (x, y), (start, end) = point, line[-2:]
    within = min(start[0], end[0]) - 0.1 <= x <= max(start[0], end[0]) + 0.1
    return within and min(start[1], end[1]) - 0.1 <= y <= max(start[1], end[1]) + 0.1


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_doubt_about_a_relation_ends_on_its_line(notation):
    edges = drawings.lay_out(extended(), notation=notation).edges
    lines = {(edge.source, edge.target): edge.points for edge in edges if edge.relation != "challenges"}
    doubts = {edge.source: edge for edge in edges if edge.relation == "challenges"}
    for doubt, relation in {"D1": ("S1", "G3"), "D2": ("G1", "C1"), "D3": ("G3", "Sn2")}.items():
        assert (doubts[doubt].target, doubts[doubt].on) == relation
        assert beside_a_line(doubts[doubt].points[-1], lines[relation]), doubt
        assert doubts[doubt].points[-1] not in lines[relation], "on the line, not on a box"


def test_claim_points_are_solid_squares_on_relations_and_elements():
    layout = drawings.lay_out(extended(), notation="gsn")
    named = {(edge.source, edge.target): edge.claim_points for edge in layout.edges if edge.claim_points}
    assert named == {("G1", "S1"): ("ACP1",), ("S1", "G2"): ("ACP2",), ("S1", "G3"): ("ACP2",)}
    root = parsed(extended(), notation="gsn", legend=False)
    squares = [each for each in marks(root, "solid") if each.get("d").count("L") == 3]
    assert len(squares) == 4, "three on relations, one on an element"
    assert sorted(text for text in said(root, "small") if text.startswith("ACP")) == ["ACP1", "ACP2", "ACP2", "ACP3"]
    (box,) = (box for box in layout.boxes if box.node.id == "G9")
    assert "confidence at ACP1" in [row.text for row in box.words.rows]


def test_a_defeated_relation_is_crossed():
    root = parsed(extended(), notation="gsn", legend=False)
    assert len(marks(root, "crossed")) == 1
    assert [edge.target for edge in drawings.lay_out(extended(), notation="gsn").edges if edge.defeated] == ["Sn2"]


def test_sub_cases_have_the_shape_of_what_they_stand_for():
    found = words(extended())
    assert (found["C9", ""].shape, found["C9", ""].called) == ("rounded", "away context")
    assert (found["Sn2", ""].shape, found["Sn2", ""].called) == ("circle", "away solution")
    assert said(parsed(extended(), notation="gsn", legend=False), "module-name") == ["m/C7", "m/Sn7"]


def test_a_contract_to_come_and_what_is_public_have_the_symbols_of_modules():
    root = parsed(extended(), notation="gsn", legend=False)
    boxes = [each.get("d").count("Z") for each in marks(root, "mark")]
    assert boxes.count(3) == 1, "a contract: a box with a small one above and one below"
    assert boxes.count(2) == 4, "modules: two public nodes, two lower parts"


def test_what_was_cut_is_said_in_the_box():
    case = extended()
    shown = part(case, depth=2)
    root = parsed(shown.case, notation="gsn", legend=False, cut=shown.cut)
    assert dict(shown.cut) == {"S1": 6}
    assert "… 6 more below" in said(root, "note")


def brute_part(case, node, depth):
    """Nodes of the upper levels, level by level, each once."""
    found, level = set(), [node]
    for _ in range(depth):
        here = [each for each in level if each in case and each not in found]
        beside = [b for each in here for b in case[each].in_context_of if b in case and b not in found]
        found |= {*here, *beside}
        level = [
            below
            for each in dict.fromkeys((*here, *beside))
            for below in (*case[each].supported_by, *case[each].confidence, *case.challengers.get(each, ()))
        ]
    return found


@settings(max_examples=30, deadline=None)
@given(case=random_cases(), depth=st.integers(1, 4))
def test_a_part_has_the_upper_levels_and_says_what_it_hides(case, depth):
    if not len(case):
        return
    start = next(iter(case)).id
    shown = part(case, node=start, depth=depth)
    assert set(shown.case.nodes) == brute_part(case, start, depth)
    whole = set(part(case, node=start).case.nodes)
    hidden = whole - set(shown.case.nodes)
    assert all(each in shown.case for each in shown.cut)
    assert bool(shown.cut) >= bool(hidden), "what is hidden is said somewhere"
    for each, count in shown.cut.items():
        waiting, below = [each], set()
        while waiting:
            new = [i for i in case.needs(case[waiting.pop()]) if i in case and i not in shown.case and i not in below]
            below.update(new)
            waiting += new
        assert count == len(below)
