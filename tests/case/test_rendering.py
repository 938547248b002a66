"""A case is written by the ending of its name, whole or not at all."""

import pytest
from lxml import etree, html
from tests.case.drawings.cases import NOTATIONS, evaluated, small

from surefoot.case import Case, drawings
from surefoot.core import DiagnosticsError, Estimate, InvalidInput


def test_an_svg_is_the_drawing(tmp_path):
    for notation in (None, *NOTATIONS):
        path = small().render(tmp_path / "case.svg", notation=notation)
        assert path.read_text() == drawings.svg(small(), notation=notation), notation


def test_pictures_begin_as_their_format_does(tmp_path):
    for ending, start in (("pdf", b"%PDF"), ("png", b"\x89PNG"), ("PDF", b"%PDF")):
        assert small().render(tmp_path / f"case.{ending}").read_bytes().startswith(start), ending


def test_a_page_holds_the_drawing_and_no_script(tmp_path):
    page = html.fromstring(small().render(str(tmp_path / "case.html")).read_text())
    assert page.findall(".//script") == []
    assert page.find(".//title").text == "Perception"
    assert len(page.findall(".//svg")) == 1


def test_outlines_are_written(tmp_path):
    assert "perception component" in small().render(tmp_path / "case.md").read_text()
    for ending in ("mmd", "mermaid"):
        assert "flowchart" in small().render(tmp_path / f"case.{ending}", notation="gsn").read_text()


def test_other_endings_can_be_read_again(tmp_path):
    for ending in ("yaml", "json", "xmi"):
        path = small().render(tmp_path / f"case.{ending}")
        assert set(type(small()).read(path).nodes) == set(small().nodes), ending


def test_an_unknown_ending_is_refused_with_a_hint(tmp_path, subtests):
    for name in ("case.docx", "case", "case.svg.zip"):
        with subtests.test(name=name):
            with pytest.raises(DiagnosticsError, match=r"wrong-value.*\.svg") as refused:
                small().render(tmp_path / name)
            assert refused.value.diagnostics[0].code == "wrong-value"
            assert list(tmp_path.iterdir()) == []


def test_a_tag_is_passed_on(tmp_path):
    root = etree.fromstring(small().render(tmp_path / "case.svg", tag="AMLAS").read_bytes())
    assert {group.get("data-node") for group in root.iter() if group.get("data-node")} == {"C1", "A1", "C2"}


def test_evidence_is_evaluated(tmp_path, monkeypatch):
    asked = []

    def evaluate(case, evidence):
        asked.append(evidence)
        return evaluated(case)

    monkeypatch.setattr(Case, "evaluate", evaluate)
    measured = {"profile.density": Estimate("density", 0.1)}
    path = small().render(tmp_path / "case.svg", evidence=measured)
    assert asked == [measured]
    assert path.read_text() == drawings.svg(small(), evaluation=evaluated(small()))


def test_an_unknown_notation_leaves_no_file(tmp_path):
    with pytest.raises(InvalidInput):
        small().render(tmp_path / "case.svg", notation="uml")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_a_finding(tmp_path):
    with pytest.raises(DiagnosticsError, match="store-unwritable"):
        small().render(tmp_path / "nowhere" / "case.svg")
