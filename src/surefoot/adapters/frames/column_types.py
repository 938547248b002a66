"""What columns of a file are said to be: text, numbers, dates, categories; what is none is told with its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from surefoot.adapters.frames.frame import ColumnType, Frame, Types, as_text, is_number, is_numeric, narwhals
from surefoot.core import DiagnosticsError
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
