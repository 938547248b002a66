"""Points in and at the edge of balls, at which a model is tried before anything is estimated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.core import DiagnosticsError
from surefoot.documents import listed
from surefoot.reliability.balls.inputs import Frame
from surefoot.reliability.balls.memory import halved_on_memory_error

MOST_ROWS = 200
MOST_NUMBERS = 1 << 24
BATCH = 256
KINDS = (
    "at the centre of its ball",
    "at a random point of its ball",
    "at a random corner of its ball",
    "at the lowest corner of its ball",
    "at the highest corner of its ball",
)


@dataclass(frozen=True, eq=False)
class Probes:
    """Inputs for the model, with the rows of X in whose balls they lie and where there."""

    points: NDArray[np.floating]
    rows: NDArray[np.int64]
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.points)

    @property
    def at_centres(self) -> NDArray[np.bool_]:
        """Which points are inputs themselves."""
        return self.kinds == 0

    def place(self, number: int) -> str:
        """Where a point lies, in words."""
        return f"row {self.rows[number]} of X, {KINDS[self.kinds[number]]}"


def probes(frame: Frame, *, seed: int) -> Probes:
    """Some inputs, and for each a random point of its ball and three corners; fewer where inputs are large."""
    rng = np.random.default_rng(seed)
    most = min(MOST_ROWS, max(2, MOST_NUMBERS // (len(KINDS) * frame.rows.shape[1])))
    chosen = np.sort(rng.choice(len(frame), min(len(frame), most), replace=False))
    low, high = frame.balls.corners(chosen)
    inside = low + (high - low) * rng.random(low.shape)
    corner = np.where(rng.random(low.shape) < 0.5, low, high)
    points = np.concatenate([part.astype(frame.rows.dtype) for part in (frame.rows[chosen], inside, corner, low, high)])
    kinds = np.repeat(np.arange(len(KINDS)), len(chosen))
    return Probes(points.reshape(-1, *frame.shape), np.tile(chosen, len(KINDS)), kinds)


def batches(count: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``count`` rows."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


def answered(model: LoadedModel, points: NDArray[Any]) -> NDArray[Any]:
    """Answers in one batch, or in smaller ones where memory is short."""
    return halved_on_memory_error(
        lambda size: _joined([model.answers(points[part]) for part in batches(len(points), size)], model), len(points)
    )


def finite_answers(model: LoadedModel, tried: Probes) -> NDArray[Any]:
    """Answers at all points; an error names the first point that has none, or none that are finite."""
    answers = []
    for part in batches(len(tried), BATCH):
        try:
            answers.append(answered(model, tried.points[part]))
        except DiagnosticsError as error:
            raise _placed(error, model, tried, part) from error
    return _joined(answers, model)


def _joined(answers: list[NDArray[Any]], model: LoadedModel) -> NDArray[Any]:
    shapes = {part.shape[1:] for part in answers}
    if len(shapes) > 1:
        text = f"the model returned rows of different shapes for different batches: {listed(sorted(shapes))}."
        raise DiagnosticsError.of("model-output", text, where=model.name)
    return np.concatenate(answers)


def _placed(error: DiagnosticsError, model: LoadedModel, tried: Probes, part: slice) -> DiagnosticsError:
    """The error of a batch with the point that causes it, where a single point does."""
    code = error.diagnostics[0].code
    for number in range(part.start, part.stop):
        alone = _error(model, tried.points[number : number + 1])
        if alone and alone.diagnostics[0].code == code:
            found = "the model's scores are not finite" if code == "model-output" else alone.diagnostics[0].text
            hint = "A failure there could not be told from an answer: repair the model, or narrow input_range."
            return DiagnosticsError.of(
                code, f"{tried.place(number)}: {found.rstrip('.')}.", where=model.name, hint=hint
            )
    return error


def _error(model: LoadedModel, points: NDArray[Any]) -> DiagnosticsError | None:
    try:
        model.answers(points)
    except DiagnosticsError as error:
        return error
    return None
