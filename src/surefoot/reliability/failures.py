"""Which answers count as failures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate

Undesired = Mapping[Any, Collection[Any]] | None


def undesired_answers(undesired: Undesired, classes: tuple[str, ...]) -> NDArray[np.bool_]:
    """``table[truth, answer]``: all wrong answers, or for the named classes those in their sets U(y).

    A class that is not named has all its wrong answers count; an empty set says that it has none.
    """
    table = ~np.eye(len(classes), dtype=bool)
    if undesired is None:
        return table
    if not isinstance(undesired, Mapping):
        raise _wrong("undesired must map true labels to collections of answers", undesired, classes)
    for truth, answers in undesired.items():
        if not _is_collection(answers):
            raise _wrong(f"the undesired answers of {truth!r} must be a collection of labels", answers, classes)
        row = _number(truth, classes)
        columns = [_number(answer, classes) for answer in answers]
        if row in columns:
            raise InvalidInput("the right answer cannot be undesired", where="undesired", found=repr(truth))
        table[row] = False
        table[row, columns] = True
    return table


def _is_collection(answers: Any) -> bool:
    """Text is one label, not a collection of letters."""
    collection = isinstance(answers, Collection) and not isinstance(answers, str | bytes)
    return collection and getattr(answers, "ndim", 1) == 1


def _wrong(problem: str, found: Any, classes: tuple[str, ...]) -> InvalidInput:
    example = {classes[0]: list(classes[1:2])}
    return InvalidInput(
        problem,
        where="undesired",
        found=f"{type(found).__name__} {found!r}",
        remedy=f"For example undesired={example}.",
    )


def _number(name: Any, classes: tuple[str, ...]) -> int:
    return classes.index(validate.choice(str(name), classes, where="undesired", name="class"))
