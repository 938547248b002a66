"""JSON: the same data, and nothing but the standard."""

import json

import pytest

from surefoot.core import DiagnosticsError
from surefoot.faulttree import FaultTree

GOOD = {
    "surefoot-tree": 1,
    "gates": {"top": {"or": ["a", "b"]}},
    "events": {"a": 0.1, "b": {"failures": 1, "trials": 9}},
}


def refused(tmp_path, text):
    (tmp_path / "tree.json").write_text(text)
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(tmp_path / "tree.json")
    return error.value.diagnostics


def test_json_is_read_however_it_is_laid_out(tmp_path):
    for indent in (None, 0, 4):
        (tmp_path / "tree.json").write_text(json.dumps(GOOD, indent=indent))
        assert FaultTree.read(tmp_path / "tree.json").gates["top"].inputs == ("a", "b")


def test_a_problem_has_its_line(tmp_path):
    text = json.dumps(GOOD | {"houses": {"h": 3}}, indent=1)
    (found,) = refused(tmp_path, text)
    assert found.where == f"tree.json:{text.split(chr(10)).index('  ' + chr(34) + 'h' + chr(34) + ': 3') + 1}"


def test_names_that_appear_twice_are_all_found(tmp_path):
    text = '{"surefoot-tree": 1,\n"gates": {"top": {"or": ["a"],\n"or": ["a"]}},\n"events": {"a": 1,\n"a": 0}}'
    found = [(d.code, d.where) for d in refused(tmp_path, text)]
    assert found == [("duplicate-key", "tree.json:3"), ("tree-duplicate", "tree.json:5")]


def test_what_is_no_json_or_no_tree_is_refused(tmp_path):
    wrong = [
        '{"surefoot-tree": NaN}',
        '{"surefoot-tree": -Infinity}',
        '{"surefoot-tree": 1e999}',
        '{"surefoot-tree": 1' + "0" * 5000 + "}",
        '{"surefoot-tree": 1,}',
        "{'surefoot-tree': 1}",
        '{"surefoot-tree": 1} {}',
        '{"gates": ' + "[" * 100_000,
        "[" * 500 + "]" * 500,
        "1",
        '"x"',
    ]
    for text in wrong:
        found = {problem.code for problem in refused(tmp_path, text)}
        assert found <= {"tree-syntax", "unsupported-version"}, text[:30]
