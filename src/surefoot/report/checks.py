"""What a check found, in words: figures people can use, without those that only serve the computation."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from surefoot.case.words import CHECK_WORDS
from surefoot.core import Check
from surefoot.documents import significant

INTERNAL = frozenset({"statistic", "adjusted", "rows_used", "share", "significance", "smallest_p_value_possible"})
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
COUNTS = {"rows": "rows", "n": "samples", "distinct": "distinct", "copies": "copies", "groups": "groups"}
LABELS = {
    "distance": "largest distance of the distributions",
    "p_value": "p-value",
    "p_distance": "p-value of that distance",
    "mean_shift": "shift of the mean, in standard deviations",
    "p_shift": "p-value of the shift",
    "sd_first": "standard deviation of the first half",
    "sd_second": "of the second half",
    "anderson_darling": "Anderson-Darling",
    "jarque_bera": "Jarque-Bera",
    "shapiro_wilk": "Shapiro-Wilk",
}
MOST_ITEMS = 20


def check_words(check: Check) -> list[str]:
    """One text for the figures, without what the words of the check tell already, and one for each test inside it."""
    told = set(_NUMBER.findall(check.method))
    shown = [(name, item) for name, item in check.figures.items() if name not in INTERNAL and _new(item, told)]
    own = [_figure(name, item) for name, item in shown if not isinstance(item, Mapping)]
    return ([", ".join(own)] if own else []) + [_test(name, item) for name, item in shown if isinstance(item, Mapping)]


def label(name: str) -> str:
    """A name as words."""
    return LABELS.get(name) or name.replace("_", " ")


def plain(found: Any) -> str:
    """A value in words, numbers to three digits."""
    if isinstance(found, Mapping):
        return ", ".join(f"{label(name)} {plain(item)}" for name, item in found.items() if item is not None)
    if isinstance(found, tuple | list):
        return ", ".join(plain(item) for item in found[:MOST_ITEMS]) + (" …" if len(found) > MOST_ITEMS else "")
    if isinstance(found, bool) or found is None:
        return {True: "yes", False: "no", None: "–"}[found]
    return significant(found) if isinstance(found, int | float) else str(found)


def _new(found: Any, told: Collection[str]) -> bool:
    return not (isinstance(found, int) and significant(found) in told)


def _test(name: str, figures: Mapping[str, Any]) -> str:
    status = CHECK_WORDS.get(str(figures.get("status")), "")
    own = [_figure(each, item) for each, item in figures.items() if each != "status" and each not in INTERNAL]
    return f"{label(name)}: {', '.join(filter(None, [status, *own]))}"


def _figure(name: str, found: Any) -> str:
    if name == "seed":
        return f"seed {found}"
    if name in COUNTS and isinstance(found, int):
        return f"{significant(found)} {COUNTS[name]}"
    return f"{label(name)} {plain(found)}"
