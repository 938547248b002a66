"""Markdown outlines, read by a parser of Markdown that we did not write."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt
from tests.case.formats.cases import cases, small, texts
from tests.case.formats.judged import judged
from tests.case.formats.test_mermaid import HOSTILE

from surefoot.case import Case, Choice, Node, Stated, formats
from surefoot.core import InvalidInput
from surefoot.opinions import Opinion

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TAGS = {"div", "h1", "h2", "h3", "p", "ul", "li", "a", "strong", "em"}


def parsed(text):
    return html.fromstring(f"<div>{PARSER.render(text)}</div>")


def said(element):
    return shown(element.text_content())


def shown(text):
    return re.sub(r"\s+", " ", text.replace("\u200b", "")).strip()


def test_a_small_case_is_an_outline():
    expected = """# Detector

## Main module

- **claim C1** The detector misses a pedestrian in at most one of a thousand demands. This holds for all conditions of \
the operational design domain, by day and by night, and for the version that is released. \
· claimed: at most 0.001 per demand, level 99%
  - **argument A1** From tests to operation · evidence incorporation
    - **evidence E1** Tests of release 1.2 · rests on missed.pmi, digest ab12 · tags: AMLAS: stage 5
    - beside it: **side-warrant S1** Tests are drawn as in operation · rests on missed.pmi
  - challenged by **defeater D1** Snow was not tested · eliminated
- **sub-case X1** The planner keeps its distance · stands for [P1](#n.P1)

## Module planner

Plans ahead

- <a id="n.P1"></a>**claim P1** The planner keeps its distance · public · stated by A. Müller: very likely, \
high confidence (by review)
"""
    assert formats.markdown(small()) == expected


def test_an_evaluation_adds_sign_word_and_reason():
    text = formats.markdown(small(), evaluation=judged(small(), why="see *there*"), notation="gsn")
    assert "- ✓ **goal C1**" in text
    assert "  - ○ **strategy A1**" in text
    assert " · *supported* · see \\*there\\* · " in text
    assert "✓ supported, ○ not shown, ✗ contradicted; of doubts ✓ refuted, ✗ standing." in text


def test_a_node_met_again_is_a_link_to_its_first_place():
    nodes = [
        Node("C", "claim", "c", ("A", "B")),
        Node("A", "claim", "a", ("E",)),
        Node("B", "claim", "b", ("E",)),
        Node("E", "evidence", "e"),
    ]
    text = formats.markdown(Case.of(nodes))
    assert text.count("**evidence E**") == 1
    assert '    - <a id="n.E"></a>**evidence E** e' in text
    assert "    - see evidence [E](#n.E)" in text


@settings(max_examples=20, deadline=None)
@given(case=cases(), evaluated=st.booleans())
def test_every_node_stands_once_and_every_link_leads_somewhere(case, evaluated):
    root = parsed(formats.markdown(case, evaluation=judged(case) if evaluated else None))
    assert {element.tag for element in root.iter()} <= TAGS
    heads = [head for item in root.iter("li") if (head := item.find("strong")) is not None]
    assert len([head for head in heads if shown(head.tail or "") != "is not in this case."]) == len(case)
    anchors = [element.get("id") for element in root.iter("a") if element.get("id")]
    assert len(anchors) == len(set(anchors))
    inside = {link.get("href")[1:] for link in root.iter("a") if link.get("href", "").startswith("#")}
    assert inside <= set(anchors)


def test_hostile_text_stays_text():
    for text in (
        *HOSTILE,
        "[a](javascript:x)",
        "![i](http://x)",
        "a\n\n# b",
        "    code",
        "***",
        "| a | b |\n|-|-|",
        "<!-- x",
    ):
        node = Node(text, "claim", text, module="m" + text, note=text, url=text, tags=(text,), rests_on=text)
        case = Case({text: node}, name=text, description=text)
        root = parsed(formats.markdown(case, evaluation=judged(case, why=text)))
        assert {element.tag for element in root.iter()} <= TAGS, text
        assert all(
            link.get("href") is None or link.get("href").startswith(("#", "http://evil")) for link in root.iter("a")
        ), text
        assert said(root).count(shown(text.replace("\x00", "\ufffd").replace("\u202e", "\ufffd"))) >= 6, text


@settings(max_examples=60, deadline=None)
@given(text=texts)
def test_text_is_one_paragraph_without_markup_and_without_links(text):
    escaped = formats.markdown(Case.of([Node("a", "claim", text)])).partition("**claim a**")[2].strip()
    root = parsed(f"x {escaped}")
    assert [element.tag for element in root.iter()] == ["div", "p"]
    assert (
        not re.search(r"(?i)https?://\S|www\.\S|@\w|#\d|\bGH-\d", said(root).replace("\u200b", " "))
        or "\u200b" in escaped
    )


def test_only_plain_addresses_are_links():
    def link(url):
        return parsed(formats.markdown(Case.of([Node("a", "claim", "t", url=url)]))).xpath("//a/@href")

    assert link("https://example.org/a?b=c#d") == ["https://example.org/a?b=c#d"]
    for url in ("javascript:alert(1)", "https://x/<b>", "https://x/ y", "data:text/html,x", "https://x/)[b](c"):
        assert link(url) == []


def test_a_long_chain_goes_on_under_headings():
    case = Case.of(Node(f"C{n}", "claim", "t", (f"C{n + 1}",) if n < 9_999 else ()) for n in range(10_000))
    text = formats.markdown(case, evaluation=judged(case))
    assert max(len(line) - len(line.lstrip(" ")) for line in text.splitlines()) == 2 * 11
    assert len(re.findall(r"\*\*claim C\d+\*\*", text)) == 10_000
    assert '### <a id="below.C11"></a>Below [C11](#n.C11)\n\n- ' in text
    assert "goes on [below](#below.C11)" in text


def test_circles_and_missing_nodes_are_shown():
    case = Case.of([Node("A", "claim", "a", ("B",)), Node("B", "claim", "b", ("A", "gone"))])
    text = formats.markdown(case)
    assert "    - see claim [A](#n.A)" in text
    assert "    - **gone** is not in this case." in text


def test_a_tag_keeps_its_nodes_and_what_is_above_them():
    text = formats.markdown(small(), tag="AMLAS: stage 5")
    assert re.findall(r"\*\*[a-z-]+ (\w+)\*\*", text) == ["C1", "A1", "E1"]
    assert "Only what carries the tag AMLAS: stage 5" in text
    with pytest.raises(InvalidInput, match="no node has this tag"):
        formats.markdown(small(), tag="nothing")


def test_patterns_say_how_many_and_what_to_choose():
    many = Node("S1", "argument", "Over all", ("G2", "G3"), ("A1",), multiplicity={"G2": "1..n", "A1": "0..n"})
    nodes = [replace(many, choice=(Choice(("G2", "G3")),)), Node("G2", "claim", "Part"), Node("G3", "claim", "Other")]
    text = formats.markdown(Case.of([*nodes, Node("A1", "side-claim", "Assumed")]))
    assert "choose 1 of 2: G2, G3" in text
    assert "- 1..n times: **claim G2** Part" in text
    assert "- beside it: 0..n times: **side-warrant A1** Assumed" in text


def test_who_answers_for_what_is_said():
    opinion = Opinion(0.7, 0.1, 0.2)
    stated = Stated(opinion, given_true=opinion, given_false=opinion, by="A. <b>", why="Seen.")
    text = formats.markdown(Case.of([Node("C1", "claim", "It holds", stated=stated)]))
    assert "stated by A. \\<b\\>: belief 0.7, disbelief 0.1, uncertainty 0.2; given true belief 0.7" in text
    assert text.rstrip().endswith("(Seen.)")
