"""What is written is read back, by us and by others, and stands in few lines."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot import documents
from surefoot.documents import Findings, as_json, as_yaml, scalar

CHARACTERS = ": \n'\"#-[]{},&*!|>%@`?\\\t~=<-->/. \u2028\u00e9\u4e2d\U0001f600\x85\xa0\u200b\ufeff\rabN0123."
TEXTS = st.text(CHARACTERS, max_size=20) | st.sampled_from(["no", "null", "1e-3", "0x1f", "~", "", "12:30", "<<", "="])
NUMBERS = st.integers(-(10**12), 10**12) | st.floats(allow_nan=False, allow_infinity=False)
PLAIN = st.recursive(
    TEXTS | NUMBERS | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)
SENTENCES = st.lists(st.sampled_from(["One pump fails.", "It is hot; it stops:", "why", "\n", "x" * 70]), max_size=12)


def read(reader, text):
    findings = Findings("f")
    data = reader.parse(text, findings).data
    findings.raise_if_any()
    return data


@given(st.dictionaries(TEXTS, PLAIN, min_size=1, max_size=4), st.sampled_from([None, 1, 2, 3]))
@settings(deadline=None)
def test_data_survive_yaml_and_json(data, blocks):
    text = as_yaml(data, blocks=blocks)
    assert read(documents.yaml, text) == data
    assert yaml.safe_load(text) == data
    assert read(documents.json, as_json(data)) == data
    assert json.loads(as_json(data)) == data


@given(
    st.lists(st.dictionaries(TEXTS, PLAIN | SENTENCES.map(" ".join), min_size=1, max_size=3), min_size=1, max_size=3)
)
@settings(deadline=None)
def test_lists_of_mappings_survive_yaml(data):
    assert read(documents.yaml, as_yaml(data)) == yaml.safe_load(as_yaml(data)) == data


@given(SENTENCES)
@settings(deadline=None)
def test_long_texts_survive_folding(sentences):
    data = {"a": " ".join(sentences)}
    text = as_yaml(data, blocks=1)
    assert read(documents.yaml, text) == yaml.safe_load(text) == data


def test_a_changed_word_changes_one_line():
    before = {"a": "The first sentence stands by itself. " + "The second is about pumps and tanks. " * 3}
    after = {"a": before["a"].replace("first", "very first")}
    lines = [set(as_yaml(data, blocks=1).splitlines()) for data in (before, after)]
    assert len(lines[0] ^ lines[1]) == 2


@pytest.mark.parametrize("text", ["\x00", "\x07", "\x7f", "\x9b", "\ud800"])
def test_what_no_document_holds_stays_for_the_writer_to_refuse(text):
    for written in (as_yaml({"a": text}), as_yaml({"a": text}, blocks=2), as_json({"a": {text: text}})):
        assert documents.files.FORBIDDEN.search(written)


@given(TEXTS | NUMBERS | st.booleans() | st.none())
@settings(deadline=None)
def test_words_and_numbers_are_read_back_by_any_reader_of_yaml(value):
    assert yaml.safe_load(f"[{scalar(value)}]") == [value]
