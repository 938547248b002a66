"""Rows drawn inside strata, and which rows are the same input."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

Marks = NDArray[np.uint64]


def marks(inputs: NDArray[Any], kind: np.dtype[Any]) -> Marks:
    """A fingerprint of each input: equal inputs have the same one; numbers are compared as ``kind``."""
    numeric = kind.kind in "biufc"
    found = (blake2b(_content(row, kind if numeric else None), digest_size=8).digest() for row in inputs)
    return np.frombuffer(b"".join(found), dtype=np.uint64)


def labelled_before(operation: Marks, labelled: Marks) -> NDArray[np.bool_]:
    """Operational rows that already have a label: for each labelled row, one that equals it.

    Further copies stay, because operation brings such inputs so often.
    """
    names, which, counts = np.unique(operation, return_inverse=True, return_counts=True)
    found = np.searchsorted(names, labelled)
    known = found[names[np.minimum(found, names.size - 1)] == labelled]
    used = np.minimum(np.bincount(known, minlength=names.size), counts)
    order = np.argsort(which, kind="stable")
    rank = np.empty(which.size, dtype=np.int64)
    rank[order] = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.asarray(rank < used[which])


def drawn(
    stratum: NDArray[np.intp], free: NDArray[np.bool_], numbers: Sequence[int], seed: np.random.SeedSequence
) -> NDArray[np.intp]:
    """Rows chosen by chance among the free ones of each stratum, all equally likely, none twice; in their order."""
    streams = seed.spawn(len(numbers))
    chosen = [
        np.random.default_rng(stream).choice(np.flatnonzero(free & (stratum == place)), size=number, replace=False)
        for place, (number, stream) in enumerate(zip(numbers, streams, strict=True))
    ]
    return np.sort(np.concatenate(chosen)).astype(np.intp)


def _content(row: Any, kind: np.dtype[Any] | None) -> bytes:
    if kind is None:
        return repr(row.tolist() if isinstance(row, np.ndarray) else row).encode()
    # Adding 0 makes -0.0, which equals 0.0, the same bytes.
    return (np.asarray(row, dtype=kind) + kind.type(0)).tobytes()
