import json

import pytest
from tests.report.test_paged_document import CAN_WRITE

pytestmark = pytest.mark.usefixtures("project")


def test_the_report_is_rendered_from_the_store(surefoot, project):
    (project / "report.html").unlink()
    (project / "model.py").touch()
    assert surefoot("report").exit_code == 0
    assert "Door guard" in (project / "report.html").read_text()


@pytest.mark.parametrize(
    ("name", "text"), [("a.html", "<html"), ("a.json", '"answers"'), ("a.xml", "<test"), ("a.md", "#")]
)
def test_the_suffix_chooses_the_format(surefoot, project, name, text):
    assert surefoot("report", "-o", name).exit_code == 0
    assert text in (project / name).read_text()


def test_the_format_may_be_said(surefoot):
    assert json.loads(surefoot("report", "-o", "-", "--format", "json").stdout)["answers"]
    assert "misses" in surefoot("report", "-o", "-", "--format", "markdown").stdout


def test_an_unknown_suffix_needs_a_format(surefoot):
    found = surefoot("report", "-o", "a.docx")
    assert found.exit_code == 2
    assert "--format" in found.stderr


def test_what_was_not_assessed_is_not_computed(surefoot, project):
    path = project / "surefoot.yaml"
    path.write_text(path.read_text().replace("of: obstacle", "of: clear"))
    found = surefoot("report")
    assert found.exit_code == 2
    assert "[not-assessed]" in found.stderr


@pytest.mark.skipif(not CAN_WRITE, reason="no PDF can be written here")
def test_a_pdf_is_written_beside_and_never_printed(surefoot, project):
    assert surefoot("report", "--format", "pdf").exit_code == 0
    assert (project / "report.pdf").read_bytes().startswith(b"%PDF")
    found = surefoot("report", "--format", "pdf", "-o", "-")
    assert found.exit_code == 2
    assert "--output" in found.stderr
