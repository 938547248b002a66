"""GSN drawings keep to the GSN Community Standard, version 3, and no line ends in the air."""

import re
from dataclasses import replace

import pytest
from tests.case.drawings.cases import NOTATIONS, SVG, every_kind, parsed, said, small

from surefoot.bounds import clopper_pearson
from surefoot.case import Case, Module, Node, drawings


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
