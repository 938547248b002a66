"""Columns of scores and the classes they belong to, agreed between data and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from surefoot.adapters.classes import all_decimal
from surefoot.core import DiagnosticsError
from surefoot.documents import listed

EXPLICIT = "List the classes under classes, in the order of the scores."
IN_ORDER = "List classes in the order of the model's columns."


@dataclass(frozen=True)
class Columns:
    """Names of score columns, and the columns of the model in that order."""

    classes: tuple[str, ...]
    order: tuple[int, ...]

    @property
    def moved(self) -> bool:
        """Whether columns change places."""
        return self.order != tuple(range(len(self.order)))


def agreed(
    data: Sequence[str], model: Sequence[str], columns: int, *, where: str, code: str = "model-output"
) -> Columns:
    """Names of the score columns that fit both the data's classes and the model's.

    Data may lack classes that the model knows. Names are matched by name, never by their order; only numbers
    on one side and names on the other are matched by position.
    """
    if model and len(model) != columns:
        raise _misfit(columns, model, where, code)
    names = _common_names(tuple(data), tuple(model), columns)
    if names is None or len(names) != columns:
        raise _disagreement(data, model, where) if model else _misfit(columns, data, where, code)
    by_name = set(names) == set(model)
    return Columns(names, tuple(list(model).index(n) for n in names) if by_name else tuple(range(columns)))


def check_order_known(data: Sequence[str], answers: Sequence[str], *, listed_before: bool, where: str) -> None:
    """Refuse to guess which column is which class: text labels in their own order against numbers or nothing."""
    if listed_before or all_decimal(data) or not all_decimal(answers):
        return
    text = f"labels are text ({listed(data)}), and nothing says which column of scores belongs to which class."
    raise DiagnosticsError.of("data-classes", text, where=where, hint=IN_ORDER)


def _common_names(data: tuple[str, ...], model: tuple[str, ...], columns: int) -> tuple[str, ...] | None:
    if not model:
        extended = bool(data) and len(data) < columns and all(n.isdecimal() and int(n) < columns for n in data)
        return _numbers(columns) if extended or not data else data
    if not data or set(data) < set(model):
        return model
    if set(data) == set(model):
        return data
    if set(data) & set(model):
        return None
    if data == _numbers(len(data)) and len(data) <= columns and not all_decimal(model):
        return model
    return data if all_decimal(model) and not all_decimal(data) else None


def _numbers(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def _misfit(columns: int, classes: Sequence[str], where: str, code: str) -> DiagnosticsError:
    text = f"there are {columns} columns of scores for {len(classes)} classes ({listed(classes)})."
    return DiagnosticsError.of(code, text, where=where, hint=EXPLICIT)


def _disagreement(data: Sequence[str], model: Sequence[str], where: str) -> DiagnosticsError:
    text = f"the model's classes are {listed(model)}, and the data's are {listed(data)}."
    return DiagnosticsError.of("data-classes", text, where=where, hint=EXPLICIT)
