"""Which format a file has, and files that are none."""

import math
import os

import pytest

from surefoot.core import DiagnosticsError
from surefoot.faulttree import FaultTree, Fixed, Formula

TREE = FaultTree("top", {"top": Formula("or", ("a", "b"))}, {"a": Fixed(0.25), "b": Fixed(0.5)})
SAMPLES = {
    "mef": '<?xml version="1.0"?>\n<opsa-mef><define-fault-tree name="x"><define-gate name="top"><or><basic-event '
    'name="a"/><basic-event name="b"/></or></define-gate></define-fault-tree><model-data><define-basic-event name="a">'
    '<float value="0.25"/></define-basic-event><define-basic-event name="b"><float value="0.5"/></define-basic-event>'
    "</model-data></opsa-mef>",
    "yaml": "# a tree\nsurefoot-tree: 1\ngates: {top: {or: [a, b]}}\nevents: {a: 0.25, b: 0.5}\n",
    "json": '\n{"surefoot-tree": 1, "gates": {"top": {"or": ["a", "b"]}}, "events": {"a": 0.25, "b": 0.5}}',
    "galileo": 'toplevel "top";\n"top" or "a" "b";\n"a" prob=0.25;\n"b" prob=0.5;\n',
    "aralia": "top := a | b;\np(a) = 0.25;\np(b) = 0.5;\n",
}
LOST = '<gate name="lost"/>'


SUFFIXES = {
    ".xml": "mef",
    ".opsa": "mef",
    ".yml": "yaml",
    ".yaml": "yaml",
    ".JSON": "json",
    ".dft": "galileo",
    ".galileo": "galileo",
    ".dag": "aralia",
    ".aralia": "aralia",
}


@pytest.mark.parametrize("kind", SAMPLES)
def test_suffix_or_content_tells_the_format(tmp_path, kind):
    for suffix in ("", ".txt", ".ft", *(suffix for suffix, named in SUFFIXES.items() if named == kind)):
        (tmp_path / f"tree{suffix}").write_text(SAMPLES[kind])
        tree = FaultTree.read(str(tmp_path / f"tree{suffix}"))
        assert (tree.top, tree.gates, tree.events) == (TREE.top, TREE.gates, TREE.events), suffix


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "tree.yaml"
    for content, code, where in (
        (None, "file-missing", str(path)),
        (b"", "file-unreadable", "tree.yaml"),
        (b" \n\t\n", "file-unreadable", "tree.yaml"),
        (b"a: 1\nb: \xff\n", "file-unreadable", "tree.yaml:2"),
        (b"a: 1\n\n\x00\x01", "file-unreadable", "tree.yaml:3"),
    ):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(DiagnosticsError) as error:
            FaultTree.read(path)
        (found,) = error.value.diagnostics
        assert (found.code, found.where, bool(found.hint)) == (code, where, True), content


def test_a_file_of_a_hundred_megabytes_is_refused_and_not_read(tmp_path):
    for suffix in (".yaml", ".json", ".dft", ".aralia", ".txt", ""):
        path = tmp_path / f"tree{suffix}"
        with open(path, "wb") as stream:
            stream.truncate(100_000_000)
        with pytest.raises(DiagnosticsError, match="20,000,000"):
            FaultTree.read(path)


def test_folders_and_pipes_are_no_files(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in (tmp_path, tmp_path / "pipe.yaml"):
        with pytest.raises(DiagnosticsError, match="not a plain file"):
            FaultTree.read(path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "tree.yaml").write_text(SAMPLES["yaml"], encoding="utf-8-sig")
    assert FaultTree.read(tmp_path / "tree.yaml").events == TREE.events


def test_formats_that_are_only_read_cannot_be_written(tmp_path):
    for name in ("tree.dft", "tree.aralia", "tree.txt", "tree"):
        with pytest.raises(DiagnosticsError) as error:
            TREE.write(tmp_path / name)
        assert error.value.diagnostics[0].code == "tree-unsupported", name


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path):
    path = tmp_path / "tree.yaml"
    path.write_text("precious")
    odd = FaultTree("top", {"top": Formula("or", ("\ud800",))}, {"\ud800": Fixed(0.1)})
    with pytest.raises(DiagnosticsError, match="surrogate"):
        odd.write(path)
    assert path.read_text() == "precious"
    assert [entry.name for entry in tmp_path.iterdir()] == ["tree.yaml"]


def test_a_folder_that_is_not_there_is_a_problem_with_a_code(tmp_path):
    with pytest.raises(DiagnosticsError) as error:
        TREE.write(tmp_path / "none" / "tree.yaml")
    assert error.value.diagnostics[0].code == "store-unwritable"


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "real.yaml").write_text("old")
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    TREE.write(tmp_path / "link.yaml")
    assert (tmp_path / "link.yaml").is_symlink()
    assert FaultTree.read(tmp_path / "real.yaml") == TREE


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tree.yaml", "surefoot-tree: 1\ngates: {top: {or: [a, lost]}}\nevents: {a: 1.5, b: {rate: none, tme: 3}}\n"),
        ("tree.json", SAMPLES["json"].replace("0.25", "1.5").replace("0.5", "true").replace('"b"]', '"b", "lost"]')),
        ("tree.xml", SAMPLES["mef"].replace("0.25", "1.5").replace('"0.5"', '"much"').replace("<or>", f"<or>{LOST}")),
    ],
)
def test_wrong_numbers_are_found_beside_other_problems(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(tmp_path / name)
    told = [(found.code, found.text) for found in error.value.diagnostics]
    assert len(told) == 3
    assert any(code == "tree-undefined" and "'lost'" in text for code, text in told)
    assert any(code == "tree-probability" and "is 1.5" in text for code, text in told)


def test_a_parameter_that_cannot_be_read_is_not_called_undefined(tmp_path):
    said = "surefoot-tree: 1\ngates: {top: {or: [a]}}\nevents: {a: usual}\nparameters: {usual: [1]}\n"
    (tmp_path / "tree.yaml").write_text(said)
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(tmp_path / "tree.yaml")
    assert [found.code for found in error.value.diagnostics] == ["wrong-value"]


@pytest.mark.parametrize(
    ("content", "hint"),
    [("", "Export the tree again"), (SAMPLES["yaml"], "Name other formats as such"), (SAMPLES["mef"][:99], "Mend")],
)
def test_what_is_no_xml_says_what_to_do(tmp_path, content, hint):
    (tmp_path / "tree.xml").write_text(content)
    with pytest.raises(DiagnosticsError) as error:
        FaultTree.read(tmp_path / "tree.xml")
    (found,) = error.value.diagnostics
    assert found.where.startswith("tree.xml")
    assert hint in found.hint


def test_the_mission_time_is_set_where_something_asks_for_it(tmp_path):
    asks = "surefoot-tree: 1\ngates: {top: {or: [a]}}\nevents: {a: {rate: 1e-3, time: mission-time}}\n"
    (tmp_path / "tree.yaml").write_text(asks)
    assert FaultTree.read(tmp_path / "tree.yaml").probability() == pytest.approx(1 - math.exp(-8.76), rel=1e-12)
    assert FaultTree.read(tmp_path / "tree.yaml", mission_time=1000).probability() == pytest.approx(
        1 - math.exp(-1), rel=1e-12
    )
    (tmp_path / "other.yaml").write_text(SAMPLES["yaml"])
    with pytest.raises(DiagnosticsError, match="tree-unsupported"):
        FaultTree.read(tmp_path / "other.yaml", mission_time=1000)


def test_a_misspelt_top_event_of_a_model_gets_a_suggestion(tmp_path):
    (tmp_path / "tree.xml").write_text(SAMPLES["mef"])
    with pytest.raises(DiagnosticsError, match=r"tree.xml: .*'topp'.* top\b"):
        FaultTree.read(tmp_path / "tree.xml", top="topp")
