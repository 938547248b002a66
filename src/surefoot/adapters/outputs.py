"""What models return, made into one form: a column of finite numbers for each class.

Probabilities stay; logits become probabilities; a single column p of a probability becomes (1 - p, p) and a
single decision value d becomes (-d/2, d/2), so that differences between columns keep their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from surefoot.adapters.tested import Output
from surefoot.core import DiagnosticsError

Returned = Literal["probability", "logit", "score", "label"]
OUTPUT: dict[Returned, Output] = {
    "probability": "probability",
    "logit": "probability",
    "score": "score",
    "label": "label",
}
# Rows of class probabilities sum to 1 up to rounding, which half precision and quantisation make coarse.
SUM_TOLERANCE = 0.01
LARGEST_SCORE = 1e150
"""Sums of squares of larger scores overflow."""
CHUNK = 1 << 16


def as_answers(value: Any, *, rows: int, where: str) -> NDArray[Any]:
    """A model's return value as a checked array: (rows,) or (rows, columns), finite numbers or text."""
    array = _array(value, where)
    if array.dtype.kind not in "biufU":
        raise _wrong(f"values of type {array.dtype}", where)
    if array.ndim not in (1, 2) or len(array) != rows or 0 in array.shape:
        raise _wrong(f"an array of shape {array.shape} for {rows} rows", where)
    if array.dtype.kind == "f":
        _finite(array, where)
    return array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array


def is_label(answers: NDArray[Any], returns: Returned | None) -> bool:
    """Whether answers are class labels: when said so, or by default whole numbers or text in one column."""
    return returns == "label" or (returns is None and answers.ndim == 1 and answers.dtype.kind in "biuU")


def score_type(answers: NDArray[Any], where: str) -> np.dtype[Any]:
    """The floating-point type that keeps these answers."""
    if answers.dtype.kind == "U":
        raise _wrong("text where numbers are expected", where)
    return np.dtype(np.float32 if answers.dtype in (np.float16, np.float32) else np.float64)


def put(scores: NDArray[Any], answers: NDArray[Any]) -> None:
    """Copy answers as they are; a single column goes into the second of two."""
    if answers.ndim == 1:
        scores[:, 1] = answers
    else:
        scores[:] = answers


def settle(scores: NDArray[Any], *, single: bool, returns: Returned | None, usual: Returned) -> Returned:
    """What answers are: as declared, else probabilities where all rows look like it, else the usual."""
    if returns is not None:
        return returns
    return "probability" if all(_is_probability(chunk, single).all() for chunk in _chunks(scores)) else usual


def normalise(scores: NDArray[Any], *, single: bool, returns: Returned, where: str, code: str = "model-output") -> None:
    """Turn answers put into ``scores`` into one column a class, in place."""
    done = 0
    for chunk in _chunks(scores):
        if returns == "logit":
            chunk[:] = _softmax(chunk, single)
        elif returns == "probability":
            _check_probability(chunk, single, done, where, code)
            if single:
                chunk[:, 0] = 1 - chunk[:, 1]
        elif single:
            chunk[:, 1] /= 2
            chunk[:, 0] = -chunk[:, 1]
        done += len(chunk)


def too_large(scores: NDArray[Any]) -> bool:
    """Whether scores are so large that nothing can be computed with them; small types hold no such numbers."""
    return scores.dtype.kind == "f" and scores.dtype.itemsize > 4 and bool((np.abs(scores) > LARGEST_SCORE).any())


def one_hot(numbers: NDArray[np.int64], scores: NDArray[Any]) -> NDArray[Any]:
    """Class numbers as ones in columns of zeros."""
    scores[:] = 0
    scores[np.arange(len(numbers)), numbers] = 1
    return scores


def _array(value: Any, where: str) -> NDArray[Any]:
    if np.ma.is_masked(value):
        raise _wrong("masked entries", where)
    if isinstance(value, list | tuple):
        value = [_from_tensor(item) for item in value]
    try:
        array = np.asarray(_from_tensor(value))
        return _plain_objects(array) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise _wrong(f"a {type(value).__name__} that is no array", where) from error


def _from_tensor(value: Any) -> Any:
    """A torch tensor, wherever it lies, as something numpy reads."""
    if not hasattr(value, "detach"):
        return value
    tensor = value.detach().cpu()
    return tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor


def _plain_objects(array: NDArray[Any]) -> NDArray[Any]:
    if array.ndim and all(isinstance(item, str) for item in array.flat):
        return array.astype(str)
    if array.ndim and all(isinstance(item, int | float | np.number) for item in array.flat):
        return array.astype(np.float64)
    raise ValueError("objects that are neither numbers nor text")


def _finite(array: NDArray[Any], where: str) -> None:
    bad = ~np.isfinite(array)
    if bad.any():
        rows = np.flatnonzero(bad.reshape(len(array), -1).any(axis=1))
        raise _wrong(f"NaN or infinity for {len(rows)} of {len(array)} rows of a batch, first for row {rows[0]}", where)
    if too_large(array):
        raise _wrong(f"numbers beyond {LARGEST_SCORE:g}", where)


def _chunks(scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
    return (scores[start : start + CHUNK] for start in range(0, len(scores), CHUNK))


def _is_probability(chunk: NDArray[Any], single: bool) -> NDArray[np.bool_]:
    if single:
        return np.asarray((chunk[:, 1] >= 0) & (chunk[:, 1] <= 1))
    inside = ((chunk >= 0) & (chunk <= 1)).all(axis=1)
    return np.asarray(inside & (np.abs(chunk.sum(axis=1) - 1) <= SUM_TOLERANCE))


def _check_probability(chunk: NDArray[Any], single: bool, offset: int, where: str, code: str) -> None:
    bad = np.flatnonzero(~_is_probability(chunk, single))
    if bad.size:
        values = chunk[bad[0], 1:] if single else chunk[bad[0]]
        raise DiagnosticsError.of(
            code,
            f"row {offset + bad[0]} has {np.array2string(values[:8], precision=4)}, which are no class probabilities.",
            where=where,
            hint="They lie in [0, 1] and sum to 1. Say what is returned: `output: logit` or `output: score`.",
        )


def _softmax(chunk: NDArray[Any], single: bool) -> NDArray[np.float64]:
    wide = chunk.astype(np.float64)
    if single:
        return np.column_stack([expit(-wide[:, 1]), expit(wide[:, 1])])
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def _wrong(found: str, where: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-output",
        f"the model returned {found}.",
        where=where,
        hint="It must return one row of finite scores, or one label, for each row of its input.",
    )
