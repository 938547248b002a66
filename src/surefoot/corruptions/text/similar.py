"""Characters that resemble each other, to the eye or under the finger; tables of our own."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import category, normalize

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
