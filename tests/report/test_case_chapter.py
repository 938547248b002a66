"""The chapter on the case: every node once, honest words, no text that becomes markup, no more bytes than allowed."""

import base64
import hashlib
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from surefoot.bounds import clopper_pearson, jeffreys
from surefoot.case import Assessed, Case, Doubt, Evaluation, Module, Node, Number
from surefoot.core import Target
from surefoot.report import case_chapter
from tests.report import argued
from tests.report.test_hostile import ATTACKS
from tests.report.test_page import Outline
from tests.report.test_style import palettes

SMALL = Case.of(argued.SMALL)
MOST_BYTES = 650
DEEPEST = 40
"""Lists are nested no deeper: browsers end nesting at a few hundred."""


def chapter(case, **given):
    return case_chapter(case, argued.evaluated(case, **given), anchors=argued.ANCHORS)


def rows(case, **given):
    return {row.id: row for row in chapter(case, **given).rows if not row.again}


def test_every_node_is_told_once_and_again_only_as_a_link():
    found = chapter(SMALL).rows
    assert sorted(row.id for row in found if not row.again) == sorted(SMALL.nodes)
    assert [row.id for row in found if row.again] == ["A2"]


@given(st.data())
def test_any_graph_of_nodes_is_told_once_each_and_its_lists_close(data):
    count = data.draw(st.integers(1, 12))
    ids = [f"N{place}" for place in range(count)]
    some = st.lists(st.sampled_from([*ids, "missing"]), max_size=3, unique=True)
    kinds = st.sampled_from(["claim", "argument", "evidence", "side-claim", "defeater", "sub-case"])
    nodes = [
        Node(each, data.draw(kinds), "t", data.draw(some), data.draw(some), data.draw(some), of=data.draw(st.just("M")))
        for each in ids
    ]
    case = replace(Case.of(nodes), modules={"M": Module("M")})
    found = chapter(case, doubted=False).rows
    assert sorted(row.id for row in found if not row.again) == sorted(ids)
    depth = 0
    for row in found:
        assert row.depth == depth
        depth += row.opens - row.closes
    assert depth == 0


def test_a_chain_deeper_than_any_list_names_the_node_above():
    nodes = [Node(f"C{place}", "claim", "t", (f"C{place + 1}",)) for place in range(5000)]
    found = chapter(Case.of([*nodes, Node("C5000", "claim", "t")])).rows
    assert len(found) == 5001
    assert max(row.depth for row in found) == DEEPEST
    assert found[DEEPEST].up == ""
    assert found[DEEPEST + 1].up == found[DEEPEST].fragment


def test_what_a_sub_case_stands_for_and_what_nothing_leads_to_is_told_too():
    nodes = (
        Node("T", "claim", "t", ("M",)),
        Node("M", "sub-case", "t", of="other"),
        Node("O", "claim", "t", module="other"),
        Node("circle", "claim", "t", ("circle",)),
    )
    found = chapter(replace(Case.of(nodes), modules={"other": Module("other")})).rows
    assert [(row.id, row.depth, row.relation) for row in found] == [
        ("T", 0, ""),
        ("M", 1, ""),
        ("O", 2, "module"),
        ("circle", 0, ""),
    ]


@given(st.lists(st.text(min_size=1).filter(str.strip), unique=True, max_size=8))
def test_places_on_the_page_are_plain_and_different(ids):
    found = [row.fragment for row in chapter(Case.of(Node(each, "claim", "t") for each in ids), doubted=False).rows]
    assert len(set(found)) == len(ids)
    assert all(re.fullmatch(r"case-node-[A-Za-z0-9_.-]+", each) for each in found)


def test_ordinary_ids_are_kept_in_places():
    assert rows(SMALL)["C2"].fragment == "case-node-C2"


def test_a_claim_shows_its_number_and_evidence_what_was_measured():
    found = rows(SMALL)
    assert found["C2"].number == (
        "Claims failure probability at most 0.05 per demand at level 95%; met, upper bound 0.0384 (confidence, 95%)."
    )
    assert found["E1"].number.startswith(
        "Counted: failure probability (malignant) 0.015 per demand, upper bound 0.0384"
    )
    assert found["E1"].digest == "ab12cd34"
    assert [(link.words, link.fragment) for link in found["E1"].links] == [
        ("evidence counted.failure probability", "step-counted")
    ]
    assert ("check of same-device", "assumption-same-device") in [(x.words, x.fragment) for x in found["S2"].links]


def test_what_was_not_measured_or_assessed_is_said():
    case = Case.of([Node("C", "claim", "t", number=argued.TARGET)])
    row = case_chapter(case, Evaluation(case, {}), anchors={}).rows[0]
    assert row.standing_words == "not assessed"
    assert row.surely == "No number: it was not assessed."
    assert row.number.endswith("no number speaks about it.")


def test_a_check_that_finds_nothing_proves_nothing_and_context_does_not_stand_or_fall():
    found = rows(SMALL)
    assert found["S1"].standing_words == "✓ not contradicted"
    assert found["S2"].standing_words.endswith("supported")
    assert found["X1"].standing_words == ""


def test_a_doubt_that_holds_is_bad_and_one_that_is_contradicted_is_eliminated():
    case = Case.of([Node("C", "claim", "t"), Node("D", "defeater", "t", challenges=("C",))])
    said = {"supported": "✕ the doubt holds", "not shown": "? not eliminated", "contradicted": "✓ eliminated"}
    for standing, words in said.items():
        evaluation = Evaluation(case, {"C": Assessed("not shown"), "D": Assessed(standing)})
        found = case_chapter(case, evaluation, anchors={})
        assert found.rows[1].standing_words == words, standing
        assert found.counts == (("not shown", 1),), standing
        gone = case.with_nodes([replace(case["D"], defeated=True)])
        assert case_chapter(gone, evaluation, anchors={}).rows[1].standing_words == "✓ eliminated", standing
    log = Node("E", "evidence", "t", challenges=("D",))
    answered = Evaluation(case.with_nodes([log]), {"E": Assessed("supported")})
    assert case_chapter(answered.case, answered, anchors={}).rows[2].standing_words == "✓ supported"


@given(st.floats(0, 1))
def test_no_confidence_is_rounded_up(confidence):
    case = Case.of([Node("C", "claim", "t")])
    found = Evaluation(case, {"C": Assessed("supported", confidence=confidence, targets=2, given=("A",))})
    said = case_chapter(case, found, anchors={}).rows[0].surely
    if confidence == 1:
        assert said == "Given 1 assumption, both targets hold together, as surely as what is given."
        return
    start, _, shown = said.rpartition(" at least ")
    assert start == "Given 1 assumption, both targets hold together with confidence"
    share = float(shown.rstrip("%."))
    assert share <= 100 * confidence + 1e-9
    assert 100 * confidence - share <= max(10 * (1 - confidence), 1e-9) + 1e-9


def test_doubts_are_listed_with_state_person_and_what_they_decide():
    doubts = (
        Doubt("E1", "evidence", "open", decides=("C1", "C2"), alone=True),
        Doubt("S1", "assumption", "accepted", "A. Berg", probability=0.02, decides=("C1",)),
        Doubt("S2", "assumption", "eliminated", decides=("C1",)),
    )
    found = case_chapter(SMALL, replace(argued.evaluated(SMALL), doubts=doubts), anchors={})
    assert [(each.id, each.state, each.by, each.fragment) for each in found.doubts] == [
        ("E1", "open", "", "case-node-E1"),
        ("S1", "accepted", "A. Berg", "case-node-S1"),
        ("S2", "eliminated", "", "case-node-S2"),
    ]
    assert [each.said for each in found.doubts] == ["open", "accepted by A. Berg", "not contradicted"]
    assert found.doubts[0].decides == "alone keeps the top claim from being supported; 2 claims need it"
    assert found.doubts[1].decides == "1 claim needs it; probability at most 0.02"
    assert found.weakest == "case-node-E1"


def test_what_is_given_is_named_by_what_it_is():
    number = Number("misses", Target(at_most=0.01))
    case = Case.of([Node("C", "claim", "t", ("E",), number=number), Node("E", "evidence", "t", rests_on="a.misses")])
    for bound, taken in ((clopper_pearson, "3 assumptions"), (jeffreys, "3 assumptions and 1 prior")):
        found = case.evaluate({"a.misses": bound(0, 1000, level=0.95, quantity="misses")})
        said = case_chapter(case, found, anchors={}).surely
        assert said == f"Given {taken}, the target holds with confidence at least 95%."


def test_doubts_beyond_the_first_are_folded_and_none_is_left_out():
    nodes = [Node("C", "claim", "t", ("A",)), Node("A", "argument", "t", ("E",), tuple(f"S{n:03}" for n in range(230)))]
    nodes += [Node("E", "evidence", "t"), *(Node(f"S{n:03}", "side-claim", f"assume {n}") for n in range(230))]
    case = Case.of(nodes)
    found = case_chapter(case, case.evaluate(), anchors={})
    assert (len(found.doubts), found.more_doubts) == (200, 31)


def test_without_doubts_the_weakest_link_is_the_leaf_that_stands_worst():
    assessed = {node.id: Assessed("supported") for node in SMALL}
    assessed["D1"] = Assessed("not shown")
    assert case_chapter(SMALL, Evaluation(SMALL, assessed), anchors={}).weakest == "case-node-D1"
    assessed["E2"] = Assessed("contradicted")
    assert case_chapter(SMALL, Evaluation(SMALL, assessed), anchors={}).weakest == "case-node-E2"


def test_a_case_without_a_claim_at_its_top_still_shows():
    for case in (Case.of([]), Case.of([Node("X", "context", "alone")])):
        page = argued.page(case, Evaluation(case, {}))
        Outline(page)
        assert "The case has no claim at its top." in page


def test_confidence_doubts_and_findings_are_said_in_words():
    text = Outline(argued.page(SMALL)).text
    for words in (
        "Given 1 assumption, both targets hold together with confidence at least 85%.",
        "2 open, 2 eliminated",
        "1 claim needs it",
        "Two methods differ by 12 points on C1.",
    ):
        assert words in text


def test_tags_match_ids_are_unique_and_links_lead_somewhere():
    outline = Outline(argued.page(SMALL))
    assert len(set(outline.ids)) == len(outline.ids)
    assert [link for link in outline.links if link.startswith("#") and link[1:] not in outline.ids] == []
    assert [link for link in outline.links if not link.startswith("#")] == ["https://example.org/study"]


def test_only_addresses_of_the_web_become_links():
    urls = ["javascript:alert(1)", " JaVaScRiPt:x", "data:text/html,x", "//e.org", "http://[", "file:///x"]
    case = Case.of(Node(f"C{place}", "claim", "t", url=url) for place, url in enumerate(urls))
    page = argued.page(case)
    assert all(url.strip() in page for url in urls)
    assert [link for link in Outline(page).links if not link.startswith("#")] == []


def test_hostile_texts_leave_the_elements_as_they_are():
    def hostile(text):
        nodes = [
            Node(text, "claim", text, ("E",), tags=(f"AMLAS: {text}",), note=text, module=text),
            Node("E", "evidence", text, rests_on=text, assumption=text, digest=text, of=text, url=f"x{text}"),
        ]
        case = Case.of(nodes)
        finding = replace(argued.finding(), text=text, hint=text)
        return argued.page(case, argued.evaluated(case, findings=(finding,)))

    for name, attack in ATTACKS.items():
        page = hostile(attack)
        found, expected = Outline(page), Outline(hostile("h" * len(attack)))
        assert [tag for tag, _ in found.tags] == [tag for tag, _ in expected.tags], name
        assert {key for _, keys in found.tags for key in keys} == {key for _, keys in expected.tags for key in keys}, (
            name
        )
        assert not set(page) & {"\u202e", "\u2066", "\x00", "\x1b"}, name


def test_a_node_takes_no_more_bytes_than_the_page_may_give_it():
    for count in (60, 1200):
        case = argued.wide(count)
        alone = len(argued.page(Case.of([Node("C0", "claim", "t")])).encode())
        assert (len(argued.page(case).encode()) - alone) / len(case) < MOST_BYTES


def part(page, tag):
    (found,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return found


def test_the_policy_names_the_hash_of_the_script_as_it_stands_in_the_page():
    page = argued.page(SMALL)
    digest = base64.b64encode(hashlib.sha256(part(page, "script").encode()).digest()).decode()
    policy = next(found["content"] for _, found in Outline(page).tags if found.get("http-equiv"))
    assert policy.endswith(f"; script-src 'sha256-{digest}'")
    assert page.count("<script") == 1


def test_the_script_builds_no_markup_from_text_and_evaluates_nothing():
    script = part(argued.page(SMALL), "script")
    assert script.startswith('"use strict";')
    banned = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|fetch|XMLHttp|import\(|</script"
    assert not re.findall(banned, script)


def test_the_style_of_the_case_uses_colours_of_the_page_alone():
    style = part(argued.page(SMALL), "style")
    own = style[style.index("#case [hidden]") :]
    assert set(re.findall(r"var\((--sf-[a-z-]+)", style)) <= set(palettes()["light"]) | {"--sf-mono"}
    assert re.findall(r"#[0-9a-f]{3,6}\b(?=[;} ])", own.replace("#case", "")) == []
    assert "url(" not in style
