"""Characters that are removed, changed for look-alikes, swapped, misread, or in wrong capitals.

Paper SYS (Wang et al. 2022, Table 1) prints two numbers: c = 0.15, 0.45, 0.75, "the probability to change a word", and
p = 0.1, "randomly (p = 0.1) remove a character in a word". We read p as the probability of each character of a chosen
word, with at least one character changed, as in the source of the paper's corruptions (Rychalska et al., "Models in the
wild", 2019); otherwise a chosen word of five letters would stay as it was in six cases of ten. Severities 2 and 4 lie
halfway. A character is what a reader sees: a letter with its marks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import groupby, pairwise
from unicodedata import category, combining, normalize

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text import Generators

WORDS = (0.15, 0.3, 0.45, 0.6, 0.75)
"""Probability to change a word: paper SYS, Table 1, at severities 1, 3 and 5."""
CHARACTERS = 0.1
"""Probability to change a character of such a word (there)."""


@corruption(domain="text")
def remove_characters(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words that lack characters: each word with probability 0.15, 0.3, 0.45, 0.6, 0.75, each character of it with 0.1.

    At least one character goes and at least one remains: words of one character stay.
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=_longer, change=_shortened) for text, rng in zip(texts, rngs, strict=True)
    ]


@corruption(domain="text")
def change_characters(texts: list[str], severity: int, rngs: Generators, *, by: str = "sight") -> list[str]:
    """Words with characters that look alike: each word with probability 0.15 to 0.75, each character of it with 0.1.

    ``by`` is ``sight`` (o and 0, e and c) or ``keyboard`` (neighbours on a QWERTY keyboard). At least one character of
    a chosen word changes. Characters without a similar one stay, and so do words of such; marks stay where they are.
    """
    table = validate.choice(by, TABLES, where="change_characters", name="kind of similarity")

    def spots(word: Word) -> list[int]:
        return [i for i, character in enumerate(word) if similar(character[0], table)]

    def change(word: Word, rng: np.random.Generator) -> Word:
        able, new = spots(word), list(word)
        for i in (able[hit] for hit in _hits(len(able), rng)):
            options = similar(word[i][0], table)
            new[i] = options[rng.integers(len(options))] + word[i][1:]
        return new

    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(spots(word)), change=change)
        for text, rng in zip(texts, rngs, strict=True)
    ]


@corruption(domain="text")
def swap_characters(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words in which two neighbouring characters change places: each word with probability 0.15, 0.3, 0.45, 0.6, 0.75.

    The two differ from each other; words without such neighbours stay.
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(_unlike(word)), change=_swapped)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _hits(number: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Which of some characters change: each with probability 0.1, and at least one."""
    hits = np.flatnonzero(rng.random(number) < CHARACTERS)
    return hits if len(hits) else np.array([rng.integers(number)])


def _longer(word: Word) -> bool:
    return len(word) > 1


def _shortened(word: Word, rng: np.random.Generator) -> Word:
    gone = set(_hits(len(word), rng)[: len(word) - 1].tolist())
    return [character for i, character in enumerate(word) if i not in gone]


def _unlike(word: Word) -> list[int]:
    return [i for i in range(len(word) - 1) if word[i] != word[i + 1]]


def _swapped(word: Word, rng: np.random.Generator) -> Word:
    able = _unlike(word)
    i = able[rng.integers(len(able))]
    return [*word[:i], word[i + 1], word[i], *word[i + 2 :]]


# Errors of reading and typing: letters that a machine takes for others, capitals where none belong.
#
# Not in paper SYS: the numbers are ours.

MISREAD = (0.03, 0.06, 0.12, 0.2, 0.3)
"""Probability that a character, or the pair that starts with it, is misread where it can be."""
CONFUSIONS = {
    "rn": "m", "nn": "m", "cl": "d", "vv": "w", "li": "h", "ri": "n", "ii": "u", "fi": "h", "tl": "d", "in": "m",
    "m": "rn", "w": "vv", "d": "cl", "h": "b", "b": "h", "n": "u", "u": "n", "e": "c", "c": "e", "a": "o",
    "f": "t", "t": "f", "l": "1", "i": "l", "o": "0", "s": "5", "g": "9", "z": "2", "q": "g", "y": "v",
    "O": "0", "D": "O", "I": "l", "S": "5", "B": "8", "Z": "2", "G": "6", "E": "F", "Q": "O", "T": "7",
    "0": "O", "1": "l", "2": "Z", "5": "S", "6": "G", "8": "B", "9": "g",
}  # fmt: skip


@corruption(domain="text")
def ocr_errors(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Characters as a machine misreads print: rn as m, cl as d, l as 1, O as 0, and the like.

    Each that can be misread is with probability 0.03, 0.06, 0.12, 0.2, 0.3; letters of other scripts stay.
    """
    return [_misread(text, MISREAD[severity - 1], rng) for text, rng in zip(texts, rngs, strict=True)]


@corruption(domain="text")
def case_errors(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Words with wrong capitals, each with probability 0.15, 0.3, 0.45, 0.6, 0.75: small, all capitals, or exchanged.

    A chosen word has all letters small, all large, its first exchanged, or all exchanged, whichever of these is new.
    Letters without capitals stay, and so do those whose capital has another length (as of ß).
    """
    share = WORDS[severity - 1]
    return [
        change_words(text, share, rng, able=lambda word: bool(_other_cases(word)), change=_recased)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _misread(text: str, share: float, rng: np.random.Generator) -> str:
    characters = clusters(text)
    hit, kind = rng.random(len(characters)) < share, rng.random(len(characters))
    answer, i = [], 0
    while i < len(characters):
        seen = _confusable(characters, i) if hit[i] else []
        taken = seen[int(kind[i] * len(seen))] if seen else characters[i]
        answer.append(CONFUSIONS[taken] if seen else taken)
        i += len(taken) if seen else 1
    return "".join(answer)


def _confusable(characters: list[str], at: int) -> list[str]:
    return [seen for seen in (characters[at], "".join(characters[at : at + 2])) if seen in CONFUSIONS]


def _recased(word: Word, rng: np.random.Generator) -> Word:
    others = _other_cases(word)
    return others[rng.integers(len(others))]


def _other_cases(word: Word) -> list[Word]:
    exchanged = [_same_length(character, character.swapcase()) for character in word]
    first = next((i for i, character in enumerate(word) if exchanged[i] != character), 0)
    forms = (
        [_same_length(character, character.lower()) for character in word],
        [_same_length(character, character.upper()) for character in word],
        [*word[:first], exchanged[first], *word[first + 1 :]],
        exchanged,
    )
    return [form for i, form in enumerate(forms) if form != word and form not in forms[:i]]


def _same_length(old: str, new: str) -> str:
    return new if len(new) == len(old) else old


# Characters that resemble each other, to the eye or under the finger; tables of our own.

LATIN = {
    "a": "oe", "b": "hd6", "c": "eo", "d": "bo", "e": "co", "f": "t", "g": "q9y", "h": "bn", "i": "lj1", "j": "i",
    "k": "h", "l": "i1I", "m": "n", "n": "mhu", "o": "0ac", "p": "q", "q": "gp9", "r": "n", "s": "5z", "t": "f",
    "u": "vn", "v": "uy", "w": "v", "x": "k", "y": "vg", "z": "2s",
    "A": "4R", "B": "8R", "C": "GO", "D": "O0", "E": "F", "F": "EP", "G": "C6", "H": "N", "I": "1lJ", "J": "I",
    "K": "X", "L": "I", "M": "N", "N": "MH", "O": "0QD", "P": "RF", "Q": "O0", "R": "PB", "S": "5", "T": "7I",
    "U": "V", "V": "UY", "W": "V", "X": "K", "Y": "V", "Z": "2",
    "0": "O8", "1": "l7I", "2": "Z7", "3": "8", "4": "9", "5": "S6", "6": "58b", "7": "1", "8": "3B0", "9": "4g",
    "ß": "B", "ø": "o", "Ø": "O", "đ": "d", "ł": "l", "Ł": "L", "ı": "il", "æ": "ae", "œ": "oe",
}  # fmt: skip
GROUPS = (
    "αa", "νv", "οo", "ρp", "υu", "ικ", "ωw", "ΑΛ", "ΟΘ", "ΕΣ", "ηn",  # Greek
    "аa", "еe", "оo", "рp", "сc", "уy", "хx", "ий", "шщ", "ьъб", "зэ", "нп", "тг",  # Cyrillic
    "ШЩ", "ЬЪБ", "ЗЭ", "НП", "ОС",
    "דר", "החת", "וזין", "בכ", "םס", "טמ", "עצ",  # Hebrew
    "بتثن", "جحخ", "دذ", "رز", "سش", "صض", "طظ", "عغ", "فق",  # Arabic
    "बव", "घध", "भम", "डङ", "पष", "रस",  # Devanagari
    "คดต", "บป", "ผฝ", "พฟ", "ถภ", "ขช", "ฎฏ",  # Thai
    "シツ", "ソン", "ウワ", "クケ", "チテ", "ほは", "ぬめ", "ねれわ", "るろ", "さき",  # Kana
    "日目", "土士", "未末", "人入", "己已", "大太犬", "千干", "王玉", "木本", "午牛", "天夫", "石右",  # Han
)  # fmt: skip
KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
"""Rows of a QWERTY keyboard; each starts half a key further right than the one above."""
TABLES = ("sight", "keyboard")


@lru_cache(maxsize=1 << 14)
def similar(character: str, table: str) -> str:
    """Characters that one is easily taken for, or hit instead; none where nothing is known."""
    if table == "keyboard":
        near = _neighbours(character.lower())
        return near.upper() if character != character.lower() else near
    if character in LATIN:
        return LATIN[character]
    return "".join(group.replace(character, "") for group in GROUPS if character in group) or _without_marks(character)


def _without_marks(character: str) -> str:
    parts = normalize("NFD", character)
    return parts[0] if len(parts) > 1 and category(parts[1]) == "Mn" else ""


def _neighbours(key: str) -> str:
    row = next((i for i, keys in enumerate(KEYS) if key in keys), None)
    if row is None:
        return ""
    at = KEYS[row].index(key)
    places = ((row, at - 1), (row, at + 1), (row - 1, at), (row - 1, at + 1), (row + 1, at - 1), (row + 1, at))
    return "".join(KEYS[y][x] for y, x in places if 0 <= y < len(KEYS) and 0 <= x < len(KEYS[y]))


# Words of a text, and what lies between them.

Word = list[str]
"""The characters of a word, as a reader sees them."""
APOSTROPHES = ("'", "’")


def change_words(
    text: str,
    share: float,
    rng: np.random.Generator,
    *,
    able: Callable[[Word], bool],
    change: Callable[[Word, np.random.Generator], Word],
    apostrophes: bool = False,
) -> str:
    """A text in which every word that is able to change does so with probability ``share``, by itself.

    What lies between words stays. Scripts that put no spaces between words, as Chinese and Thai, make long ones. A word
    whose characters would melt together stays too. A larger share changes the words of a smaller one, and more.
    """
    runs = split(text, apostrophes=apostrophes)
    words = [i for i, (is_word, run) in enumerate(runs) if is_word and able(run)]
    for i in (words[hit] for hit in np.flatnonzero(rng.random(len(words)) < share)):
        new = change(runs[i][1], rng)
        if _keeps_apart(new, runs[max(i - 1, 0) : i], runs[i + 1 : i + 2]):
            runs[i] = (True, new)
    return "".join("".join(run) for _, run in runs)


def split(text: str, *, apostrophes: bool = False) -> list[tuple[bool, Word]]:
    """Runs of characters, each with whether it is a word: letters and numbers, on demand with apostrophes inside."""
    runs = [(is_word, list(run)) for is_word, run in groupby(clusters(text), is_letter)]
    return _with_apostrophes(runs) if apostrophes else runs


def _keeps_apart(new: Word, before: list[tuple[bool, Word]], after: list[tuple[bool, Word]]) -> bool:
    together = [*(run[-1] for _, run in before), *new, *(run[0] for _, run in after)]
    return clusters("".join(together)) == together


def _with_apostrophes(runs: list[tuple[bool, Word]]) -> list[tuple[bool, Word]]:
    answer: list[tuple[bool, Word]] = []
    for is_word, run in runs:
        if (
            is_word
            and len(answer) > 1
            and answer[-2][0]
            and len(answer[-1][1]) == 1
            and answer[-1][1][0] in APOSTROPHES
        ):
            apostrophe, start = answer.pop()[1], answer.pop()[1]
            answer.append((True, start + apostrophe + run))
        else:
            answer.append((is_word, run))
    return answer


# Characters as a reader sees them: letters with their marks, syllables, flags and joined emoji, never torn apart.
#
# The rules are those of extended grapheme clusters (Unicode Standard Annex 29) made simpler and a little coarser: a
# boundary here is a boundary there.

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
