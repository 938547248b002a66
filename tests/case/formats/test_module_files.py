"""Modules in files of their own: put together, kept inside one folder, problems of all files shown together."""

import pytest
from tests.case.formats.problems import problems

from surefoot.case import Case, Module, formats
from surefoot.core import DiagnosticsError

MAIN = "surefoot-case: 1\nmodules:\n  detector: {file: parts/detector.yaml}\nnodes:\n  C1: {claim: whole}\n"


def folder_with(tmp_path, **files):
    (tmp_path / "parts").mkdir()
    for name, text in files.items():
        (tmp_path / "parts" / f"{name}.yaml").write_text("surefoot-case: 1\n" + text)
    return tmp_path


def test_a_module_is_read_from_its_file(tmp_path):
    text = "name: Detector\ndescription: finds\nmodules: {net: {file: net.yaml, brief: learns}}\n"
    text += "nodes: {D1: {claim: part}}\n"
    folder_with(tmp_path, detector=text, net="nodes: {N1: {claim: net}, N2: {claim: x, module: other}}\n")
    (tmp_path / "a.yaml").write_text(MAIN)
    case = Case.read(tmp_path / "a.yaml")
    assert {node.id: node.module for node in case} == {"C1": "", "D1": "detector", "N1": "net", "N2": "other"}
    assert case.modules == {"detector": Module("Detector", "finds"), "net": Module("net", "learns")}


def test_files_that_are_not_taken(tmp_path):
    inner = folder_with(tmp_path, detector="nodes: {}\n") / "in"
    (inner / "parts").mkdir(parents=True)
    (tmp_path / "outside.yaml").write_text("surefoot-case: 1\n")
    (inner / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    for file, code, text in (
        ("gone.yaml", "file-missing", "no file 'gone.yaml'"),
        ("../outside.yaml", "case-value", "leaves the folder"),
        ("/etc/hostname", "case-value", "no relative path"),
        ("parts/../../outside.yaml", "case-value", "leaves the folder"),
        ("link.yaml", "case-value", "leaves the folder"),
        ("a.yaml", "case-value", "part of the case already"),
        ('""', "case-value", "no relative path"),
        ("x" * 3000, "file-missing", "no file"),
        ("parts", "file-missing", "no file"),
    ):
        found = problems(inner, f"surefoot-case: 1\nmodules:\n  m: {{file: {file}}}\n")[0]
        assert (found.code, found.where, text in found.text) == (code, "a.yaml:3", True), file


def test_a_circle_of_files_ends(tmp_path):
    folder_with(tmp_path, detector="modules: {again: {file: detector.yaml}}\n")
    found = problems(tmp_path, MAIN)
    assert [(each.where, "already" in each.text) for each in found] == [("parts/detector.yaml:2", True)]


def test_problems_of_all_files_are_shown_together(tmp_path):
    folder_with(
        tmp_path, detector="nodes:\n  C1: {claim: twice}\n  D2: {clam: x}\nconfidence: {discounting: uncertainty}\n"
    )
    found = problems(tmp_path, MAIN + "  C2: {claim: x, undeveloped: 3}\n")
    assert [(each.code, each.where) for each in found] == [
        ("case-value", "a.yaml:6"),
        ("duplicate-key", "parts/detector.yaml:3"),
        ("missing-key", "parts/detector.yaml:4"),
        ("unknown-key", "parts/detector.yaml:4"),
        ("case-value", "a.yaml:3"),
    ]
    assert "a.yaml:5" in found[1].text


def test_a_file_that_cannot_be_parsed_is_named(tmp_path):
    folder_with(tmp_path, detector="nodes: {\n")
    assert problems(tmp_path, MAIN)[0].where.startswith("parts/detector.yaml:")


def test_data_in_memory_name_no_files():
    with pytest.raises(DiagnosticsError, match="cannot name a file"):
        formats.case_from_dict({"surefoot-case": 1, "modules": {"m": {"file": "x.yaml"}}, "nodes": {}})
