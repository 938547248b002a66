from itertools import groupby

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, names
from surefoot.corruptions.text.characters import clusters, is_letter

NAMES = names("text")
TEXTS = ["I received 3 separate letters.", "", "Nothing beautiful\nbefore 10:30", "!?", "tomorrow"]
ANY = st.text(st.characters(codec=None), max_size=60)
MIXED = st.lists(
    st.sampled_from(
        [*"abcRNlO0159 .,'-\n\t", "क", "्", "\u200d", "é", "e", "\u0301", "한", "ᄒ", "ᅡ", "👩", "🏽", "🇩", "ش", "ำ", "ก"]
    ),
    max_size=40,
).map("".join)


def parts(text):
    """How many words a text has, and what lies between them."""
    runs = [(is_word, list(run)) for is_word, run in groupby(clusters(text), is_letter)]
    return sum(is_word for is_word, _ in runs), [run for is_word, run in runs if not is_word]


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
def test_many_are_corrupted_as_each_alone(name):
    whole = corrupt(TEXTS, name, 3, seed=8)
    assert [corrupt(text, name, 3, seed=8, first=i) for i, text in enumerate(TEXTS)] == whole


def test_thousands_of_texts_are_corrupted_as_each_alone():
    whole = corrupt(["Separate letters"] * 2_100, "case_errors", 3, seed=8)
    for i in (0, 1_023, 1_024, 1_025, 2_048, 2_099):
        assert corrupt("Separate letters", "case_errors", 3, seed=8, first=i) == whole[i], i


@pytest.mark.parametrize("name", NAMES)
def test_texts_without_words_stay(name):
    for text in ("", " ", "\r\n\t", "...!?", "👩‍👩‍👧‍👦 👍🏽 🇩🇪🇫🇷 1️⃣ ❤️", "\u0301", "\u200d", "\ud800"):
        for severity in range(1, 6):
            assert corrupt(text, name, severity) == text, severity


def test_no_texts_at_all_stay_so():
    for name in NAMES:
        assert corrupt([], name, 1) == [], name
        assert corrupt((), name, 1) == (), name
        assert corrupt(np.array([], dtype=str), name, 1).shape == (0,), name


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (b"text", "found bytes"),
        (None, "found NoneType"),
        (3.5, "found float"),
        ({"a", "b"}, "found set"),
        (["a", None], r"swap_characters\[1\].*found NoneType"),
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
@settings(max_examples=40, deadline=None)
def test_any_text_survives_and_repeats_itself(text, name, severity, seed):
    found = corrupt(text, name, severity, seed=seed)
    assert found == corrupt([text], name, severity, seed=seed)[0]
    assert [c for c in found if c.isspace() and c != " "] == [c for c in text if c.isspace() and c != " "]


@given(ANY | MIXED, st.sampled_from([n for n in NAMES if n != "digits_to_words"]), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_what_lies_between_words_stays(text, name, seed):
    found = corrupt(text, name, 5, seed=seed)
    assert parts(found) == parts(text)


@given(ANY | MIXED, st.integers(1, 5))
@example("\u094d\u11000\u1100", 5)
@settings(max_examples=40, deadline=None)
def test_characters_are_never_torn_apart(text, severity):
    before = sorted(clusters(text))
    assert sorted(clusters(corrupt(text, "swap_characters", severity))) == before
    after = clusters(corrupt(text, "remove_characters", severity))
    for character in after:
        before.remove(character)
    for name in ("change_characters", "case_errors"):
        found = corrupt(text, name, severity)
        assert [len(each) for each in clusters(found)] == [len(each) for each in clusters(text)]
