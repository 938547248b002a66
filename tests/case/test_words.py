"""How standings are said, the same in outlines, flowcharts, pictures and the terminal: good or bad for the case."""

import re

from typer.testing import CliRunner

from surefoot.case import Assessed, Case, Evaluation, Node, Stated, formats
from surefoot.cli import app
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
SIGNS = {"supported": "✓", "not shown": "○", "contradicted": "✗"}
NODES = {
    "claim": Node("G", "claim", "It holds."),
    "checked": Node("S", "side-claim", "Tests are alike.", rests_on="t.q", assumption="iid"),
    "doubt": Node("D", "defeater", "It rains.", challenges=("G",)),
    "eliminated": Node("D", "defeater", "It rains.", challenges=("G",), defeated=True),
    "against": Node("E", "evidence", "A crash.", challenges=("G",)),
    "context": Node("C", "context", "On dry roads."),
}


def test_words_and_what_they_mean_for_the_case():
    for node, standing, said, seen in (
        ("claim", "supported", "supported", "supported"),
        ("checked", "supported", "not contradicted", "supported"),
        ("checked", "not shown", "not shown", "not shown"),
        ("doubt", "supported", "stands", "contradicted"),
        ("doubt", "not shown", "not eliminated", "not shown"),
        ("doubt", "contradicted", "refuted", "supported"),
        ("eliminated", "contradicted", "eliminated", "supported"),
        ("against", "supported", "stands", "contradicted"),
        ("context", "not shown", "", None),
        ("context", "contradicted", "contradicted", "contradicted"),
    ):
        case = Case.of([NODES[node]])
        evaluation = Evaluation(case, {NODES[node].id: Assessed(standing, "")})
        (line,) = (
            line for line in formats.markdown(case, evaluation=evaluation).splitlines() if NODES[node].text in line
        )
        words = re.findall(r" \*([a-z ]+)\*(?: |$)", line)
        assert words == ([said] if said else []), line
        assert re.findall("[✓○✗]", line) == ([SIGNS[seen]] if seen else []), line


def test_what_refutes_a_doubt_is_good_for_the_case():
    doubt = Node("D", "defeater", "It rains.", challenges=("G",))
    answer = Node("A", "evidence", "It never rained.", challenges=("D",))
    again = Node("B", "evidence", "The gauge was broken.", challenges=("A",))
    case = Case.of([Node("G", "claim", "It holds."), doubt, answer, again])
    evaluation = Evaluation(case, {each.id: Assessed("supported") for each in case})
    said = formats.markdown(case, evaluation=evaluation).splitlines()
    for node, seen in (("It rains.", "✗"), ("It never rained.", "✓"), ("The gauge was broken.", "✗")):
        (line,) = (each for each in said if node in each)
        assert re.findall("[✓○✗]", line) == [seen], line


def in_the_terminal(folder):
    shown = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(
        app, ["case", "show", str(CASE.write(folder / "case.yaml"))], prog_name="surefoot"
    )
    assert shown.exit_code == 0, shown.output
    return shown.stdout


def test_a_doubt_that_stands_is_never_marked_as_good_and_a_context_not_at_all(tmp_path):
    ways = {
        "markdown": formats.markdown(CASE, evaluation=EVALUATION),
        "mermaid": formats.mermaid(CASE, evaluation=EVALUATION),
        "terminal": in_the_terminal(tmp_path),
    }
    for way, lines in ways.items():
        signs = {name: next(line for line in lines.splitlines() if text in line) for name, text in TOLD.items()}
        found = {name: set("✓○✗") & set(line) for name, line in signs.items()}
        assert found == {"E1": {"✓"}, "D1": {"✗"}, "D2": {"✓"}, "C1": set()}, way
        assert "37;" not in signs["C1"].replace("%", "37;"), way


def test_that_a_doubt_was_eliminated_is_said_once():
    line = next(each for each in formats.mermaid(CASE, evaluation=EVALUATION).splitlines() if "It snows" in each)
    assert line.count("eliminated") == 1


def test_a_flowchart_colours_as_its_signs_say():
    lines = formats.mermaid(CASE, evaluation=EVALUATION).splitlines()
    assert "  class nE1,nD2 supported" in lines
    assert "  class nD1 contradicted" in lines
    assert "  class nC1 plain" in lines
