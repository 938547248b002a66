"""The parts of the rows that a step looks at one by one: true classes, or values of an attribute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds.plain import plain_array
from surefoot.core import InvalidInput, validate
from surefoot.project.steps.rows import Sets, scope_of

MOST_VALUES = 100
TOO_MANY = {
    True: "Name the classes that matter one by one with of:; without by:, a table shows the classes that fail most.",
    False: "Sort its values into a few ranges first.",
}


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the rows: their true class, if they have one, and further words for them."""

    rows: NDArray[np.bool_]
    of: str | None = None
    words: str | None = None

    @property
    def name(self) -> str:
        """As lines of tables and figures are named."""
        return self.words or self.of or "all rows"

    def scope(self, tested: Tested, undesired: Sets) -> str:
        """What a result on these rows is about."""
        return scope_of(tested, self.words, of=self.of, undesired=undesired)


def whole(tested: Tested, of: str | None) -> Part:
    """All rows."""
    return Part(np.ones(len(tested), dtype=bool), of)


def parts_by(tested: Tested, by: str, of: str | None) -> Iterator[Part]:
    """A part for each true class, or for each value of an attribute."""
    if by == "class" and of:
        raise InvalidInput("of: names one class, so by: class has nothing to tell apart", where=tested.component)
    column = _column(tested, by)
    for value in _few_values(tested, by, column):
        of_class, words = (tested.classes[value], None) if by == "class" else (of, f"{by} = {value}")
        yield Part(column == value, of_class, words)


def worst_classes(tested: Tested, failed: NDArray[np.bool_], most: int) -> list[Part]:
    """The classes that fail most, in their order, where there are several."""
    present = np.unique(tested.labels)
    shares = np.bincount(tested.labels, failed)[present] / np.bincount(tested.labels)[present]
    worst = present[np.sort(np.argsort(-shares, kind="stable")[:most])]
    return [Part(tested.labels == number, tested.classes[number]) for number in worst if present.size > 1]


def _column(tested: Tested, by: str) -> NDArray[Any]:
    where, name = tested.component, f"attribute {by!r}"
    columns = {**tested.attributes, "class": tested.labels}
    column = plain_array(columns[validate.choice(by, columns, where=where, name="attribute")], where=where, name=name)
    return validate.numbers(column, where=where, name=name) if column.dtype.kind == "f" else column


def _few_values(tested: Tested, by: str, column: NDArray[Any]) -> list[Any]:
    values = np.unique(column).tolist()
    if len(values) > MOST_VALUES:
        raise InvalidInput(
            f"{by!r} has more than {MOST_VALUES} values",
            where=tested.component,
            found=f"{len(values)}",
            remedy=TOO_MANY[by == "class"],
        )
    return values
