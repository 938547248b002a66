"""The report on paper: pages as a PDF reader sees them."""

import re
import sys
from ctypes.util import find_library
from dataclasses import replace
from importlib.util import find_spec

import pytest

from surefoot import report
from surefoot.case import Case, Node, PrivateKey, coverage, make_key, seal
from surefoot.core import MissingExtra
from surefoot.project import DocumentControl
from tests.report import results

CAN_WRITE = bool(find_spec("weasyprint") and find_library("pango-1.0"))
pytestmark = pytest.mark.skipif(not CAN_WRITE, reason="no PDF can be written here: WeasyPrint or Pango is missing")

CONTROL = DocumentControl.model_validate(
    {
        "id": "SC-7",
        "title": "Safety case of the second reader",
        "version": "1.2",
        "author": "A. Weber",
        "status": "in review",
        "reviewers": [{"name": "B. Okafor", "role": "assessor", "state": "approved", "date": "2026-03-01"}],
        "history": [{"version": "1.2", "date": "2026-02-01", "change": "New test data.", "by": "A. Weber"}],
    }
)
LONGEST_CLAIM = 60


def pages(content):
    """The words of every page, white space made equal."""
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        return [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]
    finally:
        document.close()


def controlled():
    return replace(results.full(), document=CONTROL)


@pytest.fixture(scope="module")
def read():
    return pages(report.pdf(controlled()))


def test_two_pages_answer_a_reader_in_a_hurry(read):
    found = controlled()
    assert "Safety case of the second reader" in read[0]
    assert found.headline.text in read[0]
    for answer in found.answers:
        assert answer.claim[:LONGEST_CLAIM] in read[0]
    for words in ("What it rests on", "What is open", "Who reviewed and who signed", "B. Okafor", "Nobody has sealed"):
        assert words in read[0] + read[1]


def test_every_page_says_which_it_is_and_of_which_document(read):
    for number, text in enumerate(read, start=1):
        assert f"Page {number} of {len(read)}" in text
        assert "SC-7, version 1.2" in text
        assert "in review" in text


def test_the_contents_name_the_pages_on_which_chapters_begin(read):
    (place,) = [place for place, text in enumerate(read[:3]) if "Contents" in text]
    listed = dict(re.findall(r"([A-Z][a-z][\w ,]+?) (?:\. ?)+(\d+)", read[place]))
    for chapter in ("Evidence register", "Coverage of standards", "Glossary", "Signature page"):
        starts = [number for number, text in enumerate(read, start=1) if number > place + 1 and chapter in text]
        assert int(listed[chapter]) == starts[0]


def test_every_node_entry_and_clause_is_there(read):
    found, text = controlled(), "".join(read).replace(" ", "")
    assert all(node.id[:20].replace(" ", "") in text for node in found.case)
    assert all(entry.digest[:12] in text for entry in found.register if entry.digest)
    gaps = [row for row in coverage(found.case, found.evaluation) if row.state == "gap"]
    assert gaps
    assert all(row.reference.replace(" ", "") in text for row in gaps)


def test_the_signature_page_is_whole_and_the_last(read):
    assert "Whoever signs states" in read[-1]
    assert read[-1].count("Signature") >= 3


def test_who_signed_the_seal_is_told_and_whether_it_still_holds(tmp_path):
    found = results.met()
    for role in ("author", "assessor"):
        make_key(tmp_path / f"{role}.pem")
    author, assessor = (PrivateKey.read(tmp_path / f"{role}.pem") for role in ("author", "assessor"))
    made = seal(found.snapshot, by="A. Weber", date="2026-03-01", key=author, role="author")
    made = made.signed(assessor, by="B. Okafor", role="assessor", date="2026-03-02")
    second = "".join(pages(report.pdf(found, seal=made))[:2])
    for words in ("A. Weber author 2026-03-01", "B. Okafor assessor 2026-03-02", "Every one holds"):
        assert words in second
    assert assessor.public.raw.hex()[:8] in second
    other = results.full()
    fallen = replace(other, answers=other.answers[1:], case=Case.of([Node("C", "claim", "other", undeveloped=True)]))
    assert "Every one holds" not in "".join(pages(report.pdf(fallen, seal=made)))


def test_text_stays_text_and_nothing_is_loaded(tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"not read")
    attack = f'<img src="{secret.as_uri()}"><script>alert(1)</script>'
    definition = {**results.DEFINITION, "system": {"name": attack, "description": attack, "hazard": attack}}
    found = results.met()
    hostile = results.result(found.answers, found.evidence, definition=definition)
    first = pages(report.pdf(hostile))[0].replace(" ", "")
    assert first.count("<script>alert(1)</script>") >= 3


def test_the_same_result_gives_the_same_words():
    assert pages(report.pdf(results.met())) == pages(report.pdf(results.met()))


def test_a_case_of_many_nodes_is_drawn_as_far_as_it_can_be_read():
    top = Node("C0", "claim", "All of them hold", tuple(f"C{n}" for n in range(1, 400)))
    leaves = [Node(f"C{n}", "claim", f"Part {n} holds", undeveloped=True) for n in range(1, 400)]
    found = replace(results.met(), case=Case.of([top, *leaves]))
    read = pages(report.pdf(found))
    assert any("399 nodes further below" in text for text in read)
    assert len(read) < 20


def test_pictures_of_data_are_read_as_strictly_as_before():
    from PIL import ImageFile

    report.pdf(results.met())
    assert not ImageFile.LOAD_TRUNCATED_IMAGES


def test_without_weasyprint_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(MissingExtra, match=r"surefoot\[pdf\]"):
        report.pdf(results.met())
