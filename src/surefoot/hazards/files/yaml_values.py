"""Values of YAML as the fields of a worksheet take them; each returns None where nothing is said."""

from __future__ import annotations

from typing import Any

from surefoot.documents import Refused, shown
from surefoot.documents.yaml import Word, is_nothing
from surefoot.hazards.files.words import TRUTH, number
from surefoot.hazards.worksheet.guide_words import GUIDE_WORDS


def text(given: Any) -> str | None:
    """A text; a number without quotes is one too."""
    if type(given) is str:
        return given
    if _nothing(given):
        return None
    if not isinstance(given, str):
        raise _unfit(given, "a text", "Put it in quotes.")
    return str(given)


def texts(given: Any) -> tuple[str, ...] | None:
    """A list of texts; a single text is a list of one."""
    if isinstance(given, list):
        return tuple(map(_said, given))
    single = text(given)
    return None if single is None else (single,)


def truth(given: Any) -> bool | None:
    """True or false, yes or no."""
    word = text(given)
    if word is not None and word.casefold() not in TRUTH:
        raise _unfit(given, "true or false", "Write true, or leave it out.")
    return None if word is None else TRUTH[word.casefold()]


def value(given: Any) -> float | str | None:
    """A number, or a text where it is in quotes or is none."""
    word = text(given)
    amount = number(word) if isinstance(given, Word) and word is not None else None
    return word if amount is None else amount


def texts_by_name(given: Any) -> dict[str, tuple[str, ...]] | None:
    """Lists of texts by name."""
    return {name: texts(each) or () for name, each in _mapping(given).items()}


def text_by_name(given: Any) -> dict[str, str] | None:
    """Texts by name."""
    return {name: _said(each) for name, each in _mapping(given).items()}


def guide_words_by_parameter(given: Any) -> dict[str, tuple[str, ...]] | None:
    """For each parameter a list of guide words, or the name of a set of them."""
    return {name: _guide_words(each) for name, each in _mapping(given).items()}


def _guide_words(given: Any) -> tuple[str, ...]:
    single = None if isinstance(given, list) else text(given)
    if single is None:
        return texts(given) or ()
    if single not in GUIDE_WORDS:
        hint = f"Sets are {', '.join(GUIDE_WORDS)}; put words in brackets."
        raise Refused("hazop-unknown", f"{shown(single)} is no set of guide words.", hint)
    return GUIDE_WORDS[single]


def _said(given: Any) -> str:
    if type(given) is str:
        return given
    said = text(given)
    if said is None:
        raise _unfit(given, "a text", 'Write "" for an empty one.')
    return said


def _mapping(given: Any) -> dict[str, Any]:
    if _nothing(given):
        return {}
    if not isinstance(given, dict):
        raise _unfit(given, "a mapping", "Write name: value.")
    return given


def _nothing(given: Any) -> bool:
    return given is None or is_nothing(given)


def _unfit(given: Any, wanted: str, hint: str) -> Refused:
    return Refused("hazop-cell", f"expected {wanted}, found {shown(given)}.", hint)
