"""Characters as a reader sees them: letters with their marks, syllables, flags and joined emoji, never torn apart.

The rules are those of extended grapheme clusters (Unicode Standard Annex 29) made simpler and a little coarser: a
boundary here is a boundary there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from unicodedata import category, combining

JOINER = "\u200d"
NON_JOINER = "\u200c"
EMOJI_STYLE, KEYCAP = "\ufe0f", "\u20e3"
VIRAMA = 9
"""Combining class of the signs that join two consonants."""
ENDS = ("Cc", "Zl", "Zp")
MARKS = ("Mn", "Me", "Mc")
# Thai and Lao vowels and halfwidth sound marks, which are letters and yet belong to the letter before.
TRAILING_LETTERS = "\u0e33\u0eb3\uff9e\uff9f"
SKIN_TONES = range(0x1F3FB, 0x1F400)
TAGS = range(0xE0020, 0xE0080)
FLAG_LETTERS = range(0x1F1E6, 0x1F200)
LEADING_JAMO = (range(0x1100, 0x1160), range(0xA960, 0xA97D))
LATER_JAMO = (range(0x1160, 0x1200), range(0xD7B0, 0xD7FC))
SYLLABLES = range(0xAC00, 0xD7A4)
# Signs that are written before the letter or number that they belong to.
PREFIXES = (
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U0001193f\U00011941\U00011a3a\U00011a84\U00011a85\U00011a86\U00011a87\U00011a88\U00011a89\U00011d46\U00011f02"
)


def clusters(text: str) -> list[str]:
    """A text in characters as a reader sees them; joined, they are the text."""
    if text.isascii():
        return list(text)
    starts, flags = [0], 0
    for i, (before, after) in enumerate(pairwise(text), 1):
        flags = flags + 1 if ord(before) in FLAG_LETTERS else 0
        paired = flags % 2 == 1 and ord(after) in FLAG_LETTERS
        if not (paired or joined(before, after)):
            starts.append(i)
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


@lru_cache(maxsize=1 << 16)
def joined(before: str, after: str) -> bool:
    """Whether two neighbouring code points belong to one character; flags apart."""
    if category(before) in ENDS or category(after) in ENDS:
        return False
    if _extends(after) or before in PREFIXES:
        return True
    if before == JOINER or combining(before) == VIRAMA:
        return not after.isspace()
    return _one_syllable(ord(before), ord(after))


@lru_cache(maxsize=1 << 14)
def is_letter(cluster: str) -> bool:
    """Whether a character is a letter or a number, as words are made of; no emoji."""
    return category(cluster[0])[0] in "LN" and EMOJI_STYLE not in cluster and KEYCAP not in cluster


def _extends(character: str) -> bool:
    code = ord(character)
    return (
        category(character) in MARKS
        or character in (JOINER, NON_JOINER)
        or character in TRAILING_LETTERS
        or code in SKIN_TONES
        or code in TAGS
    )


def _one_syllable(before: int, after: int) -> bool:
    leads = any(before in span for span in LEADING_JAMO)
    if any(after in span for span in LATER_JAMO):
        return leads or before in SYLLABLES or any(before in span for span in LATER_JAMO)
    return leads and (after in SYLLABLES or any(after in span for span in LEADING_JAMO))
