"""Mermaid: every line keeps to a grammar written here, and text comes back as it was; nothing breaks out of a label.

Hostile texts as below were also drawn by Mermaid 11.17 in Chromium, at security levels strict and loose: all nodes and
edges there, all texts as they were, no script run.
"""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.case.formats.cases import cases, small
from tests.case.formats.judged import judged

from surefoot.case import KINDS, Case, Choice, ClaimPoint, Module, Node, Number, formats
from surefoot.core import Target

ID = "[nm][A-Za-z0-9_]*"
LABEL = r'"(?P<label>(?:[A-Za-z0-9 ,.-]|#\d+;|<br/>|[^\x00-\x7f])*)"'
BRACKETS = [("[", "]"), ("(", ")"), ("([", "])"), ("[[", "]]"), ("{{", "}}"), ("[(", ")]"), ("[/", "/]"), ("((", "))")]
NODES = [re.compile(rf"(?P<id>{ID}){re.escape(left)}{LABEL}{re.escape(right)}") for left, right in BRACKETS]
EDGE = re.compile(rf"(?P<from>{ID}) (?P<arrow>-->|-\.-o|-\.-x|-\.->)(\|{LABEL}\|)? (?P<to>{ID})")
OTHERS = [re.compile("direction TB")]
OTHERS += [re.compile(rf"subgraph {ID}\[{LABEL}\]"), re.compile("end"), re.compile(r"classDef [a-z-]+ [a-z:,#0-9 -]+")]
OTHERS += [re.compile(rf"class {ID}(,{ID})* (supported|not-shown|contradicted|plain|missing)")]
HOSTILE = [
    "end", "%% comment", '%%{init: {"theme":"dark"}}%%', '"]; click nC1 href "javascript:alert(1)"',
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "`**bold**`", "1. list item", "- dash", "# heading", "a;b", "A --> B", "subgraph x",
    "style nC1 fill:#f00;", "#quot;#lt;b#gt;", "ﬂ°°60¶ßb", "&lt;b&gt;", "$$x$$", "http://evil.example/x", "fa:fa-car",
    "direction LR", "redirection  TB", "x", "o", "\\", "|", "[[]]", "(())", "@{ shape: x }", "中文 🚗", "default",
    "\x00\u202e",
]  # fmt: skip


def read(text):
    """Nodes with brackets and label, and edges, by the grammar above; any other line fails."""
    first, *rest = text.splitlines()
    assert first == "flowchart TD"
    nodes, edges = {}, []
    for line in map(str.strip, rest):
        matches = [(found, place) for place, pattern in enumerate(NODES) if (found := pattern.fullmatch(line))]
        if matches:
            found, place = matches[0]
            assert found["id"] not in nodes
            nodes[found["id"]] = (BRACKETS[place], found["label"])
        elif found := EDGE.fullmatch(line):
            edges.append((found["from"], found["arrow"], found["to"]))
        else:
            assert any(pattern.fullmatch(line) for pattern in OTHERS), line
    return nodes, edges


def said(label):
    """What a label says, without the spaces at which it may be broken."""
    decoded = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label.replace("<br/>", ""))
    return re.sub(r"[\s\u200b]", "", decoded)


@pytest.mark.parametrize("notation", ["cae", "gsn"])
@settings(max_examples=15, deadline=None)
@given(case=cases())
def test_every_case_keeps_to_the_grammar(notation, case):
    nodes, edges = read(formats.mermaid(case, evaluation=judged(case), notation=notation))
    assert len(edges) == sum(
        len(set(links))
        for node in case
        for links in (node.supported_by, node.in_context_of, node.confidence, node.challenges)
    )
    assert {end for each in edges for end in (each[0], each[2])} <= set(nodes)
    missing = {each for node in case for each in (*node.below, *case.challenged(node))} - set(case.nodes)
    assert len(nodes) == len(case) + len(missing)


def test_hostile_text_stays_text():
    for text in HOSTILE:
        node = Node(text, "claim", text, module=text, supported_by=("gone" + text,))
        drawn = formats.mermaid(Case({text: node}, modules={text: Module(text, text)}))
        labels = [said(label) for _, label in read(drawn)[0].values()]
        shown = re.sub(r"[\s\u200b]", "", text.replace("\x00", "\ufffd").replace("\u202e", "\ufffd"))
        assert shown in labels[0].removeprefix(shown), text
        assert labels[1].startswith("gone"), text
        for word in ("javascript:", "<script", "<img", "%%", "fa:fa", "$$", "ﬂ°"):
            assert word not in drawn, text
        assert not re.search(r"direction\s", drawn.replace("    direction TB\n", "")), text


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=60))
def test_any_text_comes_back(text):
    nodes, _ = read(formats.mermaid(Case.of([Node("a", "claim", text)])))
    assert said(nodes["na"][1]) == "a,claim" + re.sub(r"[\s\u200b]", "", text)


def test_shapes_of_both_notations():
    """The shapes that GSN and CAE draw, by hand."""
    case = Case.of(
        [*(Node(kind.replace("-", ""), kind, "t") for kind in KINDS), Node("held", "side-claim", "t", ("claim",))]
    )
    cae = {name: brackets for name, (brackets, _) in read(formats.mermaid(case))[0].items()}
    assert cae["nclaim"] == ("(", ")")
    assert cae["nargument"] == ("[", "]")
    assert cae["nevidence"] == ("[(", ")]")
    gsn = read(formats.mermaid(case, notation="gsn"))[0]
    assert gsn["nclaim"][0] == ("[", "]")
    assert gsn["nargument"][0] == ("[/", "/]")
    assert gsn["nevidence"][0] == ("((", "))")
    assert gsn["ncontext"][0] == ("([", "])")
    assert gsn["nheld"][0] == ("[", "]")
    assert gsn["nsideclaim"][1].endswith("<br/>A")
    assert gsn["njustification"][1].endswith("<br/>J")


def test_arrows_signs_and_classes():
    case = small()
    drawn = formats.mermaid(case, evaluation=judged(case))
    nodes, edges = read(drawn)
    assert ("nC1", "-->", "nA1") in edges
    assert ("nA1", "-.-o", "nS1") in edges
    assert ("nD1", "-.-x", "nC1") in edges
    assert [nodes[f"n{name}"][1][0] for name in ("C1", "A1", "S1")] == ["✓", "○", "✗"]
    assert "supported" in nodes["nC1"][1]
    assert "  class nC1,nE1,nP1 supported" in drawn
    assert '  subgraph mplanner["planner"]\n    direction TB\n    nP1(' in drawn


def test_ids_do_not_meet():
    names = ["a b", "a_b", "a-b", "a_20_b", "A_b", "end", "x"]
    nodes, _ = read(formats.mermaid(Case.of(Node(name, "claim", "t") for name in names)))
    assert len(nodes) == len(names)


def test_patterns_say_how_many_and_what_to_choose():
    many = Node("S1", "argument", "Over all", ("G2", "G3"), ("A1",), multiplicity={"G2": "1..n", "A1": '0"|'})
    chosen = replace(many, choice=(Choice(("G2", "G3")),), combining="legs")
    goals = [Node(each, "claim", "Part", undeveloped=True, public=True) for each in ("G2", "G3")]
    text = formats.mermaid(Case.of([chosen, *goals, Node("A1", "side-claim", "Assumed")]), notation="gsn")
    nodes, edges = read(text)
    assert '  nS1 -->|"1#46;#46;n"| nG2' in text
    assert ("nS1", "-.-o", "nA1") in edges
    assert said("choose 1 of 2: G2, G3") in said(nodes["nS1"][1])
    assert "independentlegs" in said(nodes["nS1"][1])
    assert "public" in said(nodes["nG2"][1])


def test_a_claim_says_its_number():
    number = Number("failures", Target(at_most=0.001, level=0.99))
    nodes, _ = read(formats.mermaid(Case.of([Node("C1", "claim", "It holds", number=number, undeveloped=True)])))
    assert said("claimed: at most 0.001 per demand, level 99%") in said(nodes["nC1"][1])


def test_frames_are_drawn_downwards():
    text = formats.mermaid(replace(Case.of([Node("C1", "claim", "It holds", module="m")]), modules={"m": Module("M")}))
    assert text.splitlines()[1:3] == ['  subgraph mm["M"]', "    direction TB"]


def test_a_relation_says_all_that_is_said_of_it():
    node = Node(
        "C", "claim", "x", supported_by=("D",), multiplicity={"D": "1..n"}, claim_points={"ACP1": ClaimPoint(("D",))}
    )
    (line,) = (
        each
        for each in formats.mermaid(
            Case.of([replace(node, defeated_relations=("D",)), Node("D", "claim", "y")])
        ).splitlines()
        if "nC -->" in each
    )
    found = EDGE.fullmatch(line.strip())
    assert said(found["label"]) == "1..n■ACP1✕defeated".replace(" ", "")
