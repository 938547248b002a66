"""Rows that follow each other in time: films, drives, recordings. Nothing counts them as independent ones.

Rows of a sequence stand together and in the order of their times. What lies between two of them is known as long as no
gap is longer than the data set allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.validate import FloatArray
from surefoot.documents import quoted, significant
from surefoot.project.definition import DataSource

LONG_STEPS = 10
"""A step of so many median ones is a gap, where nobody says what one is."""
MOST_SHOWN = 20
SAID = ("gap", "rows", "block")
"""What a mapping of arrays says of its rows beside their columns."""


def in_time(rows: Data, source: DataSource, *, where: str) -> Data:
    """The rows with their places in the sequences that they are, where they are any.

    Parameters
    ----------
    rows
        With the times and sequences that their data set names.
    source
        What the project file says of the data set.
    where
        What messages call it.

    Returns
    -------
    Data
        With places, and sequences as groups where nothing else groups them.

    Raises
    ------
    DiagnosticsError
        Where times do not rise, or leave gaps, with the row.

    """
    if rows.times is None and rows.sequences is None:
        return rows if source.rows == "independent" else replace(rows, places=np.arange(len(rows)), block=source.block)
    films = np.zeros(len(rows), dtype=np.int64) if rows.sequences is None else _numbers(rows.sequences)
    named = films if rows.sequences is None else rows.sequences
    problems = [*_torn(films, named, where)]
    if rows.times is not None:
        problems += _disorder(films, np.asarray(rows.times), source, where)
    DiagnosticsError.raise_if_any(problems)
    # Rows of two sequences are independent of each other: at least a block lies between them.
    apart = source.block or math.isqrt(len(rows))
    changes = np.concatenate([[0], np.cumsum(np.diff(films) != 0)])
    groups = rows.sequences if rows.groups is None and changes[-1] else rows.groups
    return replace(rows, places=np.arange(len(rows)) + apart * changes, block=source.block, groups=groups)


def timed(rows: Data, source: DataSource) -> Data:
    """The rows with the times and sequences that stand in their columns.

    Parameters
    ----------
    rows
        With the columns as attributes.
    source
        What the project file says of the data set.

    Returns
    -------
    Data
        Times as seconds; dates and times of day too.

    """
    found = rows
    if source.sequence is not None and source.sequence in rows.attributes and rows.sequences is None:
        found = replace(found, sequences=rows.attributes[source.sequence])
    if source.time is not None and source.time in rows.attributes and rows.times is None:
        found = replace(found, times=_seconds(rows.attributes[source.time], source.time))
    return found


def with_columns_of_time(given: Any, source: DataSource) -> Any:
    """An object in memory whose columns of time are attributes, as those of files are."""
    if not isinstance(given, Mapping):
        return given
    names = [name for name in (source.sequence, source.time) if name]
    columns = {name: given[name] for name in names if name in given}
    kept = {name: value for name, value in given.items() if name not in (*columns, *SAID)}
    if not columns:
        return kept
    return kept | {"attributes": {**(given.get("attributes") or {}), **columns}}


def _seconds(values: NDArray[Any], name: str) -> FloatArray:
    if values.dtype.kind in "biuf":
        return values.astype(float)
    try:
        return values.astype("datetime64[ns]").astype(np.int64) / 1e9
    except ValueError:
        row = next(row for row, value in enumerate(values.tolist()) if not _is_time(str(value)))
        text = f"row {row}: column {quoted(name)} has {quoted(str(values[row]), 60)}, which is no time."
        hint = "Write seconds, or dates with times such as 2026-05-01T12:00:00.5."
        raise DiagnosticsError.of("data-time", text, hint=hint) from None


def _is_time(text: str) -> bool:
    try:
        return not np.isnat(np.datetime64(text))
    except ValueError:
        return False


def _numbers(values: NDArray[Any]) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _torn(films: NDArray[np.int64], named: NDArray[Any], where: str) -> Iterator[Diagnostic]:
    """Sequences whose rows do not stand together."""
    starts = np.flatnonzero(np.concatenate([[True], np.diff(films) != 0]))
    seen: set[int] = set()
    for row in starts.tolist():
        if films[row] in seen:
            text = f"row {row}: the sequence {quoted(str(named[row]), 60)} goes on after rows of another one."
            yield Diagnostic("data-time", text, "error", where, "Sort the rows by sequence and time.")
            return
        seen.add(int(films[row]))


def _disorder(films: NDArray[np.int64], times: FloatArray, source: DataSource, where: str) -> list[Diagnostic]:
    """Times that do not rise, and gaps."""
    same, steps = np.diff(films) == 0, np.diff(times)
    name = source.time or "time"
    unknown = np.flatnonzero(~np.isfinite(times))
    if unknown.size:
        text = f"row {unknown[0]}: {name} is {times[unknown[0]]} ({unknown.size} such rows)."
        return [Diagnostic("data-time", text, "error", where, "Give each row its time.")]
    backward = np.flatnonzero(same & (steps <= 0))
    problems = [
        Diagnostic(
            "data-time",
            f"row {row + 1}: {name} is {significant(times[row + 1])}, not after {significant(times[row])}.",
            "error",
            where,
            "Sort the rows by sequence and time, each time once.",
        )
        for row in backward[:MOST_SHOWN].tolist()
    ]
    forward = steps[same & (steps > 0)]
    if not forward.size:
        return problems
    most = source.gap or LONG_STEPS * float(np.median(forward))
    gaps = np.flatnonzero(same & (steps > most * (1 + 1e-9)))
    longest = steps[gaps].max(initial=0.0)
    hint = f"Give what comes after it another name under sequence:, or say gap: {longest:g}."
    return problems + [
        Diagnostic(
            "data-time",
            f"row {row + 1}: {name} leaps by {significant(steps[row])} from {significant(times[row])}; "
            f"more than {significant(most)} is a gap.",
            "error",
            where,
            hint,
        )
        for row in gaps[:MOST_SHOWN].tolist()
    ]
