import re
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.corruptions import corrupt
from surefoot.corruptions.text.characters import clusters

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


def test_what_a_reader_sees_as_one_is_one():
    for whole in WHOLE:
        assert clusters(whole) == [whole], whole
        assert clusters(f"x{whole}y{whole}") == ["x", whole, "y", whole], whole


def test_texts_by_hand():
    for text, parts in (
        ("", []),
        ("ab", ["a", "b"]),
        ("é中", ["é", "中"]),
        ("🇩🇪🇫🇷🇮", ["🇩🇪", "🇫🇷", "🇮"]),
        ("한글", ["한", "글"]),
        ("\n\u0301", ["\n", "\u0301"]),
        ("नमस्ते", ["न", "म", "स्ते"]),
    ):
        assert clusters(text) == parts, text


@given(st.lists(SOME | KNOWN, max_size=12).map("".join))
@settings(max_examples=60, deadline=None)
def test_no_grapheme_cluster_of_unicode_is_torn(text):
    regex = pytest.importorskip("regex")
    ends = set(accumulate(map(len, regex.findall(r"\X", text))))
    found = clusters(text)
    assert "".join(found) == text
    assert set(accumulate(map(len, found))) <= ends


@given(st.text(st.characters(max_codepoint=0x2FF), max_size=30))
@settings(max_examples=25, deadline=None)
def test_latin_letters_stand_alone(text):
    assert clusters(text) == list(text)


def test_words_are_letters_and_numbers():
    # Each word of two letters and more loses at least one, and what lies between stays.
    text = "Don't stop: café 4242 नमस्ते, 1️⃣ xx_yy 👩‍🔬."
    found = {corrupt(text, "remove_characters", 5, seed=seed) for seed in range(300)}
    words = "Don|stop|café|4242|नमस्ते|xx|yy"
    apart = re.split(words, text)
    for each in found:
        at = 0
        for piece in apart:
            at = each.index(piece, at) + len(piece)
    for word in words.split("|"):
        assert any(word not in each for each in found), word


def test_apostrophes_inside_belong_to_words_of_spelling():
    words = {word: [word.upper().replace("'", "") + "!"] for word in ("don't", "rock'n'roll", "tis", "o", "clock", "t")}
    found = corrupt("'don't' rock'n'roll ’tis o''clock", "misspellings", 5, words=words)
    assert found == "'DONT!' ROCKNROLL! ’TIS! O!''CLOCK!"
