"""What the encoders inside a model know of the columns of a frame: the categories that it was fitted with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.frames.frame import Frame, as_text, is_numeric
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import listed, quoted


def unknown_categories(model: Any, frame: Frame, *, where: str) -> list[Diagnostic]:
    """A warning for each column with values that the model was not fitted with; an error where it refuses them."""
    said: list[Diagnostic] = []
    refused: list[Diagnostic] = []
    of_categories = [name for name in frame.names if frame.categories(name) is not None]
    for encoder in _encoders(model, frame.names, of_categories):
        strange = _strange(frame, encoder)
        if strange is None or not strange.any():
            continue
        row = int(np.flatnonzero(strange)[0])
        value = frame[row : row + 1]
        held = (
            "no value"
            if value.missing(encoder.column).any()
            else quoted(as_text(value.coded(encoder.column)[1][0]), 60)
        )
        found = f"{quoted(encoder.column)} has {held} in row {row} ({int(strange.sum())} such rows)"
        known = listed([as_text(each) for each in encoder.known])
        text = f"column {found}, which the model was not fitted with; it knows {known}."
        if encoder.refuses:
            hint = "Repair these rows, or let its encoder take unknown values, such as handle_unknown='ignore'."
            refused.append(Diagnostic("data-categories", text, "error", where, hint))
        else:
            said.append(Diagnostic("data-categories", text[:1].upper() + text[1:], "warning", where))
    DiagnosticsError.raise_if_any(refused)
    return said


@dataclass(frozen=True, eq=False)
class _Encoder:
    """The values of one column that a model was fitted with."""

    column: str
    known: Sequence[Any]
    refuses: bool
    fills: bool
    """Whether missing values are filled in before."""


def _encoders(
    model: Any, names: Sequence[str], of_categories: Sequence[str], fills: bool = False
) -> Iterator[_Encoder]:
    """Encoders of scikit-learn at the entry of a model, in pipelines and column transformers, and lightgbm's own."""
    model = getattr(model, "best_estimator_", model)
    if isinstance(getattr(model, "steps", None), list):
        for _, part in model.steps:
            yield from _encoders(part, names, (), fills)
            if type(part).__name__ != "SimpleImputer" or getattr(part, "add_indicator", False):
                return
            fills = True
    elif isinstance(getattr(model, "transformers_", None), list):
        for _, part, columns in model.transformers_:
            chosen = _chosen(columns, names)
            if chosen:
                yield from _encoders(part, chosen, (), fills)
    elif len(getattr(model, "categories_", ())) == len(names):
        refuses = getattr(model, "handle_unknown", "") == "error"
        for name, known in zip(names, model.categories_, strict=True):
            yield _Encoder(name, list(known), refuses, fills)
    else:
        booster = model.__dict__.get("_Booster") if hasattr(model, "__dict__") else None
        for name, known in zip(of_categories, getattr(booster, "pandas_categorical", None) or (), strict=False):
            yield _Encoder(name, list(known), False, True)


def _chosen(columns: Any, names: Sequence[str]) -> list[str]:
    """The columns that a part of a column transformer takes, by name, number, slice or truth values."""
    if isinstance(columns, str):
        return [columns] if columns in names else []
    if isinstance(columns, slice):
        return [*names[columns]] if not isinstance(columns.start, str) else []
    listed_ = list(columns) if hasattr(columns, "__iter__") else [columns]
    if all(isinstance(each, bool | np.bool_) for each in listed_):
        return [name for name, taken in zip(names, listed_, strict=False) if taken]
    return [names[int(each)] if isinstance(each, int | np.integer) else str(each) for each in listed_]


def _strange(frame: Frame, encoder: _Encoder) -> NDArray[np.bool_] | None:
    if encoder.column not in frame.names:
        return None
    known = [value for value in encoder.known if value is not None and value == value]
    missing = frame.missing(encoder.column)
    empty_known = encoder.fills or len(known) < len(encoder.known)
    if is_numeric(frame.series(encoder.column)):
        values = frame.numbers(encoder.column).astype(float)
        numbers = [float(value) for value in known if isinstance(value, int | float | np.number | np.bool_)]
        strange = ~np.isin(values, numbers)
    else:
        codes, held = frame.coded(encoder.column)
        texts = {as_text(value) for value in known}
        strange = np.asarray([*(as_text(value) not in texts for value in held), False], dtype=bool)[codes]
    return np.where(missing, not empty_known, strange)
