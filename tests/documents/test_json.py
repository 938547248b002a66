"""JSON by the standard, with the place of every value."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import documents
from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, Kind

KIND = Kind("tree-syntax", named={"events": "tree-duplicate"}, columns=True)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('aé\n"\\/'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('ab\n"', max_size=3), inner, max_size=3),
    max_leaves=8,
)


def parse(text):
    findings = Findings("f", KIND)
    document = documents.json.parse(text, findings)
    findings.raise_if_any()
    return document


def refused(text):
    with pytest.raises(DiagnosticsError) as caught:
        parse(text)
    return [(each.code, each.where) for each in caught.value.diagnostics]


def test_every_key_and_item_has_its_place():
    data = {"a": {"b": [1, {"c": 'x, ]}\\"'}, []], "d": {}}, "e\n": [[2, 3], True]}
    places = parse(json.dumps(data, indent=1)).places
    assert {path: place for path, place in places.items() if path} == {
        ("a",): (2, 2),
        ("a", "b"): (3, 3),
        ("a", "b", 0): (4, 4),
        ("a", "b", 1): (5, 4),
        ("a", "b", 1, "c"): (6, 5),
        ("a", "b", 2): (8, 4),
        ("a", "d"): (10, 3),
        ("e\n",): (12, 2),
        ("e\n", 0): (13, 3),
        ("e\n", 0, 0): (14, 4),
        ("e\n", 0, 1): (15, 4),
        ("e\n", 1): (17, 3),
    }


@given(PLAIN)
@settings(deadline=None)
def test_what_the_standard_library_writes_is_read_with_a_place_for_everything(data):
    for indent in (None, 1):
        document = parse(json.dumps(data, indent=indent))
        assert document.data == data
        assert set(document.places) == {(), *paths(data, ())}


def paths(data, path):
    for key, value in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield (*path, key)
        yield from paths(value, (*path, key))


def test_what_is_refused_has_a_code_and_a_place():
    for text, found in (
        ('{"a": NaN}', [("tree-syntax", "f:1:7")]),
        ('{"a":\n -Infinity}', [("tree-syntax", "f:2:2")]),
        ('{"a": 1e999}', [("tree-syntax", "f:1:7")]),
        ('{"a": 1,}', [("tree-syntax", "f:1:9")]),
        ("{'a': 1}", [("tree-syntax", "f:1:2")]),
        ('{"a": 1} {}', [("tree-syntax", "f:1:10")]),
        ('{"a": "\x7f"}', [("tree-syntax", "f:1:8")]),
        ('{"a": 1' + "0" * 5000 + "}", [("tree-syntax", "f")]),
        ("[" * 100_000, [("tree-syntax", "f")]),
        ("[" * 502 + "]" * 502, [("tree-syntax", "f")]),
        ('{"a": "\\ud800"}', [("wrong-value", "f:1:2")]),
        ('{"a": ["x",\n "\\u0007", "\\b"]}', [("wrong-value", "f:2:2"), ("wrong-value", "f:2:12")]),
        ('{"\\u009b": 1}', [("wrong-value", "f:1:1")]),
        ('{"a": 1,\n"a": 2, "events": {"b": 1,\n"b": 2}}', [("duplicate-key", "f:2:1"), ("tree-duplicate", "f:3:1")]),
    ):
        assert refused(text) == found, text


def test_escapes_of_ordinary_characters_are_fine():
    assert parse('{"a": "\\u00e9\\ud83d\\ude00\\t\\n\\u0085\\\\u0007"}').data["a"] == "é\U0001f600\t\n\x85\\u0007"


def test_what_a_program_wrote_is_read_or_damaged(subtests):
    for text in ("", "{", '{"a": NaN}', '{"a": 1, "a": 1}', "[" * 100_000, b"\xff"):
        with subtests.test(text=text):
            with pytest.raises(ValueError, match=r"."):
                documents.json.loads(text)
            assert documents.json.loads('{"a": [1, 2.5, "\\u0007"]}') == {"a": [1, 2.5, "\x07"]}


@given(st.text())
@settings(deadline=None)
def test_text_is_written_as_it_is_read_and_what_no_document_holds_stays_raw(text):
    kept = not documents.files.FORBIDDEN.search(text)
    for ascii_only in (False, True):
        written = documents.json.written({"a": text}, ascii_only=ascii_only)
        assert bool(documents.files.FORBIDDEN.search(written)) != kept
        assert not kept or parse(written).data == {"a": text}
