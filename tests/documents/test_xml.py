"""XML is read without anything that reaches beyond its elements and attributes."""

from itertools import chain, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import documents
from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, Kind

KIND = Kind("case-syntax", deepest=20, largest=10_000, columns=True)


def parse(content, kind=KIND):
    content = content.encode() if isinstance(content, str) else content
    return documents.xml.parse(content, Findings("f", kind), {"XMI": "xmi"})


def refused(content):
    with pytest.raises(DiagnosticsError) as caught:
        parse(content)
    (found,) = caught.value.diagnostics
    assert found.code == "case-syntax"
    return found.where


def test_what_a_safe_reader_refuses():
    for content in (
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><x y="&b;"/>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://example.org/x.dtd"> %a;]><x/>',
        '<!DOCTYPE x [<!ATTLIST x name CDATA "y">]><x/>',
        '<!DOCTYPE x SYSTEM "http://example.org/x.dtd"><x/>',
        '<!DOCTYPE x PUBLIC "-//X//Y" "x.dtd"><x/>',
        "<x>&unknown;</x>",
        "<x>" * 30,
        "<x>" + " " * 10_000 + "</x>",
        "<a:b/>",
        "<x",
        "",
        "<x/><y/>",
        "<x>\x01</x>",
        "<x>&#7;</x>",
        "<x>\x7f</x>",
        "<x>\x9b</x>",
        "<x y='&#x9B;'/>",
        "<x y='&#127;'/>",
        '<?xml version="1.0" encoding="klingon"?><x/>',
        '<?xml version="1.0" encoding="iso-8859-1"?><x>\x9b</x>'.encode("latin-1"),
        "<x>\x9b</x>".encode("utf-16"),
        "<x>é</x>".encode("latin-1"),
    ):
        assert refused(content).startswith("f"), content


def test_places_are_lines_and_columns():
    assert refused("<x>\n  <y>\n</x>") == "f:3:3"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_elements_have_lines_texts_and_attributes(encoding):
    declared = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>'
    text = f'{declared}<!DOCTYPE x>\n<x xmlns:m="urn:XMI" xmlns:o="urn:o" m:id="1" o:b="2" c="é">\n a<y/> b\n</x>'
    found = parse(text.encode(encoding))
    assert (found.tag, found.line, found.text) == ("x", 2, "a b")
    assert found.attributes == {"xmi:id": "1", "other:b": "2", "c": "é"}
    assert [(child.tag, child.line) for child in found.named("y")] == [("y", 3)]


@given(st.text("a&<>'\" \t\n\ré\u2028", min_size=1))
@settings(deadline=None)
def test_attributes_are_read_back_as_they_were(value):
    lines = documents.xml.element("x", {"a": value, "b": ""}, ["<y/>"])
    assert parse("\n".join(lines)).attributes == {"a": value}


@given(st.lists(st.integers(1, 40), min_size=1))
@settings(deadline=None)
def test_pieces_of_any_size_are_one_file(sizes):
    content = "<x y='é&#233;'>&#x9b;</x>".encode()
    pieces = []
    while content:
        sizes = [*sizes[1:], sizes[0]]
        pieces, content = [*pieces, content[: sizes[0]]], content[sizes[0] :]
    with pytest.raises(DiagnosticsError):
        documents.xml.Reader(Findings("f", KIND)).read(pieces)


def test_a_file_without_end_is_refused_before_it_is_held():
    with pytest.raises(DiagnosticsError) as caught:
        documents.xml.Reader(Findings("f", KIND)).read(chain([b"<x>"], repeat(b"<y/>" * 1_000)))
    assert caught.value.diagnostics[0].code == "case-syntax"
