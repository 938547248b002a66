"""Values of YAML and JSON as the fields of a case take them; what does not fit is refused with its reason."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from surefoot.case.formats.fields import VALUE
from surefoot.core.errors import SurefootError
from surefoot.documents import Refused, did_you_mean, shown
from surefoot.documents.yaml import WORDS, Word, is_nothing, resolve

Made = TypeVar("Made")


def text(given: Any) -> str:
    """A text; a number without quotes in YAML is one too."""
    if type(given) is str:
        return given
    if is_nothing(given):
        return ""
    if not isinstance(given, str):
        raise unfit(given, "a text", "Put it in quotes.")
    return str(given)


def said(given: Any) -> str:
    """A text that is there."""
    if type(given) is not str and is_nothing(given):
        raise unfit(None, "a text", 'Write "" for an empty one.')
    return text(given)


def texts(given: Any) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one."""
    if isinstance(given, list | tuple):
        return tuple(map(said, given))
    return () if is_nothing(given) else (text(given),)


def truth(given: Any) -> bool:
    """True or false."""
    meant = WORDS.get(given) if isinstance(given, Word) else given
    if not isinstance(meant, bool):
        raise unfit(given, "true or false", "Write true, or leave it out.")
    return meant


def number(given: Any) -> float:
    """A finite number."""
    meant = resolve(given) if isinstance(given, Word) else given
    if isinstance(meant, bool) or not isinstance(meant, int | float):
        raise unfit(given, "a number", "Write for example 0.001.")
    try:
        found = float(meant)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise unfit(given, "a finite number", "Write for example 0.001.")
    return found


def whole(given: Any) -> int:
    """A whole number of at least 0."""
    found = number(given)
    if found < 0 or not found.is_integer():
        raise unfit(given, "a whole number of at least 0", "Write for example 1.")
    return int(found)


def mapping(given: Any, known: Collection[str] | None = None, *, what: str = "a mapping") -> Mapping[str, Any]:
    """A mapping from texts; where the keys are known, no other."""
    if is_nothing(given):
        return {}
    if not isinstance(given, Mapping):
        raise unfit(given, what, "Write key: value.")
    other = next((key for key in given if not isinstance(key, str)), None)
    if other is not None:
        raise unfit(other, "a text as key", "Put it in quotes.")
    strange = next((key for key in given if known is not None and key not in known), None)
    if strange is not None and known is not None:
        raise Refused("unknown-key", f"{shown(strange)} is not known here.", did_you_mean(strange, known))
    return given


def texts_by_name(given: Any) -> dict[str, str]:
    """A text for each name."""
    return {name: said(each) for name, each in mapping(given).items()}


def resolved(given: Any) -> Any:
    """Nested data of YAML with its numbers, truth values and nothings."""
    if isinstance(given, Word):
        return resolve(given)
    if isinstance(given, list | tuple):
        return [resolved(item) for item in given]
    return {key: resolved(item) for key, item in given.items()} if isinstance(given, Mapping) else given


def made(make: Callable[[], Made], what: str, hint: str = "") -> Made:
    """What ``make`` gives; whatever does not fit becomes a reason in the words of this file, with what to do."""
    try:
        return make()
    except SurefootError as error:
        found = "" if error.found is None else f"; found {error.found}"
        raise Refused(VALUE, f"{what}: {error.problem}{found}.", error.remedy or hint) from error
    except RecursionError as error:
        raise Refused(VALUE, f"{what} is nested too deep.") from error


def unfit(given: Any, wanted: str, hint: str) -> Refused:
    """Why a value is not taken."""
    return Refused(VALUE, f"expected {wanted}, found {shown(given)}.", hint)
