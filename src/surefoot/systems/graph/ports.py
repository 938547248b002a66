"""Kinds of values that go from port to port, and batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate

NUMBERS = ("number", "vector", "array", "image", "audio", "boxes", "tracks")
KINDS = ("any", *NUMBERS, "label", "text")
"""What a port may hold; ``any`` fits everything, ``array`` holds vectors and images too."""
WIDER = {("array", "vector"), ("array", "image"), ("array", "audio"), ("vector", "audio")}
DIMENSIONS = {"number": (0,), "vector": (1,), "image": (3,), "audio": (1,), "boxes": (2,), "tracks": (2,)}


def as_kind(kind: str, *, where: str) -> str:
    """A known kind; a misspelling gets a suggestion."""
    return validate.choice(kind, KINDS, where=where, name="kind")


def fits(wanted: str, given: str) -> bool:
    """Whether a port of one kind may be fed from a port of another."""
    return wanted == given or "any" in (wanted, given) or (wanted, given) in WIDER


def batch_of(kind: str, values: Sequence[Any]) -> Any:
    """Values as a module receives them: an array where they are numbers of one shape, otherwise a list."""
    if kind in NUMBERS or all(isinstance(value, np.ndarray | np.number | np.bool_ | float | int) for value in values):
        arrays = [np.asarray(value) for value in values]
        if len({array.shape for array in arrays}) == 1:
            return np.stack(arrays)
    return list(values)


def items_of(batch: Any, count: int, *, where: str) -> list[Any]:
    """A batch that a module gave, item by item."""
    tensor = batch.detach().cpu().numpy() if hasattr(batch, "detach") else batch
    if isinstance(tensor, str | bytes) or not hasattr(tensor, "__len__"):
        found = type(batch).__name__
        remedy = "Give a list or an array with one entry an item."
        raise InvalidInput("a module must answer with a batch", where=where, found=found, remedy=remedy)
    if len(tensor) != count:
        raise InvalidInput(f"a batch of {count} needs {count} answers", where=where, found=str(len(tensor)))
    return list(tensor)


def all_right(kind: str, batch: Any) -> bool:
    """Whether a batch is seen at once to be of a kind: an array of finite numbers, of the right dimensions."""
    if kind not in NUMBERS or not isinstance(batch, np.ndarray) or batch.dtype.kind not in "biuf":
        return False
    return batch.ndim - 1 in DIMENSIONS.get(kind, (batch.ndim - 1,)) and _finite(batch)


def wrong(kind: str, value: Any) -> str | None:
    """What is wrong with a value of a kind, or None."""
    if kind == "text":
        return None if isinstance(value, str) else f"gave a {type(value).__name__} instead of a text"
    if kind not in NUMBERS:
        return "gave no answer" if value is None else None
    return _wrong_numbers(kind, value)


def _wrong_numbers(kind: str, value: Any) -> str | None:
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return f"gave a {type(value).__name__} instead of numbers"
    wanted = DIMENSIONS.get(kind)
    none_found = kind in ("boxes", "tracks") and not array.size
    if wanted and array.ndim not in wanted and not none_found:
        return f"gave shape {array.shape} where a {kind} is expected"
    return None if _finite(array) else "gave numbers that are not finite"


def _finite(array: NDArray[Any]) -> bool:
    return array.dtype.kind != "f" or bool(np.isfinite(array).all())
