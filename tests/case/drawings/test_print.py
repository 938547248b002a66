"""PDF holds the words of the case as text, the same bytes every time."""

from io import BytesIO

import pypdfium2
from PIL import Image
from tests.case.drawings.cases import chain, evaluated, every_kind, small

from surefoot.case import Case, Node, drawings


def text_of(content):
    """Words of a PDF, as PDFium finds them."""
    return pypdfium2.PdfDocument(content)[0].get_textpage().get_text_bounded()


def test_a_pdf_holds_all_words_as_text():
    said = text_of(drawings.pdf(small(), evaluation=evaluated(small()), notation="gsn"))
    for word in ("C1", "perception", "Motorway,", "supported", "strategy"):
        assert word in said


def test_a_pdf_is_one_page_and_the_same_every_time():
    content = drawings.pdf(every_kind(), evaluation=evaluated(every_kind()))
    assert len(pypdfium2.PdfDocument(content)) == 1
    assert content == drawings.pdf(every_kind(), evaluation=evaluated(every_kind()))


def test_a_page_is_no_longer_than_readers_show():
    assert pypdfium2.PdfDocument(drawings.pdf(chain(150), legend=False))[0].get_height() <= 14_400


def test_hostile_text_does_not_break_the_print():
    texts = ("$x_$ \\frac", "\x00\u202e(unbalanced", "%%EOF", "情報", "a\\")
    case = Case.of(Node(f"N{place}", "claim", text) for place, text in enumerate(texts))
    said = text_of(drawings.pdf(case, legend=False))
    assert "$x_$" in said
    assert "%%EOF" in said


def test_a_png_is_a_picture():
    picture = Image.open(BytesIO(drawings.png(small())))
    assert picture.format == "PNG"
    assert picture.width > 500
