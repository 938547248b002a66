"""JSON: the same data, one node a line, and nothing but the standard."""

import json

import pytest
from tests.case.formats.cases import small
from tests.case.formats.problems import problems

from surefoot.case import Case, formats
from surefoot.core import DiagnosticsError


def test_one_node_is_one_line(tmp_path):
    text = small().write(tmp_path / "a.json").read_text()
    assert '  "D1": {"defeater": "Snow was not tested", "challenges": ["C1"], "defeated": true},\n' in text


def test_what_is_as_usual_costs_nothing():
    assert formats.case_to_dict(small())["nodes"]["X1"] == {
        "sub-case": "The planner keeps its distance",
        "of": "planner/P1",
    }


def test_it_is_read_however_it_is_laid_out(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps(formats.case_to_dict(small()), indent=3))
    assert Case.read(tmp_path / "a.json") == small()


def test_what_is_wrong_has_a_code_and_a_line(tmp_path):
    for text, code, line in (
        ('{"surefoot-case": 1,\n "nodes": {"C": {"claim": 1}}}', "case-value", 2),
        ('{"surefoot-case": 1,\n "nodes": {"C": {"claim": null}}}', "case-value", 2),
        ('{"surefoot-case": 1,\n "nodes": {"C": {"claim": "x", "undeveloped": "true"}}}', "case-value", 2),
        ('{"surefoot-case": 1,\n "nodes": {"C": {"claim": "x"}, "C": {"claim": "y"}}}', "duplicate-key", 2),
        ('{"surefoot-case": 1,\n "nodes": NaN}', "case-syntax", 2),
        ('{"surefoot-case": 1e999}', "case-syntax", 1),
        ('{"surefoot-case": true}', "unsupported-version", 1),
        (
            '{"surefoot-case": 1,\n "nodes": {"C": {"claim": "x", "number": {"quantity": "q", "at most": "1"}}}}',
            "case-value",
            2,
        ),
        (
            '{"surefoot-case": 1,\n "nodes": {"C": {"claim": "x", "number": {"quantity": "q", "at most": 1'
            + "0" * 400
            + "}}}}",
            "case-value",
            2,
        ),
        ('{"surefoot-case": 1,\n "nodes": {"C": {"claim": "\\ud800"}}}', "wrong-value", 2),
        ('{"surefoot-case": 1,', "case-syntax", 1),
        ("[" * 100_000, "case-syntax", None),
    ):
        found = problems(tmp_path, text, "a.json")[0]
        assert (found.code, found.where) == (code, f"a.json:{line}" if line else "a.json"), text


def test_data_in_memory_have_keys_for_places():
    with pytest.raises(DiagnosticsError) as error:
        formats.case_from_dict({"surefoot-case": 1, "nodes": {"C1": {"claim": "x", "number": {}}, "C2": 3}})
    assert [found.where for found in error.value.diagnostics] == ["nodes.C1.number", "nodes.C2"]


def test_anything_else_in_memory_is_refused(subtests):
    for data in (None, 3, [], {}, {1: 2}, {"surefoot-case": 1, 5: 1}, {"surefoot-case": 1, "nodes": {1: {}}}):
        with subtests.test(data=data), pytest.raises(DiagnosticsError):
            formats.case_from_dict(data)
