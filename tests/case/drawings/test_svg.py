"""Drawings are well-formed, whole and the same every time; no text becomes markup.

The golden drawings are renewed, after looking at them, with::

    SUREFOOT_GOLDEN=write pytest tests/case/drawings/test_svg.py -k golden
"""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.case.drawings.cases import (
    HOSTILE,
    NOTATIONS,
    SVG,
    classes,
    evaluated,
    every_kind,
    parsed,
    random_cases,
    said,
    small,
)

from surefoot.case import KINDS, Case, Module, Node, drawings
from surefoot.core import Bound, Estimate, Target

GOLDEN = Path(__file__).parent / "golden"
GOLDENS = {
    "small-cae": lambda: drawings.svg(small(), notation="cae", evaluation=evaluated(small()), theme="light"),
    "small-gsn": lambda: drawings.svg(small(), notation="gsn", theme="light"),
    "every-gsn": lambda: drawings.svg(every_kind(), notation="gsn", theme="light", legend=False),
}
ALLOWED = {"svg", "g", "path", "text", "title", "desc", "style", "rect"}


def words(root):
    return "".join(f"{text.text or ''} " for text in root.iter(f"{SVG}text"))


def by_node(root):
    return {group.get("data-node"): group for group in root.iter(f"{SVG}g") if group.get("data-node")}


@pytest.mark.parametrize("name", GOLDENS)
def test_golden(name):
    drawn, path = GOLDENS[name](), GOLDEN / f"{name}.svg"
    if os.environ.get("SUREFOOT_GOLDEN") == "write":
        path.write_text(drawn)
    assert drawn == path.read_text()


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_kind_is_drawn_in_both_notations(notation):
    root = parsed(Case.of(Node(kind, kind, f"It says {kind}.") for kind in KINDS), notation=notation, legend=False)
    for kind, group in by_node(root).items():
        assert kind in classes(group)
        assert " ".join(said(group, "says")) == f"It says {kind}."
        assert "box" in classes(group.find(f"{SVG}path"))
        assert f"It says {kind}." in group.find(f"{SVG}title").text
    assert set(by_node(root)) == set(KINDS)


def test_kinds_of_one_notation_differ_in_their_outline():
    for notation, same in (("cae", 0), ("gsn", 1)):
        outlines = set()
        for kind in KINDS:
            root = parsed(Case.of([Node("N1", kind, "It says this.", of="m/x")]), notation=notation, legend=False)
            letters = said(root, "letter") + said(root, "module-name")
            path = root.find(f".//{SVG}path")
            outlines.add((re.sub(r"[\d.\s-]", "", path.get("d")), path.get("class"), *letters))
        # An assumption and a justification are both ovals and differ in their letter.
        assert len(outlines) >= len(KINDS) - same - 1


def test_a_node_looks_different_in_the_other_notation():
    assert drawings.svg(small(), notation="cae") != drawings.svg(small(), notation="gsn")
    assert drawings.svg(small()) == drawings.svg(small(), notation="cae")
    assert drawings.svg(replace(small(), notation="gsn")) == drawings.svg(small(), notation="gsn")


@settings(max_examples=15, deadline=None)
@given(random_cases(most=25), st.sampled_from(NOTATIONS), st.booleans())
def test_any_case_gives_well_formed_markup_twice_the_same(case, notation, with_standing):
    options = {"notation": notation, "evaluation": evaluated(case) if with_standing else None}
    root = parsed(case, **options)
    assert drawings.svg(case, **options) == drawings.svg(case, **options)
    assert {etree.QName(element).localname for element in root.iter()} <= ALLOWED
    nodes = [group for group in by_node(root).values() if "away" not in group.get("class")]
    assert {group.get("data-node") for group in nodes} >= set(case.nodes)


def test_hostile_text_stays_text():
    for text in HOSTILE:
        identity = text.strip()[:60] or "x"
        node = Node(
            identity, "claim", text, ("E", identity), ("X",), note=text, tags=(text,), multiplicity={"E": text}, of=text
        )
        other = Node("E", "evidence", text, module=text, rests_on=text, challenges=(identity,))
        context = Node("X", "sub-case", text, of=text)
        case = Case.of([node, other, context], name=text)
        case = replace(case, modules={text: Module(text, text)}, description=text)
        root = parsed(case, notation="gsn", evaluation=evaluated(case), prefix=f'p"{text[:20]}')
        assert {etree.QName(element).localname for element in root.iter()} <= ALLOWED, text
        attributes = {name for element in root.iter() for name in element.attrib}
        assert not any(name.lower().startswith("on") or "href" in name for name in attributes), text
        assert root.findall(f".//{SVG}script") == [], text
        style = root.find(f"{SVG}style").text
        assert "url(" not in style, text
        assert "@import" not in style, text


def test_nothing_is_loaded_from_elsewhere():
    drawn = drawings.svg(every_kind(), evaluation=evaluated(every_kind()))
    assert re.findall(r"(?:https?|ftp|data):[^\s\"]*", drawn) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in drawn
    assert "script" not in drawn.lower().replace("description", "")


def test_a_standing_is_said_by_word_and_sign_and_colour():
    case = Case.of(Node(f"C{n}", "claim", "x", ()) for n in range(3))
    root = parsed(case, evaluation=evaluated(case), legend=False)
    style = root.find(f"{SVG}style").text
    signs = set()
    for place, standing in enumerate(("supported", "not shown", "contradicted")):
        group = by_node(root)[f"C{place}"]
        assert standing.replace(" ", "-") in classes(group)
        assert standing in group.get("aria-label")
        assert said(group, "word") == [standing]
        signs.add(next(path.get("d") for path in group.iter(f"{SVG}path") if "sign" in classes(path)))
        assert f".sf-graph .box.{standing.replace(' ', '-')}{{" in style
    assert len(signs) == 3


def test_without_an_evaluation_nothing_is_said_of_standing():
    drawn = drawings.svg(small())
    assert not {"supported", "not-shown", "contradicted"} & {
        name for group in parsed(small()).iter(f"{SVG}g") for name in group.get("class", "").split()
    }
    assert "uncertainty" not in words(etree.fromstring(drawn.encode()))


def test_a_side_claim_whose_check_found_nothing_is_not_said_to_be_shown():
    case = Case.of([Node("S", "side-claim", "Independent.", assumption="iid")])
    shown = words(parsed(case, evaluation=evaluated(case), legend=False))
    assert "not contradicted" in shown
    assert "supported" not in shown


def test_a_doubt_that_stands_looks_bad_and_one_that_does_not_looks_good():
    for standing, defeated, word, looks in (
        ("supported", False, "stands", "contradicted"),
        ("contradicted", True, "eliminated", "supported"),
        ("contradicted", False, "refuted", "supported"),
        ("not shown", False, "not eliminated", "not-shown"),
    ):
        case = Case.of([Node("C", "claim", "x"), Node("D", "defeater", "y", challenges=("C",), defeated=defeated)])
        evaluation = evaluated(case)
        nodes = {**evaluation.nodes, "D": replace(evaluation["D"], standing=standing)}
        group = by_node(parsed(case, evaluation=replace(evaluation, nodes=nodes), legend=False))["D"]
        assert said(group, "word") == [word], standing
        assert looks in classes(group), standing


def test_a_context_is_taken_as_given():
    case = Case.of(Node(f"X{n}", "context", "x") for n in range(3))
    groups = by_node(parsed(case, evaluation=evaluated(case), legend=False))
    assert [said(group, "word") for group in groups.values()] == [[], [], ["contradicted"]]


def test_how_surely_a_claim_holds_stands_in_its_box():
    case = Case.of([Node("C", "claim", "x")])
    evaluation = evaluated(case)
    sure = replace(evaluation["C"], confidence=0.85, targets=3)
    root = parsed(case, evaluation=replace(evaluation, nodes={"C": sure}), legend=False)
    assert "confidence at least 85%" in words(root)


def test_numbers_stand_in_their_boxes():
    target = Target(at_most=0.05)
    bounds = (Bound(0.0383, "upper", 0.05, "confidence"),)
    estimate = Estimate("failure", 0.0312, bounds=bounds)
    case = small()
    evaluation = evaluated(case)
    nodes = dict(evaluation.nodes)
    nodes["C1"] = replace(nodes["C1"], verdict=estimate.meets(target))
    nodes["E1"] = replace(nodes["E1"], estimate=estimate)
    shown = words(parsed(case, evaluation=replace(evaluation, nodes=nodes), legend=False))
    assert "claimed: at most 0.01 per" in shown
    assert "met: at most 0.0383 shown" in shown
    assert "measured: 0.0312 per" in shown


def test_marks_of_patterns_and_defeat_are_drawn():
    root = parsed(every_kind(), notation="gsn", legend=False)
    groups = by_node(root)
    marks = {name: [path.get("class") for path in groups[name].iter(f"{SVG}path")] for name in groups}
    assert marks["C3"].count("mark") == 1
    assert marks["C4"].count("mark") == 2
    assert marks["C1"].count("mark") == 1
    assert "strike" in marks["C2"]
    assert "strike" in marks["D2"]
    assert "strike" not in marks["D1"]
    links = [path.get("class") for path in root.iter(f"{SVG}path")]
    assert links.count("solid") == 2
    assert any("hollow" in name for name in links)
    assert any("challenges" in name for name in links)
    assert any("back" in name for name in links)


def test_an_arrow_leads_down_in_gsn_and_up_in_cae():
    case = Case.of([Node("A", "claim", "a", ("B",)), Node("B", "claim", "b")])
    tips = {}
    for notation in NOTATIONS:
        paths = [path.get("d") for path in parsed(case, notation=notation, legend=False).iter(f"{SVG}path")]
        tip = [float(word) for word in paths[1].split() if word not in "MLZ"]
        tips[notation] = tip[1] - tip[3]
    assert tips["gsn"] > 0 > tips["cae"]


def test_every_node_can_be_heard_and_pointed_at():
    root = parsed(small(), evaluation=evaluated(small()))
    assert root.get("aria-labelledby") == "case-title case-desc"
    assert "Perception" in root.find(f"{SVG}title").text
    assert "9 nodes" in root.find(f"{SVG}desc").text
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for identity, group in by_node(root).items():
        assert group.get("role") == "group"
        assert group.get("aria-label")
        assert small()[identity].text in group.find(f"{SVG}title").text


def test_prefixes_keep_two_drawings_of_one_page_apart():
    first, second = (
        {element.get("id") for element in parsed(small(), prefix=prefix).iter() if element.get("id")}
        for prefix in ("one", "two")
    )
    assert not first & second


def test_a_drawing_without_a_theme_follows_the_reader():
    assert "prefers-color-scheme:dark" in parsed(small()).find(f"{SVG}style").text
    assert parsed(small(), theme="light").find(f"{SVG}style") is None
    assert drawings.svg(small(), theme="dark") != drawings.svg(small(), theme="light")


def test_the_legend_names_what_is_drawn_and_can_be_left_out():
    def legend(**options):
        groups = parsed(small(), **options).iter(f"{SVG}g")
        return [group[-1].text for group in groups if group.get("class").startswith("legend")]

    assert {"claim", "argument", "evidence", "side-warrant", "context"} <= set(legend(notation="cae"))
    assert {"goal", "strategy", "solution", "assumption", "not developed yet"} <= set(legend(notation="gsn"))
    assert "contract" not in legend(notation="gsn")
    assert legend(legend=False) == []


def test_an_empty_case_is_an_empty_picture():
    assert by_node(parsed(Case.of([]))) == {}


def test_a_thousand_nodes_stay_small():
    nodes = [Node(f"E{n}", "evidence", "A text of an ordinary length, as people write it.") for n in range(1000)]
    top = Node("C", "claim", "All.", tuple(node.id for node in nodes))
    assert len(drawings.svg(Case.of([top, *nodes]))) < 1_300_000
