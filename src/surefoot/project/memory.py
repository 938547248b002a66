"""Projects from Python objects: plain values as a file would hold them, models and data set aside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters import as_model
from surefoot.adapters.data import KEYS
from surefoot.core import DiagnosticsError
from surefoot.documents import Keys, did_you_mean, dotted, shown
from surefoot.documents.files import FORBIDDEN
from surefoot.project.definition import IN_MEMORY, MODEL

DEEPEST = 50
"""Values of a project are nested no deeper."""
LARGEST = 10**300


def plain(value: Any, at: Keys = ()) -> Any:
    """Texts, finite numbers, lists and mappings, as a file would hold them; anything else is an error."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if len(at) > DEEPEST:
        raise _wrong(at, f"is nested more than {DEEPEST} deep.")
    if isinstance(value, Mapping):
        return {_key(key, at): plain(item, (*at, str(key))) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, (*at, number)) for number, item in enumerate(value)]
    if not _fits_in_a_file(value):
        raise _wrong(at, f"must be what a file can hold; found {_shown(value)}.")
    return value


def component_from(name: str, model: Any, data: Any, classes: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a file would say of the component, and its objects by name."""
    rows = _data_sets(data)
    component: dict[str, Any] = {"classes": list(classes), "data": {title: _rows(title, rows[title]) for title in rows}}
    if model is not None:
        component[MODEL] = _model(model)
    given = [*rows.items(), *([(MODEL, model)] if model is not None else [])]
    return component, {f"{name}.{title}": value for title, value in given if not _is_text(value)}


def _data_sets(data: Any) -> dict[str, Any]:
    if data is None:
        raise DiagnosticsError.of("missing-key", "is missing.", where="data", hint="Give (inputs, labels).")
    if isinstance(data, Mapping) and not any(key in data for key in KEYS):
        return {_key(title, ("data",)): rows for title, rows in data.items()}
    return {"test": data}


def _model(model: Any) -> str | dict[str, Any]:
    if _is_text(model):
        return str(model)
    as_model(model)
    return _in_memory(model)


def _rows(title: str, rows: Any) -> str | dict[str, Any]:
    if _is_text(rows):
        return str(rows)
    if isinstance(rows, Mapping):
        return _in_memory(rows) | _parts(rows, ("data", title))
    if isinstance(rows, tuple) and len(rows) != 2:
        raise _wrong(("data", title), f"must be (inputs, labels); found {len(rows)} values.")
    if isinstance(rows, np.ndarray) or not (hasattr(rows, "__len__") and hasattr(rows, "__getitem__")):
        raise _wrong(("data", title), f"must be (inputs, labels) or a mapping; found {_shown(rows)}.")
    return _in_memory(rows)


def _is_text(value: Any) -> bool:
    return isinstance(value, str | Path)


def _in_memory(value: Any) -> dict[str, Any]:
    return {"callable": f"{IN_MEMORY}:{type(value).__name__}"}


def _parts(rows: Mapping[str, Any], at: Keys) -> dict[str, Any]:
    """Which parts of a data set the mapping brings."""
    for key in rows:
        if key not in KEYS:
            hint = did_you_mean(str(key), KEYS)
            raise DiagnosticsError.of(
                "unknown-key", "is no part of a data set.", where=dotted((*at, str(key))), hint=hint
            )
    attributes = rows.get("attributes", {})
    if not isinstance(attributes, Mapping):
        raise _wrong((*at, "attributes"), f"must be a mapping of names to columns; found {_shown(attributes)}.")
    named = {part: part for part in ("scores", "groups") if rows.get(part) is not None}
    return {**named, "attributes": list(attributes)}


def _key(key: Any, at: Keys) -> str:
    if not isinstance(key, str) or not _fits_in_a_file(key):
        raise _wrong(at, f"must have text as keys; found {_shown(key)}.")
    return str(key)


def _fits_in_a_file(value: Any) -> bool:
    if isinstance(value, str):
        return not FORBIDDEN.search(value)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or (isinstance(value, int) and abs(value) < LARGEST)


def _shown(value: Any) -> str:
    return shown(value) if isinstance(value, str | float) else f"an object of type {type(value).__name__}"


def _wrong(at: Keys, text: str) -> DiagnosticsError:
    return DiagnosticsError.of("wrong-value", text, where=dotted(at))
