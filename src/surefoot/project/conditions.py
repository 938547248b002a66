"""Operating conditions as assumptions, checked on the test data where they name a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.core import Assumption, Check, InvalidInput, validate
from surefoot.project.definition import Condition, Conditions

ODD = "inside-operating-conditions"


def as_assumptions(conditions: Conditions, tested: Tested) -> tuple[Assumption, ...]:
    """One assumption a condition, and one for the table of the operational design domain."""
    stated = tuple(
        Assumption(condition.id, condition.text, _check(condition, tested), tested.component)
        for condition in conditions.assumptions
    )
    return stated + (_odd(conditions.odd, tested) if conditions.odd else ())


def _check(condition: Condition, tested: Tested) -> Check | None:
    if condition.column is None:
        return None
    if condition.column not in tested.attributes:
        known = tuple(tested.attributes)
        if not known:
            raise InvalidInput(
                f"a condition looks at column {condition.column!r}, and the data set names no attributes",
                where=f"condition {condition.id!r}",
                remedy=f"Add attributes: [{condition.column}] to the data set.",
            )
        validate.choice(condition.column, known, where=f"condition {condition.id!r}", name="column")
    column = tested.attributes[condition.column]
    outside = np.zeros(len(column), dtype=bool)
    if condition.at_least is not None or condition.at_most is not None:
        numbers = validate.numbers(column, where=f"condition {condition.id!r}", name=condition.column)
        outside |= numbers < (-np.inf if condition.at_least is None else condition.at_least)
        outside |= numbers > (np.inf if condition.at_most is None else condition.at_most)
    if condition.one_of is not None:
        outside |= ~_among(column, condition.one_of)
    return _counted("rows outside the condition", {condition.column: outside})


def _odd(table: Mapping[str, list[Any]], tested: Tested) -> tuple[Assumption, ...]:
    looked_at = {name: ~_among(tested.attributes[name], table[name]) for name in table if name in tested.attributes}
    check = _counted("rows outside the table", looked_at) if looked_at else None
    text = f"Inputs lie inside the operating conditions ({', '.join(table)})."
    return (Assumption(ODD, text, check, tested.component),)


def _among(column: NDArray[Any], values: list[Any]) -> NDArray[np.bool_]:
    allowed = {as_text(value) for value in values}
    distinct, which = np.unique(column, return_inverse=True)
    return np.array([as_text(value) in allowed for value in distinct.tolist()], dtype=bool)[which]


def as_text(value: Any) -> str:
    """A value as text, exact, and the same for 1, 1.0 and "1" of different file formats.

    >>> [as_text(value) for value in (1, 1.0, "1", 0.1, 2024001, True, "True", "day")]
    ['1', '1', '1', '0.1', '2024001', 'true', 'true', 'day']
    """
    if str(value) in ("True", "False"):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _counted(method: str, outside: Mapping[str, NDArray[np.bool_]]) -> Check:
    counts = {name: int(rows.sum()) for name, rows in outside.items()}
    rows = len(next(iter(outside.values())))
    share = float(np.logical_or.reduce(list(outside.values())).mean())
    figures = {"rows": rows, **{f"outside {name}": count for name, count in counts.items()}}
    return Check("contradicted" if share > 0 else "supported", method, figures, share)
