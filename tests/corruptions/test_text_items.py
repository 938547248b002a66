import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, names
from surefoot.corruptions.text import items
from surefoot.corruptions.text.clusters import clusters
from surefoot.corruptions.text.words import split

NAMES = names("text")
TEXTS = ["I received 3 separate letters.", "", "Nothing beautiful\nbefore 10:30", "!?", "tomorrow"]
ANY = st.text(st.characters(codec=None), max_size=60)
MIXED = st.lists(
    st.sampled_from(
        [*"abcRNlO0159 .,'-\n\t", "क", "्", "\u200d", "é", "e", "\u0301", "한", "ᄒ", "ᅡ", "👩", "🏽", "🇩", "ش", "ำ", "ก"]
    ),
    max_size=40,
).map("".join)


def word_count(text):
    return sum(is_word for is_word, _ in split(text, apostrophes=True))


@pytest.mark.parametrize("name", NAMES)
def test_texts_come_back_in_what_they_came_in(name):
    whole = corrupt(TEXTS, name, 5, seed=4)
    assert isinstance(whole, list)
    assert all(type(text) is str for text in whole)
    assert corrupt(tuple(TEXTS), name, 5, seed=4) == tuple(whole)
    for dtype in (None, object, np.dtypes.StringDType()):
        array = np.array(TEXTS, dtype)
        found = corrupt(array, name, 5, seed=4)
        assert found.dtype.kind == array.dtype.kind
        assert found.tolist() == whole
    assert corrupt(np.array(TEXTS[:4]).reshape(2, 2), name, 5, seed=4).ravel().tolist() == whole[:4]


@pytest.mark.parametrize("name", NAMES)
def test_many_are_corrupted_as_each_alone(name, monkeypatch):
    whole = corrupt(TEXTS, name, 3, seed=8)
    assert [corrupt(text, name, 3, seed=8, first=i) for i, text in enumerate(TEXTS)] == whole
    monkeypatch.setattr(items, "AT_ONCE", 2)
    assert corrupt(TEXTS, name, 3, seed=8) == whole


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " ", "\r\n\t", "...!?", "👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 1️⃣ ❤️", "\u0301", "\u200d", "\ud800"])
def test_texts_without_words_stay(name, text):
    for severity in range(1, 6):
        assert corrupt(text, name, severity) == text


@pytest.mark.parametrize("name", NAMES)
def test_no_texts_at_all_stay_so(name):
    assert corrupt([], name, 1) == []
    assert corrupt((), name, 1) == ()
    assert corrupt(np.array([], dtype=str), name, 1).shape == (0,)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (b"text", "must be one str.*found bytes.*Decode bytes"),
        (None, "found NoneType"),
        (3.5, "found float"),
        ({"a", "b"}, "found set"),
        (["a", None], r"swap_characters\[1\]: texts must be str; found NoneType"),
        (["a", b"b"], "found bytes"),
        ([["a"]], "found list"),
        (np.arange(3), "found int"),
        (np.array(["a", np.nan], dtype=object), r"\[1\].*found float"),
    ],
)
def test_what_is_no_text_is_refused(texts, message):
    with pytest.raises(InvalidInput, match=message):
        corrupt(texts, "swap_characters", 1)


@given(ANY | MIXED, st.sampled_from(NAMES), st.integers(1, 5), st.integers(0, 99))
@settings(max_examples=120, deadline=None)
def test_any_text_survives_and_repeats_itself(text, name, severity, seed):
    found = corrupt(text, name, severity, seed=seed)
    assert found == corrupt([text], name, severity, seed=seed)[0]
    assert [c for c in found if c.isspace() and c != " "] == [c for c in text if c.isspace() and c != " "]


@given(ANY | MIXED, st.sampled_from([n for n in NAMES if n != "digits_to_words"]), st.integers(0, 99))
@settings(max_examples=120, deadline=None)
def test_what_lies_between_words_stays(text, name, seed):
    found = corrupt(text, name, 5, seed=seed)
    assert word_count(found) == word_count(text)
    apart = [run for is_word, run in split(text, apostrophes=True) if not is_word]
    assert [run for is_word, run in split(found, apostrophes=True) if not is_word] == apart


@given(ANY | MIXED, st.integers(1, 5))
@example("\u094d\u11000\u1100", 5)
@settings(max_examples=100, deadline=None)
def test_characters_are_never_torn_apart(text, severity):
    before = sorted(clusters(text))
    assert sorted(clusters(corrupt(text, "swap_characters", severity))) == before
    after = clusters(corrupt(text, "remove_characters", severity))
    for character in after:
        before.remove(character)
    for name in ("change_characters", "case_errors"):
        found = corrupt(text, name, severity)
        assert [len(each) for each in clusters(found)] == [len(each) for each in clusters(text)]
