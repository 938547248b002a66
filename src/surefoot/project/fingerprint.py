"""What makes a test set the same test set, whatever file it lies in, in whatever order, of whatever number type."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Data, Tested
from surefoot.core import array_digest

MULTIPLIERS_SEED = 1
CHUNK = 1 << 16


def fingerprint(rows: Tested | Data) -> str | None:
    """Digest of labelled rows; None where there are no labels.

    Rows with inputs are recognised in any order. Rows that were scored elsewhere are recognised by their labels in
    order, because their scores change with the model.
    """
    if rows.labels is None:
        return None
    labels = rows.labels.astype(np.uint64)
    inputs = rows.inputs
    if inputs is None or inputs.dtype.kind not in "biuf":
        return array_digest(labels)
    hashes = np.concatenate([_row_hashes(inputs[i : i + CHUNK], labels[i : i + CHUNK]) for i in _starts(len(labels))])
    return hashlib.sha256(np.sort(hashes).astype("<u8").tobytes()).hexdigest()


def _starts(length: int) -> range:
    return range(0, length, CHUNK)


def _row_hashes(inputs: NDArray[Any], labels: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A sum of products with fixed random odd numbers, modulo 2**64, for each row (multilinear hashing)."""
    words = np.ascontiguousarray(inputs.reshape(len(inputs), -1), dtype="<f8").view("<u8")
    factors = np.random.default_rng(MULTIPLIERS_SEED).integers(0, 2**63, words.shape[1] + 1, dtype=np.uint64) * 2 + 1
    mixed = words ^ (words >> np.uint64(29))
    return np.asarray(mixed @ factors[1:] + labels * factors[0])
