"""Rows from Python: mappings of arrays, (inputs, labels), and MAITE-shaped datasets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from surefoot.adapters.modules import ProjectModules
from surefoot.adapters.npz_data import Arrays
from surefoot.adapters.objects import index_names
from surefoot.adapters.wording import explained
from surefoot.core import DiagnosticsError, SurefootError
from surefoot.core.canonical import array_digest, digest
from surefoot.documents import printable, quoted


def from_code(reference: str, folder: Path) -> Arrays:
    """The arrays that ``module:name`` holds, or returns when it is called."""
    modules = ProjectModules(folder)
    found = modules.find(reference, code="data-unreadable")
    try:
        with modules.active():
            is_source = isinstance(found, Mapping | tuple) or _is_dataset(found)
            return from_object(found if is_source or not callable(found) else found(), where=reference)
    except SurefootError:
        raise
    except (Exception, SystemExit) as error:
        text = f"{reference} raised {explained(error, folder)}."
        raise DiagnosticsError.of("data-unreadable", text, where=reference) from error


def from_object(obj: Any, *, where: str) -> Arrays:
    """Arrays by name; attributes in a mapping of their own are put beside the others."""
    if isinstance(obj, Mapping):
        return Arrays(_flat(obj, where), where)
    if isinstance(obj, tuple) and len(obj) == 2:
        return Arrays({"inputs": obj[0], "labels": obj[1]}, where)
    if _is_dataset(obj):
        return _from_dataset(obj, where)
    raise DiagnosticsError.of(
        "data-type",
        f"a {type(obj).__name__} holds no rows that can be read.",
        where=where,
        hint="Give a mapping of arrays, (inputs, labels), or a dataset of (input, target, metadata).",
    )


def _flat(mapping: Mapping[Any, Any], where: str) -> dict[str, Any]:
    attributes = mapping.get("attributes")
    inner = {str(k): v for k, v in attributes.items()} if isinstance(attributes, Mapping) else {}
    outer = {str(k): v for k, v in mapping.items() if v is not None and not (inner and k == "attributes")}
    for name in outer.keys() & inner.keys():
        text = f"{quoted(name)} is the name of an array and of an attribute."
        raise DiagnosticsError.of("data-column", text, where=where, hint="Rename the attribute.")
    return outer | inner


def arrays_digest(arrays: Arrays) -> str:
    """SHA-256 over the names and contents of all arrays."""
    return digest({printable(name): array_digest(arrays.array(name)) for name in sorted(arrays.names)})


def _is_dataset(obj: Any) -> bool:
    sized = hasattr(obj, "__getitem__") and hasattr(obj, "__len__")
    return sized and not isinstance(obj, Mapping | list | tuple | str | bytes | np.ndarray)


def _from_dataset(dataset: Any, where: str) -> Arrays:
    rows = [dataset[number] for number in range(len(dataset))]
    if not rows:
        raise DiagnosticsError.of("data-empty", "the dataset has no rows.", where=where)
    if not all(isinstance(row, tuple) and len(row) in (2, 3) for row in rows):
        text = f"rows must be (input, target) or (input, target, metadata); found {printable(type(rows[0]).__name__)}."
        raise DiagnosticsError.of("data-type", text, where=where)
    inputs = [np.asarray(row[0]) for row in rows]
    shapes = sorted({array.shape for array in inputs})
    if len(shapes) > 1:
        text = f"inputs have different shapes, such as {shapes[0]} and {shapes[1]}."
        raise DiagnosticsError.of("data-type", text, where=where)
    labels = np.asarray([_class_number(row[1], where) for row in rows])
    names = np.asarray(index_names(getattr(dataset, "metadata", None)))
    named = names[labels] if names.size and labels.max() < names.size else labels
    return Arrays({"inputs": np.stack(inputs), "labels": named} | _metadata(rows), where)


def _class_number(target: Any, where: str) -> int:
    """The class of a one-hot target, or of a target that is a number."""
    array = np.asarray(target)
    if array.ndim == 0 and array.dtype.kind in "biu":
        return int(array)
    if array.ndim == 1 and array.dtype.kind in "biuf" and array.size and (array == array.max()).sum() == 1:
        return int(array.argmax())
    raise DiagnosticsError.of("data-type", f"target {printable(target, 60)} is not one-hot.", where=where)


def _metadata(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Columns of the metadata that every row has as a number or as text."""
    each = [row[2] if len(row) == 3 and isinstance(row[2], Mapping) else {} for row in rows]
    shared = set(each[0]).intersection(*each)
    plain = {n for n in shared if all(isinstance(m[n], str | int | float | np.number) for m in each)}
    return {str(name): np.asarray([m[name] for m in each]) for name in sorted(plain - {"inputs", "labels"})}
