"""What of a row is compared with the reference: its inputs where they are few, else principal axes and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.profile import PCAEncoder
from surefoot.project.watch.answering import Reference

MOST_INPUTS = 64
"""So many numbers a row are compared as they are."""
AXES = 8
LARGEST = 1e100


@dataclass(frozen=True, eq=False)
class Features:
    """Turns rows into the numbers that are compared, each with a name."""

    names: tuple[str, ...]
    reference: FloatArray
    encoder: PCAEncoder | None = None
    by_scores: bool = False
    by_inputs: bool = True

    @classmethod
    def of(cls, reference: Reference, names: Sequence[str] = (), *, seed: int = 0) -> Features:
        """Inputs of up to 64 numbers; of more, places along principal axes, and scores; without numbers, scores.

        The axes are those of one half of the reference, and the other half is compared with: rows that shaped the axes
        are not exchangeable with new ones.
        """
        inputs = reference.inputs
        scored = tuple(f"score of {name}" for name in reference.classes)
        if inputs is None or inputs.dtype.kind not in "biuf":
            return cls(scored, _flat(reference.scores), by_scores=True, by_inputs=False)
        flat = _flat(inputs)
        if flat.shape[1] <= MOST_INPUTS:
            return cls(_input_names(names, flat.shape[1]), flat)
        order = np.random.default_rng(seed).permutation(len(flat))
        first, second = np.sort(order[: len(flat) // 2]), np.sort(order[len(flat) // 2 :])
        encoder = _encoder(flat[first])
        if encoder is None:
            return cls(scored, _flat(reference.scores), by_scores=True, by_inputs=False)
        axes = tuple(f"principal axis {number + 1}" for number in range(encoder.dimensions))
        both = np.hstack([encoder.encode(flat[second]), _flat(reference.scores)[second]])
        return cls((*axes, *scored), both, encoder, by_scores=True)

    def __call__(self, rows: NDArray[Any], scores: NDArray[Any]) -> FloatArray:
        """The numbers of rows of the stream."""
        parts = []
        if self.by_inputs:
            flat = _flat(rows)
            parts.append(flat if self.encoder is None else self.encoder.encode(flat))
        if self.by_scores:
            parts.append(_flat(scores))
        return np.hstack(parts)


def _flat(values: NDArray[Any]) -> FloatArray:
    return np.clip(values.reshape(len(values), -1).astype(float), -LARGEST, LARGEST)


def _input_names(names: Sequence[str], width: int) -> tuple[str, ...]:
    if len(names) == width:
        return tuple(names)
    stem = names[0] if len(names) == 1 else "input"
    return tuple(f"{stem}[{place}]" for place in range(width))


def _encoder(rows: FloatArray) -> PCAEncoder | None:
    """Axes of rows, as many as they vary along; None where they do not vary."""
    for dimensions in (AXES, 4, 2, 1):
        try:
            return PCAEncoder(dimensions).fit(rows)
        except InvalidInput:
            continue
    return None
