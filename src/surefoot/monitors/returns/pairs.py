"""Figures stated for classes: one for each pair of a true and an answered class, or one for each true class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.monitors.returns.answers import Classes
from surefoot.monitors.returns.basis import WHERE

Pairs = Mapping[Any, Mapping[Any, float]]


class Stated(NamedTuple):
    """A figure for each row, and the largest that is stated for any class, seen or not."""

    rows: FloatArray
    largest: float


def by_pair(matrix: Pairs | ArrayLike, classes: Sequence[Any] | None, answered: Classes, true: Classes) -> Stated:
    """Severity of each row; ``matrix`` is true class -> answered class -> severity, and 0 on its diagonal."""
    pairs = matrix if isinstance(matrix, Mapping) else _named(matrix, classes)
    if isinstance(matrix, Mapping) and classes is not None:
        raise InvalidInput("classes name rows of an array; a mapping names its own", where=WHERE, remedy="Leave out.")
    largest = max((_checked(*entry) for entry in _entries(pairs)), default=0.0)
    trues, row = np.unique(true, return_inverse=True)
    answers, column = np.unique(answered, return_inverse=True)
    code, place = np.unique(row * answers.size + column, return_inverse=True)
    seen = [(trues[c // answers.size].item(), answers[c % answers.size].item()) for c in code.tolist()]
    return Stated(_found(pairs, seen)[place], largest)


def by_class(figures: Mapping[Any, float] | float, true: Classes, name: str) -> Stated:
    """A figure for each row by its true class; one number stands for all classes."""
    if not isinstance(figures, Mapping):
        number = validate.at_least_zero(figures, where=WHERE, name=name)
        return Stated(np.full(true.size, number), number)
    checked = {
        known: validate.at_least_zero(value, where=WHERE, name=f"{name} of class {known}")
        for known, value in figures.items()
    }
    trues, row = np.unique(true, return_inverse=True)
    missing = [str(known) for known in trues.tolist() if known not in checked]
    if missing:
        raise InvalidInput(f"{name} must name every true class", where=WHERE, found=f"none for {listed(missing)}")
    return Stated(np.array([checked[known] for known in trues.tolist()])[row], max(checked.values()))


def _named(matrix: ArrayLike, classes: Sequence[Any] | None) -> Pairs:
    values = validate.numbers(matrix, where=WHERE, name="severities")
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
        raise InvalidInput("severities must be classes x classes", where=WHERE, found=f"shape {values.shape}")
    names = list(range(len(values)) if classes is None else np.asarray(classes).tolist())
    if len(set(names)) != len(values):
        found = f"{len(set(names))} different names for {len(values)} rows"
        raise InvalidInput("classes must name each row of severities once", where=WHERE, found=found)
    return {true: dict(zip(names, row, strict=True)) for true, row in zip(names, values.tolist(), strict=True)}


def _entries(pairs: Pairs) -> Iterator[tuple[Any, Any, Any]]:
    for true, row in pairs.items():
        if not isinstance(row, Mapping):
            remedy = "Write true class: {answered class: severity}."
            raise InvalidInput(
                f"severities of class {true} must be a mapping", where=WHERE, found=repr(row), remedy=remedy
            )
        yield from ((true, answer, value) for answer, value in row.items())


def _checked(true: Any, answer: Any, value: Any) -> float:
    number = validate.at_least_zero(value, where=WHERE, name=f"severity of {true} answered {answer}")
    if true == answer and number:
        raise InvalidInput("a right answer must have severity 0", where=WHERE, found=f"{number:g} for class {true}")
    return number


def _found(pairs: Pairs, seen: list[tuple[Any, Any]]) -> FloatArray:
    missing = [f"{true} answered {answer}" for true, answer in seen if true != answer and not _has(pairs, true, answer)]
    if missing:
        raise InvalidInput(
            "a severity must be stated for every pair of classes that occurs",
            where=WHERE,
            found=f"none for {listed(missing)}",
            remedy="State 0 where an answer is wrong and harmless.",
        )
    return np.array([0.0 if true == answer else float(pairs[true][answer]) for true, answer in seen])


def _has(pairs: Pairs, true: Any, answer: Any) -> bool:
    return true in pairs and answer in pairs[true]
