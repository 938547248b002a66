"""PDF holds the words of the case as text, the same bytes every time."""

import re
import zlib
from io import BytesIO

from PIL import Image
from tests.case.drawings.cases import chain, evaluated, every_kind, small

from surefoot.case import Case, Node
from surefoot.case.drawings import pdf, png

STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
SHOWN = re.compile(rb"\[(.*?)\]\s*TJ|\(((?:\\.|[^\\)])*)\)\s*Tj", re.DOTALL)
PIECE = re.compile(rb"\(((?:\\.|[^\\)])*)\)", re.DOTALL)


def text_of(content):
    """Words of a PDF: what its page streams show, read by hand."""
    found = []
    for stream in STREAM.findall(content):
        try:
            page = zlib.decompress(stream)
        except zlib.error:
            continue
        for array, single in SHOWN.findall(page):
            pieces = PIECE.findall(array) if array else [single]
            # Fonts with more than 255 signs are shown by two bytes a letter.
            found.append(re.sub(rb"\\(.)", rb"\1", b"".join(pieces)).decode("latin-1").replace("\0", ""))
    return " ".join(found)


def test_a_pdf_holds_all_words_as_text():
    said = text_of(pdf(small(), evaluation=evaluated(small()), notation="gsn"))
    for word in ("C1", "perception", "Motorway,", "supported", "strategy", "uncertainty"):
        assert word in said


def test_a_pdf_is_one_page_and_the_same_every_time():
    content = pdf(every_kind(), evaluation=evaluated(every_kind()))
    assert content.startswith(b"%PDF")
    assert content.count(b"/Type /Page ") + content.count(b"/Type /Page\n") == 1
    assert b"CreationDate" not in content
    assert b"/FontFile2" in content
    assert content == pdf(every_kind(), evaluation=evaluated(every_kind()))


def test_a_page_is_no_longer_than_readers_show():
    box = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+)", pdf(chain(150), legend=False))
    assert float(box[2]) <= 14_400


def test_hostile_text_does_not_break_the_print():
    texts = ("$x_$ \\frac", "\x00\u202e(unbalanced", "%%EOF", "情報", "a\\")
    case = Case.of(Node(f"N{place}", "claim", text) for place, text in enumerate(texts))
    said = text_of(pdf(case, legend=False))
    assert "$x_$" in said
    assert "%%EOF" in said


def test_a_png_is_a_picture():
    picture = Image.open(BytesIO(png(small())))
    assert picture.format == "PNG"
    assert picture.width > 500
