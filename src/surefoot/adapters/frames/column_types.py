"""What columns are said to be (text, numbers, dates, categories), and which categories a fitted model knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.frames.frame import ColumnType, Frame, Types, as_text, is_number, is_numeric, narwhals
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.documents import did_you_mean, listed, printable, quoted


def typed(frame: Frame, types: Types) -> Frame:
    """The frame with the types that somebody stated; a value that does not fit is told with its row."""
    unknown = [name for name in types if name not in frame.names]
    if not types or len(unknown) == len(types):
        return frame
    for name, kind in types.items():
        if name in frame.names:
            frame = _with_type(frame, name, kind)
    return frame


def like(model: Frame, columns: Mapping[str, Sequence[Any]]) -> Frame:
    """Other rows as a frame of the same library and types; None stands for no value."""
    nw = narwhals()
    made = nw.from_dict({name: list(columns[name]) for name in model.names}, backend=model.kind)
    frame = Frame(made.to_native(), model.where)
    for name in model.names:
        dtype, levels = model.series(name).dtype, model.categories(name)
        if levels is not None:
            frame = _with_levels(frame, name, list(levels))
        elif dtype.is_temporal() and not frame.series(name).dtype.is_temporal():
            frame = _as_dates(frame, name)
        elif dtype.is_temporal() and dtype != frame.series(name).dtype:
            zone = getattr(dtype, "time_zone", None)
            column = nw.col(name)
            if zone is not None and getattr(frame.series(name).dtype, "time_zone", None) is None:
                column = column.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
            frame = _replaced(frame, column.cast(dtype))
        elif is_numeric(model.series(name)) and not frame.missing(name).any():
            frame = _replaced(frame, nw.col(name).cast(dtype))
    return frame


def _with_type(frame: Frame, name: str, kind: ColumnType | Sequence[str]) -> Frame:
    nw = narwhals()
    dtype = frame.series(name).dtype
    if not isinstance(kind, str):
        return _with_levels(frame, name, list(map(str, kind)))
    if kind == "number" and dtype == nw.Decimal:
        return _replaced(frame, nw.col(name).cast(nw.Float64()))
    if kind == "number":
        return frame if dtype.is_numeric() else _as_numbers(frame, name)
    if kind == "date":
        return frame if dtype.is_temporal() else _as_dates(frame, name)
    wanted = nw.String() if kind == "text" else nw.Categorical()
    if dtype == wanted:
        return frame
    if kind == "category" and not isinstance(dtype, nw.String) and frame.kind != "pandas":
        frame = _replaced(frame, nw.col(name).cast(nw.String()))
    return _replaced(frame, nw.col(name).cast(wanted))


def _with_levels(frame: Frame, name: str, levels: list[str]) -> Frame:
    nw = narwhals()
    codes, values = frame.coded(name)
    strange = np.asarray([*(as_text(value) not in levels for value in values), False], dtype=bool)[codes]
    if strange.any():
        row = int(np.flatnonzero(strange)[0])
        found = quoted(as_text(values[codes[row]]), 60)
        text = f"column {quoted(name)} has {found} in row {row} ({int(strange.sum())} such rows), which is no category"
        hint = did_you_mean(as_text(values[codes[row]]), levels) or "Add it under types, or repair these rows."
        raise DiagnosticsError.of("data-categories", f"{text} ({listed(levels)}).", where=frame.where, hint=hint)
    if frame.kind == "pandas":
        import pandas as pd

        named = np.asarray([*map(as_text, values), None], dtype=object)[codes]
        texts = pd.Series(named, index=frame.native.index)
        return replace(frame, native=frame.native.assign(**{name: texts.astype(pd.CategoricalDtype(levels))}))
    plain = _replaced(frame, nw.col(name).cast(nw.String()))
    return _replaced(plain, nw.col(name).cast(nw.Enum(levels) if frame.kind == "polars" else nw.Categorical()))


def _as_numbers(frame: Frame, name: str) -> Frame:
    nw = narwhals()
    codes, values = frame.coded(name)
    wrong = np.asarray([*(not is_number(as_text(value)) for value in values), False], dtype=bool)[codes]
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        found = quoted(as_text(values[codes[row]]), 60)
        text = f"column {quoted(name)} has {found} in row {row} ({int(wrong.sum())} such rows), which is no number."
        raise DiagnosticsError.of("data-type", text, where=frame.where)
    table = np.asarray([*map(float, map(as_text, values)), np.nan], dtype=float)
    made = nw.new_series(name, table[codes], nw.Float64(), backend=frame.kind)
    return replace(frame, native=frame.wide.with_columns(made).to_native())


def _as_dates(frame: Frame, name: str) -> Frame:
    nw = narwhals()
    try:
        return _replaced(frame, nw.col(name).str.to_datetime())
    except Exception as error:
        text = f"column {quoted(name)} holds what is no date: {printable(str(error).partition(chr(10))[0], 120)}."
        hint = "Write dates as 2026-05-01, or types: text."
        raise DiagnosticsError.of("data-type", text, where=frame.where, hint=hint) from error


def _replaced(frame: Frame, column: Any) -> Frame:
    return replace(frame, native=frame.wide.with_columns(column).to_native())


# What the encoders inside a model know of the columns of a frame: the categories that it was fitted with.


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
