"""Recordings: everything that went through a system, in Parquet files of some items each, that a study resumes from.

``recording`` runs a system on some items in a condition and writes what every module gave, its features and its
repeated passes, and reads that again to write errors and scores; ``parquet`` turns values into columns and back, and
knows files by the key of what decides their content. Algorithm 1 and Eqns. (5), (6) of paper SYS (Wang et al. 2022).
May import ``core``, ``metrics``, ``monitors``, ``systems.graph``, ``systems.data`` and ``systems.tables``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.systems.records.parquet import (
        Part,
        column_of,
        matrix_of,
        names_in,
        read,
        rows_of,
        slug,
        values_of,
        write,
    )
    from surefoot.systems.records.recording import Judges, Passes, Recording, Scoring, one_thread, record, variation

__all__ = [
    "Judges",
    "Part",
    "Passes",
    "Recording",
    "Scoring",
    "column_of",
    "matrix_of",
    "names_in",
    "one_thread",
    "read",
    "record",
    "rows_of",
    "slug",
    "values_of",
    "variation",
    "write",
]
_NAMES = {
    "parquet": ("column_of", "matrix_of", "rows_of", "values_of", "Part", "names_in", "read", "slug", "write"),
    "recording": ("Passes", "Recording", "record", "Judges", "Scoring", "variation", "one_thread"),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Recordings need pyarrow, which is loaded by who records."""
    if name in _HOMES:
        return getattr(import_module(f"surefoot.systems.records.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot.systems.records' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
