"""Checks of arguments, one line each at the place of use, and the wording that all messages share.

The second half puts numbers, names and values of others into sentences, and finds the word that was probably meant.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime
import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sized
from contextlib import suppress
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from typing import Any, Literal, ParamSpec, TypeVar, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core.errors import InvalidInput, SurefootError

FloatArray = NDArray[np.float64]
P = ParamSpec("P")
T = TypeVar("T")
MOST_NAMED, MOST_KNOWN, MOST_COMPARED = 6, 30, 2_000
LONGEST_TEXT, LONGEST_VALUE = 500, 80


def level(value: float, *, where: str) -> float:
    """A confidence or credibility level, strictly between 0 and 1."""
    return _inside(value, 0.0, 1.0, open_ends=True, where=where, name="level", remedy="Use for example 0.95.")


def probability(value: float, *, where: str, name: str) -> float:
    """A number in [0, 1]."""
    return _inside(value, 0.0, 1.0, open_ends=False, where=where, name=name, remedy="Give a probability.")


def fraction(value: float, *, where: str, name: str) -> float:
    """A number strictly between 0 and 1."""
    return _inside(value, 0.0, 1.0, open_ends=True, where=where, name=name, remedy="Exclude 0 and 1.")


def positive(value: float, *, where: str, name: str) -> float:
    """A finite number above 0."""
    return _inside(value, 0.0, np.inf, open_ends=True, where=where, name=name, remedy="Give a positive number.")


def count(value: object, *, where: str, name: str, at_least: int = 0) -> int:
    """A whole number, at least ``at_least``."""
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or number != number // 1 or number < at_least:
        raise InvalidInput(f"{name} must be a whole number of at least {at_least}", where=where, found=repr(number))
    return int(number)


def date(value: object, *, where: str, name: str = "date") -> str:
    """A day, as 2026-05-01."""
    with suppress(ValueError):
        if isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value:
            return value
    raise InvalidInput(f"{name} must be a day", where=where, found=repr(value), remedy="Write it as 2026-05-01.")


def choice(value: str, allowed: Collection[str], *, where: str, name: str) -> str:
    """One of a few words; a misspelling gets a suggestion."""
    if isinstance(value, str) and value in allowed:
        return value
    hint = did_you_mean(str(value), sorted(allowed), "Choose one of {}.")
    raise InvalidInput(f"unknown {name}", where=where, found=repr(value), remedy=hint)


def kind(value: Any, of: type, *, where: str, name: str, example: str) -> Any:
    """An object of a kind, not its class."""
    if isinstance(value, type) or not isinstance(value, of):
        raise InvalidInput(
            f"{name} must be an object such as {example}", where=where, found=repr(value), remedy=f"Use {example}."
        )
    return value


def vector(values: ArrayLike, *, where: str, name: str, at_least: int = 1) -> FloatArray:
    """A finite one-dimensional array of floats with at least ``at_least`` entries."""
    array = numbers(values, where=where, name=name)
    if array.ndim != 1:
        raise InvalidInput(
            f"{name} must be one-dimensional",
            where=where,
            found=f"shape {array.shape}",
            remedy="Give one value a sample.",
        )
    if array.size < at_least:
        raise InvalidInput(
            f"{name} needs at least {counted(at_least, 'value')}",
            where=where,
            found=f"{array.size}",
            remedy="Collect more data.",
        )
    return array


def unit_vector(values: ArrayLike, *, where: str, name: str) -> FloatArray:
    """A vector with every entry in [0, 1]."""
    array = vector(values, where=where, name=name)
    outside = np.flatnonzero((array < 0) | (array > 1))
    if outside.size:
        raise InvalidInput(
            f"{name} must lie in [0, 1]",
            where=where,
            found=f"{array[outside[0]]:g} at index {outside[0]} ({outside.size} outside in all)",
            remedy="Rescale by the largest possible value, not by the largest seen.",
        )
    return array


def number(value: object, *, where: str, name: str, finite: bool = True) -> float:
    """One number, not NaN and, unless ``finite`` is false, not infinite."""
    array = _real_numbers(value)  # type: ignore[arg-type]
    if array is None or array.ndim or np.isnan(array) or (finite and np.isinf(array)):
        words = "one finite number" if finite else "one number, not NaN"
        raise InvalidInput(f"{name} must be {words}", where=where, found=_shortened(value))
    return float(array)


def at_least_zero(value: object, *, where: str, name: str) -> float:
    """A finite number that is not negative."""
    checked = number(value, where=where, name=name)
    if checked < 0:
        raise InvalidInput(f"{name} must be at least 0", where=where, found=f"{checked:g}")
    return checked


def seed(value: object, *, where: str) -> int:
    """A seed of a random generator."""
    return count(value, where=where, name="seed")


def numbers(values: ArrayLike, *, where: str, name: str, finite: bool = True) -> FloatArray:
    """An array of floats without NaN and, unless ``finite`` is false, without infinities.

    Text, dates, complex numbers and masked entries are refused rather than read as numbers.
    """
    array = _real_numbers(values)
    if array is None:
        remedy = "Give real numbers in an array of one shape, without masked entries."
        raise InvalidInput(f"{name} must be numbers", where=where, found=_shortened(values), remedy=remedy)
    bad = ~np.isfinite(array) if finite else np.isnan(array)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        place = "" if not index else f" at index {index[0] if len(index) == 1 else index}"
        raise InvalidInput(
            f"{name} must be {'finite' if finite else 'free of NaN'}",
            where=where,
            found=f"{array[index]}{place} ({int(bad.sum())} such in all)",
            remedy="Remove or repair these entries and say so in the report.",
        )
    return array


def array(values: ArrayLike, *, where: str, name: str) -> NDArray[Any]:
    """An array of values of any kind, of one shape."""
    try:
        return np.asanyarray(values)
    except (TypeError, ValueError, OverflowError):
        problem, remedy = f"{name} must be an array of one shape", "Give rows of one length."
        raise InvalidInput(problem, where=where, found=_shortened(values), remedy=remedy) from None


def same_length(where: str, **arrays: Sized) -> None:
    """All arrays, or other rows, have the same first dimension."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInput(
            f"{', '.join(lengths)} must have the same length",
            where=where,
            found=", ".join(f"{name} of {length}" for name, length in lengths.items()),
        )


def fields(record: Any, *, but: Collection[str] = ()) -> None:
    """Each field of a frozen dataclass holds what its annotation says, as far as that speaks of kinds of values.

    Called where a record is made, so that what is damaged in a file, or handed over by mistake, is told there and not
    by whatever reads the field first. Lists become the tuples that are stated; NaN is no number. Fields that are looked
    at elsewhere are named in ``but``.
    """
    for name, holds, annotation in _checked_fields(record.__class__):
        if name in but:
            continue
        value = getattr(record, name)
        if annotation.startswith("tuple[") and not isinstance(value, tuple) and _is_several(value):
            value = tuple(value)
            object.__setattr__(record, name, value)
        if not holds(value):
            where, remedy = type(record).__name__, f"It must be {annotation}."
            raise InvalidInput(
                f"{name} holds another kind of value", where=where, found=_shortened(value), remedy=remedy
            )


def arguments(function: Callable[P, T]) -> Callable[P, T]:
    """Refuse what a public function is not annotated to take, in words of ours; put before ``def``.

    An object of another class is refused before the function begins. Numbers, texts, words of a list and sequences are
    the function's own matter, which knows more of them than their kind; only where it fails with an error of Python,
    and one of them is of another kind than annotated, is that told instead.
    """

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        names, checks = _checked_parameters(function)
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        _refuse_other_kinds(function, {name: given[name] for name in given if name in checks.objects}, checks.objects)
        try:
            return function(*args, **kwargs)
        except SurefootError:
            raise
        except Exception as error:
            _refuse_other_kinds(function, given, checks.values, error)
            raise

    return checked


@dataclasses.dataclass(frozen=True)
class _Checks:
    """What parameters must hold, with their annotations and defaults: objects of a class, and values of all kinds."""

    objects: Mapping[str, tuple[Holds, str, Any]]
    values: Mapping[str, tuple[Holds, str, Any]]


def _refuse_other_kinds(
    function: Callable[..., Any],
    given: Mapping[str, Any],
    checks: Mapping[str, tuple[Holds, str, Any]],
    cause: Exception | None = None,
) -> None:
    for name, value in given.items():
        holds, said, default = checks.get(name, (None, "", None))
        if holds is not None and value is not default and not holds(value):
            where = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
            problem, remedy = f"{name} holds another kind of value", f"It must be {said}."
            raise InvalidInput(problem, where=where, found=_shortened(value), remedy=remedy) from cause


@cache
def _checked_parameters(function: Callable[..., Any]) -> tuple[tuple[str, ...], _Checks]:
    known = inspect.signature(function).parameters
    said = {name: str(each.annotation) for name, each in known.items() if each.annotation is not each.empty}
    parsed = {name: ast.parse(text, mode="eval").body for name, text in said.items()}
    holds = {name: _holds(tree, function.__globals__) for name, tree in parsed.items()}
    values = {name: (each, said[name], known[name].default) for name, each in holds.items() if each is not None}
    objects = {name: each for name, each in values.items() if _names_objects(parsed[name], function.__globals__)}
    return tuple(name for name, each in known.items() if each.kind in (0, 1)), _Checks(objects, values)


def _names_objects(said: ast.expr, names: Mapping[str, Any]) -> bool:
    """Whether an annotation names nothing but classes of objects, and None."""
    match said:
        case ast.Constant(value=None):
            return True
        case ast.BinOp(left=one, op=ast.BitOr(), right=other):
            return _names_objects(one, names) and _names_objects(other, names)
        case ast.Name(id=word):
            return word not in (*_KINDS, "Path") and isinstance(names.get(word), type)
    return False


@cache
def _checked_fields(record: type) -> tuple[tuple[str, Holds, str], ...]:
    names = vars(sys.modules[record.__module__])
    found = ((each.name, str(each.type)) for each in dataclasses.fields(record) if each.init)
    checks = ((name, _holds(ast.parse(said, mode="eval").body, names), said) for name, said in found)
    return tuple((name, check, said) for name, check, said in checks if check is not None)


def _holds(said: ast.expr, names: Mapping[str, Any]) -> Holds | None:
    """What tells whether a value is as annotated; None where nothing can."""
    match said:
        case ast.Constant(value=None):
            return lambda value: value is None
        case ast.Name(id=word):
            return _KINDS.get(word) or _holds_name(names.get(word))
        case ast.BinOp(left=one, op=ast.BitOr(), right=other):
            first, second = _holds(one, names), _holds(other, names)
            return (lambda value: first(value) or second(value)) if first and second else None
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[item, ast.Constant(value=each)])):
            holds = _holds(item, names)
            return (lambda value: _is_several(value) and _all_hold(holds, value)) if each is ... else None
        case ast.Subscript(value=ast.Name(id="Literal"), slice=words):
            known = ast.literal_eval(words)
            return lambda value: value in known if isinstance(value, str) else value is None and None in known
        case ast.Subscript(value=ast.Name(id="Callable")):
            return callable
        case ast.Subscript(value=ast.Name(id="Sequence" | "Iterable" | "Collection" | "Iterator" | "list")):
            return lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id="os"), attr="PathLike")):
            return lambda value: isinstance(value, os.PathLike)
        case ast.Subscript(value=ast.Name(id="Mapping"), slice=ast.Tuple(elts=[key, item])):
            keys, items = _holds(key, names), _holds(item, names)
            return lambda value: (
                isinstance(value, Mapping) and _all_hold(keys, value) and _all_hold(items, value.values())
            )
    return None


def _holds_name(kind: Any) -> Holds | None:
    if get_origin(kind) is Literal:
        return lambda value: isinstance(value, str) and value in get_args(kind)
    if not isinstance(kind, type) or kind is Any or getattr(kind, "_is_protocol", False):
        return None
    return lambda value: isinstance(value, kind)


def _all_hold(holds: Holds | None, values: Iterable[Any]) -> bool:
    return holds is None or all(map(holds, values))


def _is_several(value: Any) -> bool:
    """Values in an order, or in none, that are no text and no mapping."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


Holds = Callable[[Any], bool]
_KINDS: dict[str, Holds] = {
    "str": lambda value: isinstance(value, str),
    "bytes": lambda value: isinstance(value, bytes),
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "int": lambda value: isinstance(value, Integral),
    "float": lambda value: isinstance(value, Real) and value == value,
}


def _inside(value: float, low: float, high: float, *, open_ends: bool, where: str, name: str, remedy: str) -> float:
    brackets = "()" if open_ends else "[]"
    array = _real_numbers(value)
    if array is None or array.ndim:
        raise InvalidInput(f"{name} must be a number", where=where, found=_shortened(value), remedy=remedy)
    checked = float(array)
    inside = low < checked < high if open_ends else low <= checked <= high
    if not inside:
        raise InvalidInput(
            f"{name} must lie in {brackets[0]}{low:g}, {high:g}{brackets[1]}",
            where=where,
            found=f"{checked:g}",
            remedy=remedy,
        )
    return checked


def _real_numbers(values: ArrayLike) -> FloatArray | None:
    """The values as floats, or None where they are not real numbers in one rectangular array."""
    if np.ma.is_masked(values):
        return None
    with suppress(TypeError, ValueError, OverflowError):
        array = np.asarray(values)
        if array.dtype.kind == "O" and all(isinstance(v, Real) for v in array.flat):
            return array.astype(np.float64)
        if array.dtype.kind in "buif":
            return array.astype(np.float64, copy=False)
    return None


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "assumption"), counted(1200, "trial")
    ('1 assumption', '1,200 trials')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(names: Collection[object], most: int = MOST_NAMED) -> str:
    """The first names, and how many there are more.

    >>> listed(["R1", "R2", "R3"], 2)
    'R1, R2 and 1 more'
    """
    first = [printable(name) for name in islice(names, most)]
    more = len(names) - len(first)
    return f"{', '.join(first)} and {more:,} more" if more else ", ".join(first)


def printable(text: object, longest: int = LONGEST_TEXT) -> str:
    """Text of others, of bounded length and with escapes for what cannot be printed."""
    raw = str(text)
    short = raw if len(raw) <= longest else f"{raw[: longest - 3]}..."
    if short.isprintable():
        return short
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in short)


def quoted(text: object, longest: int = LONGEST_TEXT) -> str:
    """Printable text in quotation marks."""
    return f"'{printable(text, longest)}'"


def shown(value: object, longest: int = LONGEST_VALUE) -> str:
    """A value of a file as a message shows it: text in quotes, the rest in a word or two.

    >>> shown("pump"), shown(True), shown(None), shown([1, 2])
    ("'pump'", 'true', 'nothing', 'a list')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list" if value else "an empty list"
    return printable(repr(value), longest)


def closest(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """The known word that was probably meant.

    >>> closest("watter", ["fire", "water"]), closest("earth", ["fire", "water"])
    ('water', None)
    """
    return next(iter(close(word, known, most=1, cutoff=cutoff)), None)


def close(word: str, known: Iterable[str], *, most: int = 3, cutoff: float = 0.6) -> list[str]:
    """Known words that may have been meant, the likeliest first; of very many words the first are compared."""
    from difflib import get_close_matches

    return get_close_matches(word[:LONGEST_VALUE], list(islice(known, MOST_COMPARED)), n=most, cutoff=cutoff)


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "Known are {}.") -> str:
    """A hint at the word that was probably meant, or at what there is.

    >>> did_you_mean("watter", ["fire", "water"]), did_you_mean("earth", ["fire", "water"])
    ("Did you mean 'water'?", 'Known are fire, water.')
    """
    words = list(known)
    meant = closest(word, words)
    if meant is not None:
        return f"Did you mean {shown(meant)}?"
    return otherwise.replace("{}", listed(words, MOST_KNOWN)) if words else ""
