"""Numbers in English words."""

from __future__ import annotations

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))
IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(number: int) -> str:
    """A whole number from 0, below a thousand trillions.

    >>> cardinal(40_321)
    'forty thousand three hundred twenty-one'
    """
    for scale, name in SCALES:
        if number >= scale:
            many, rest = divmod(number, scale)
            return f"{cardinal(many)} {name}" + (f" {cardinal(rest)}" if rest else "")
    if number < len(ONES):
        return ONES[number]
    ten, one = divmod(number, 10)
    return TENS[ten - 2] + (f"-{ONES[one]}" if one else "")


def ordinal(number: int) -> str:
    """The place of a number in a row.

    >>> ordinal(3), ordinal(20), ordinal(112)
    ('third', 'twentieth', 'one hundred twelfth')
    """
    words = cardinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last in IRREGULAR:
        return words[:cut] + IRREGULAR[last]
    return words[:cut] + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def digit_by_digit(digits: str) -> str:
    """Digits as one says those of a telephone.

    >>> digit_by_digit("007")
    'zero zero seven'
    """
    return " ".join(ONES[int(digit)] for digit in digits)
