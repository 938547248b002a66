from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.corruptions.text.clusters import clusters
from surefoot.corruptions.text.words import split

WHOLE = [
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪",
    "❤️",
    "1️⃣",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "e\u0301",
    "a\u0323\u0307",
    "क्षि",
    "क्‍ष",
    "น้ำ",
    "한",
    "각",
    "ب\u0651\u064e",
    "が",
]
SOME = st.sampled_from([*"".join(WHOLE), *"ab 1'\n", "한", "글", "न", "\u0600", "ﾞ", "\u200c"])
# Code points that this Python knows: marks of later Unicode versions are unknown to it.
KNOWN = st.characters(codec=None, exclude_categories=["Cn"])


@pytest.mark.parametrize("whole", WHOLE)
def test_what_a_reader_sees_as_one_is_one(whole):
    assert clusters(whole) == [whole]
    assert clusters(f"x{whole}y{whole}") == ["x", whole, "y", whole]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("ab", ["a", "b"]),
        ("é中", ["é", "中"]),
        ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
        ("한글", ["한", "글"]),
        ("\n\u0301", ["\n", "\u0301"]),
        ("नमस्ते", ["न", "म", "स्ते"]),
    ],
)
def test_texts_by_hand(text, parts):
    assert clusters(text) == parts


@given(st.lists(SOME | KNOWN, max_size=12).map("".join))
@settings(max_examples=200, deadline=None)
def test_no_grapheme_cluster_of_unicode_is_torn(text):
    regex = pytest.importorskip("regex")
    ends = set(accumulate(map(len, regex.findall(r"\X", text))))
    found = clusters(text)
    assert "".join(found) == text
    assert set(accumulate(map(len, found))) <= ends


@given(st.text(st.characters(max_codepoint=0x2FF), max_size=30))
@settings(max_examples=50, deadline=None)
def test_latin_letters_stand_alone(text):
    assert clusters(text) == list(text)


def test_words_are_letters_and_numbers():
    text = "Don't stop: café 42 नमस्ते, 1️⃣ x_y 👩‍🔬."
    words = ["".join(run) for is_word, run in split(text) if is_word]
    assert words == ["Don", "t", "stop", "café", "42", "नमस्ते", "x", "y"]
    assert "".join("".join(run) for _, run in split(text)) == text


def test_apostrophes_inside_belong_to_words_on_demand():
    text = "'Don't' rock'n'roll ’tis o''clock"
    words = ["".join(run) for is_word, run in split(text, apostrophes=True) if is_word]
    assert words == ["Don't", "rock'n'roll", "tis", "o", "clock"]
