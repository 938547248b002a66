"""How standings are said, the same in outlines, flowcharts, pictures and the terminal: good or bad for the case."""

import io
from contextlib import redirect_stdout

import pytest

from surefoot.case import Assessed, Case, Node, Stated
from surefoot.case.formats.markdown import markdown
from surefoot.case.formats.mermaid import mermaid
from surefoot.case.words import for_the_case, standing_word
from surefoot.cli.case_outline import show_outline
from surefoot.opinions import Opinion

SURE = Stated(Opinion(0.9, 0.0, 0.1), by="A. Müller", why="seen")
CASE = Case.of(
    [
        Node("G1", "claim", "It is safe.", supported_by=("E1",), in_context_of=("C1",)),
        Node("C1", "context", "On dry roads."),
        Node("E1", "evidence", "Report.", stated=SURE),
        Node("D1", "defeater", "It rains.", challenges=("G1",), stated=SURE),
        Node("D2", "defeater", "It snows.", challenges=("G1",), defeated=True),
    ]
)
EVALUATION = CASE.evaluate({})
TOLD = {"E1": "Report", "D1": "It rains", "D2": "It snows", "C1": "On dry roads"}
NODES = {
    "claim": Node("G", "claim", "It holds."),
    "checked": Node("S", "side-claim", "Tests are alike.", rests_on="t.q", assumption="iid"),
    "doubt": Node("D", "defeater", "It rains.", challenges=("G",)),
    "eliminated": Node("D", "defeater", "It rains.", challenges=("G",), defeated=True),
    "against": Node("E", "evidence", "A crash.", challenges=("G",)),
    "context": Node("C", "context", "On dry roads."),
}


@pytest.mark.parametrize(
    ("node", "standing", "said", "seen"),
    [
        ("claim", "supported", "supported", "supported"),
        ("checked", "supported", "not refuted", "supported"),
        ("checked", "open", "open", "open"),
        ("doubt", "supported", "stands", "contradicted"),
        ("doubt", "open", "open", "open"),
        ("doubt", "contradicted", "refuted", "supported"),
        ("eliminated", "contradicted", "eliminated", "supported"),
        ("against", "supported", "stands", "contradicted"),
        ("context", "open", "", None),
        ("context", "contradicted", "contradicted", "contradicted"),
    ],
)
def test_words_and_what_they_mean_for_the_case(node, standing, said, seen):
    assessed = Assessed(standing, Opinion(0.5, 0.2, 0.3), "")
    assert standing_word(NODES[node], assessed) == said
    assert for_the_case(NODES[node], assessed) == seen


def in_the_terminal():
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as stream:
        show_outline(CASE, EVALUATION, notation="cae")
    stream.seek(0)
    return stream.read()


@pytest.mark.parametrize(
    "lines",
    [markdown(CASE, evaluation=EVALUATION), mermaid(CASE, evaluation=EVALUATION), in_the_terminal()],
    ids=["markdown", "mermaid", "terminal"],
)
def test_a_doubt_that_stands_is_never_marked_as_good_and_a_context_not_at_all(lines):
    signs = {name: next(line for line in lines.splitlines() if text in line) for name, text in TOLD.items()}
    found = {name: set("✓○✗") & set(line) for name, line in signs.items()}
    assert found == {"E1": {"✓"}, "D1": {"✗"}, "D2": {"✓"}, "C1": set()}
    assert "37;" not in signs["C1"].replace("%", "37;")


def test_that_a_doubt_was_eliminated_is_said_once():
    line = next(each for each in mermaid(CASE, evaluation=EVALUATION).splitlines() if "It snows" in each)
    assert line.count("eliminated") == 1


def test_a_flowchart_colours_as_its_signs_say():
    lines = mermaid(CASE, evaluation=EVALUATION).splitlines()
    assert "  class nE1,nD2 supported" in lines
    assert "  class nD1 contradicted" in lines
    assert "  class nC1 plain" in lines
