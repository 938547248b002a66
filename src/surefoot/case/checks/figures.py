"""Numbers as people write them in sentences: 0.001, 99.9%, 1e-3, 2×10⁻⁴, 10^-3, 1 in 10,000.

A number counts only where it can be meant as a limit: written with a point, a percent sign or a power of ten, as one in
so many, or as in "at most 5 per hour". Numbers of sections, standards, versions and lengths do not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
POWER = r"10\s*(?:(?:\^|\*\*)\s*\{?\s*(?P<power>[-−+]?\d{1,3})\}?|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))"
PLAIN = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
FIGURE = re.compile(
    rf"""(?<![\w.,/^-])(?:
      (?:1|one|once)\s+in\s+(?:every\s+|a\s+)?(?P<among>\d[\d,]*)
    | (?:(?P<times>{PLAIN})\s*[×x*·]\s*)?{POWER}
    | (?P<plain>{PLAIN})(?:[eE](?P<e>[-−+]?\d{{1,3}}))?(?P<percent>\s*(?:%|per\s?cent\b))?
    )(?![\w^]|[.,-]\d)""",
    re.VERBOSE | re.IGNORECASE,
)
NUMBERED = re.compile(
    r"\b(?:sections?|sec\.|figures?|fig\.|tables?|versions?|clauses?|parts?|chapters?|steps?|a?sil|iso|iec|ul|en|sae|pas|"
    r"papers?|appendix|equations?|eqn?\.|no\.|requirements?|hazards?)\s*[(/]?\s*$",
    re.IGNORECASE,
)
LIMITING = re.compile(
    r"(?:at (?:most|least)|(?:less|more|fewer|greater|lower|higher) than|below|above|exceed(?:s|ing)?|[<>≤≥=])\s*$",
    re.IGNORECASE,
)
COUNTED_BY = re.compile(r"\s*(?:per\b|an?\b|each\b|/|[.,;)]|$)")
UNIT = re.compile(
    r"\s*(?:°|(?:[kcmµn]?m|km/h|mph|[mµn]?s|min|h|[kMG]?Hz|kg|g|V|A|W|px|dB|lux|lx|K|years?|days?|hours?|minutes?|"
    r"seconds?|met(?:re|er)s?|pixels?|degrees?|frames?)\b)"
)
CONFIDENCE = re.compile(
    rf"(?:(?<![\w.,])(?P<after>{PLAIN})(?P<share>\s*(?:%|per\s?cent))?\s*(?:statistical\s+)?(?:confiden\w+|credib\w+|level\b)|"
    rf"(?:confiden\w+|credib\w+|level)(?:\s+level)?(?:\s+of)?\s+(?P<before>{PLAIN})(?P<part>\s*(?:%|per\s?cent))?)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Figure:
    """A number in a text, and half a unit of its last digit."""

    text: str
    value: float
    rounding: float

    def rounds(self, number: float) -> bool:
        """Whether it can be this number, rounded."""
        return abs(self.value - number) <= self.rounding * (1 + 1e-9)


def figures(text: str) -> tuple[list[Figure], list[Figure]]:
    """The numbers of a text that may be limits, and those that are levels of confidence."""
    said = [_level(found) for found in CONFIDENCE.finditer(text)]
    # Level 4 of automated driving is no level of confidence.
    levels = [level for level in said if level.value < 1]
    rest = CONFIDENCE.sub(" ; ", text)
    return [_figure(found) for found in FIGURE.finditer(rest) if _is_limit(found, rest)], levels


def _is_limit(found: re.Match[str], text: str) -> bool:
    before, after = text[max(0, found.start() - 40) : found.start()], text[found.end() : found.end() + 12]
    if NUMBERED.search(before) or UNIT.match(after):
        return False
    marked = found["plain"] is None or "." in found["plain"] or found["e"] or found["percent"]
    return bool(marked or (LIMITING.search(before) and COUNTED_BY.match(after)))


def _figure(found: re.Match[str]) -> Figure:
    if found["among"]:
        among = max(float(found["among"].replace(",", "")), 1.0)
        return Figure(found[0], 1 / among, 0.5 / among**2)
    digits = found["plain"] or found["times"] or "1"
    power = found["e"] or found["power"] or (found["raised"] or "0").translate(RAISED)
    return _scaled(found[0], digits, int(power.replace("−", "-")) - (2 if found["percent"] else 0))


def _level(found: re.Match[str]) -> Figure:
    percent = found["share"] or found["part"]
    return _scaled(found[0], found["after"] or found["before"], -2 if percent else 0)


def _scaled(text: str, digits: str, power: int) -> Figure:
    plain = digits.replace(",", "")
    decimals = len(plain.partition(".")[2])
    return Figure(text.strip(), float(f"{plain}e{power}"), float(f"5e{power - decimals - 1}"))
