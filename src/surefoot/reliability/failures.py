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
    for truth, answers in (undesired or {}).items():
        row = _number(truth, classes)
        columns = [_number(answer, classes) for answer in answers]
        if row in columns:
            raise InvalidInput("the right answer cannot be undesired", where="undesired", found=repr(truth))
        table[row] = False
        table[row, columns] = True
    return table


def _number(name: Any, classes: tuple[str, ...]) -> int:
    return classes.index(validate.choice(str(name), classes, where="undesired", name="class"))
