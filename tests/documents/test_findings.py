"""Problems are collected, put in order, counted where there are many, and say what was meant."""

from pathlib import Path

import pytest

from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import (
    Document,
    Findings,
    Kind,
    Problem,
    by_line,
    closest,
    did_you_mean,
    listed,
    printable,
    shown,
)


def test_problems_are_told_in_the_order_of_the_file():
    findings = Findings("a.yaml", Kind("yaml-syntax", columns=True))
    findings.add("wrong-value", "second.", line=(12, 3))
    findings.add("wrong-value", "first.", line=(12, 1))
    findings.add("wrong-value", "elsewhere.", where="row 'R1'")
    findings.add("wrong-value", "third.", line=100)
    with pytest.raises(DiagnosticsError) as caught:
        findings.raise_if_any([Diagnostic("wrong-value", "other.", "error", "a.yaml:20")])
    places = ["row 'R1'", "a.yaml:12:1", "a.yaml:12:3", "a.yaml:20", "a.yaml:100"]
    assert [each.where for each in caught.value.diagnostics] == places


def test_without_problems_nothing_is_raised():
    Findings("a.yaml").raise_if_any()
    assert by_line([]) == []


def test_very_many_problems_are_counted():
    findings = Findings("a.yaml")
    for number in range(1_000):
        findings.add("wrong-value", "wrong.", line=number)
    assert findings.suggestion("watter", ["water"]) == ""
    with pytest.raises(DiagnosticsError) as caught:
        findings.raise_if_any()
    assert len(caught.value.diagnostics) == 201
    assert "800 more" in caught.value.diagnostics[-1].text


def test_a_problem_gets_the_line_of_what_is_written():
    document = Document({"a": {"b": 1}}, {(): (1, 1), ("a",): (2, 1), ("a", "b"): (3, 3)})
    problem = Problem("wrong-value", ("a", "b", "c"), "must be a number.")
    found = problem.located(Path("x/surefoot.yaml"), document)
    assert (found.where, found.text) == ("surefoot.yaml:3", "a.b must be a number.")
    assert problem.located(None, document).where == "a.b.c"
    missing = Problem("missing-key", ("a", "c"), "is missing.").located(Path("surefoot.yaml"), document)
    assert (missing.where, missing.text) == ("surefoot.yaml:2", "a.c is missing.")


def test_the_word_that_was_meant_is_suggested():
    known = ["gates", "events", "houses"]
    assert closest("gate", known) == "gates"
    assert closest("q", known) is None
    assert "'gates'" in did_you_mean("gtaes", known)
    assert all(word in did_you_mean("q", known) for word in known)
    assert did_you_mean("q", []) == ""
    assert len(did_you_mean("q", map(str, range(100, 100_000)))) < 300


def test_values_and_names_of_others_are_short_and_printable():
    assert [shown(each) for each in ("a", 1.5, True, None, {}, {"a": 1}, [], [1])] == [
        "'a'",
        "1.5",
        "true",
        "nothing",
        "an empty mapping",
        "a mapping",
        "an empty list",
        "a list",
    ]
    assert len(shown("x" * 1000)) <= 80
    assert printable("a\x1b[31m\ud800") == "a\\x1b[31m\\ud800"
    assert listed(["a", "b\n", "c"], 2) == "a, b\\n and 1 more"
