"""The inputs that balls are drawn around, checked once: numbers in their range, a label each, a radius that fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Check, Diagnostic, InvalidInput, validate
from surefoot.core.assumption import Status
from surefoot.corruptions.variation import Variation
from surefoot.profile import radius_check, separation
from surefoot.profile.input_arrays import as_labels
from surefoot.reliability.rare_events.problem import Balls, VariedBalls

WHERE = "assess_balls"
BLOCK = 1 << 20
"""Numbers that are looked at together."""
SINGLE = ("bool", "int8", "uint8", "int16", "uint16", "float16", "float32")
"""Types whose numbers single precision holds exactly."""
BYTE = 255
ROUNDING = 1e-5
MOST_ROWS = 20_000
TRIED = 8
"""Inputs that a variation is tried on."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Labelled inputs as rows of features, the range of their values and the radius of the balls around them."""

    rows: NDArray[np.floating]
    shape: tuple[int, ...]
    """Of one input as the model takes it."""
    labels: NDArray[Any]
    radius: float
    low: float = 0.0
    high: float = 1.0
    caveats: tuple[Diagnostic, ...] = field(default=())
    variation: Variation | None = None
    """What operation makes of an input, in place of noise within the radius."""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def balls(self) -> Balls:
        """A ball around every input."""
        if self.variation is not None:
            return VariedBalls(self.rows, 0.0, self.shape, self.low, self.high, variation=self.variation)
        return Balls(self.rows, self.radius, self.shape, self.low, self.high)

    def inputs(self, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.floating]:
        """The chosen inputs in the shape that the model takes."""
        return self.rows[chosen].reshape(-1, *self.shape)


def ball_inputs(
    X: Any,
    y: Any,
    *,
    radius: float | None,
    variation: Variation | None = None,
    input_range: Sequence[float] = (0, 1),
) -> Frame:
    """Inputs of any shape, one label each, and the radius of the balls around them or their variation, all checked.

    Single and double precision stay as they are, without a copy; small whole numbers become single precision.
    Nothing is scaled: inputs outside ``input_range`` are refused.
    """
    low, high = _range(input_range)
    if (radius is None) == (variation is None):
        found = "neither" if radius is None else "both"
        remedy = "Say radius=0.1 for noise of every value, or within={'rotation': {'angle': [-15, 15]}}."
        raise InvalidInput("needs either a radius or a variation, within=", where=WHERE, found=found, remedy=remedy)
    reach = 0.0 if radius is None else _radius(radius, high - low)
    inputs = _inputs(X)
    labels = _labels(y, inputs.shape)
    rows = inputs.reshape(len(inputs), -1)
    _require_inside(rows, low, high)
    floats = rows.astype(_float_type(rows), copy=False)
    frame = Frame(floats, inputs.shape[1:], labels, reach, low, high, _contradictions(floats, labels), variation)
    if variation is not None:
        _require_repeatable(frame)
    return frame


def _require_repeatable(frame: Frame) -> None:
    """A variation follows from its place alone: nothing else may be drawn at random."""
    variation = frame.variation
    assert variation is not None
    rows = np.unique(np.linspace(0, len(frame) - 1, min(len(frame), TRIED)).astype(int))
    places = np.random.default_rng(0).random((len(rows), variation.dimensions))
    once, again = (variation.varied(frame.inputs(rows), places, low=frame.low, high=frame.high) for _ in range(2))
    if not np.array_equal(once, again):
        remedy = "Let it draw from rngs=, a generator for each input, and from nothing else."
        raise InvalidInput("varies the same input otherwise the second time", where=str(variation), remedy=remedy)


def _range(given: Sequence[float]) -> tuple[float, float]:
    pair = validate.numbers(given, where=WHERE, name="input_range")
    if pair.shape != (2,) or not pair[0] < pair[1]:
        raise InvalidInput(
            "input_range must be the lowest and the highest value of a feature",
            where=WHERE,
            found=repr(given),
            remedy="Use for example (0, 1).",
        )
    return float(pair[0]), float(pair[1])


def _radius(radius: float, width: float) -> float:
    checked = validate.positive(radius, where=WHERE, name="radius")
    if not checked < width:
        raise InvalidInput(
            f"radius must be below the width of the input range, {width:g}",
            where=WHERE,
            found=f"{checked:g}",
            remedy="Give it in the units of X: of bytes, 0.1 of the range is 25.5.",
        )
    return checked


def _inputs(X: Any) -> NDArray[Any]:
    """An array of real numbers with a row for each input and at least one feature."""
    try:
        array = np.asarray(X.detach().cpu() if hasattr(X, "detach") else X)
    except (TypeError, ValueError) as error:
        raise _no_inputs(f"a {type(X).__name__} that is no array") from error
    if np.ma.is_masked(X):
        raise _no_inputs("masked entries")
    if array.dtype.kind not in "buif":
        raise _no_inputs(f"values of type {array.dtype}")
    if array.ndim < 2 or 0 in array.shape:
        raise _no_inputs(f"shape {array.shape}")
    return array


def _no_inputs(found: str) -> InvalidInput:
    return InvalidInput(
        "X must hold numbers, with one row or picture for each input",
        where=WHERE,
        found=found,
        remedy="Use shape (n, features), (n, height, width), (n, channels, height, width) or (n, height, width, "
        "channels).",
    )


def _labels(y: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    if y is None:
        raise InvalidInput("y must hold the true label of each input", where=WHERE, found="None")
    labels = as_labels(y.detach().cpu() if hasattr(y, "detach") else y, where=WHERE)
    if len(labels) != shape[0]:
        raise InvalidInput(
            "X and y must have the same length",
            where=WHERE,
            found=f"X of shape {shape}, {len(labels):,} labels",
            remedy="Use X[None] for a single input." if len(labels) == 1 else "Give one label for each input.",
        )
    return labels


def _float_type(rows: NDArray[Any]) -> type[np.floating[Any]]:
    return np.float32 if rows.dtype.name in SINGLE else np.float64


def _blocks(rows: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    step = max(1, BLOCK // rows.shape[1])
    return ((start, rows[start : start + step]) for start in range(0, len(rows), step))


def _require_inside(rows: NDArray[Any], low: float, high: float) -> None:
    """All values are numbers of the range; NaN is neither above nor below anything."""
    for start, block in _blocks(rows):
        if not (block.min() >= low and block.max() <= high):
            row, column = np.argwhere(~((block >= low) & (block <= high)))[0]
            raise _refused(rows, start + int(row), float(block[row, column]), low, high)


def _refused(rows: NDArray[Any], row: int, value: float, low: float, high: float) -> InvalidInput:
    if not np.isfinite(value):
        remedy = "Remove or repair these inputs and say so in the report."
        return InvalidInput("X must be finite", where=WHERE, found=f"{value} in row {row}", remedy=remedy)
    least, most = float(np.nanmin(rows)), float(np.nanmax(rows))
    return InvalidInput(
        f"values of X must lie in the input range [{low:g}, {high:g}]",
        where=WHERE,
        found=f"values from {least:.9g} to {most:.9g}, row {row} has {value:.9g} first",
        remedy=_how_to_fit(least, most, low, high),
    )


def _how_to_fit(least: float, most: float, low: float, high: float) -> str:
    """What most likely happened to inputs that leave their range."""
    slack = ROUNDING * (high - low)
    if least >= low - slack and most <= high + slack:
        return f"That is rounding: use X.clip({low:g}, {high:g})."
    if (low, high) == (0, 1) and least >= 0 and most <= BYTE:
        return f"Divide X by {BYTE}, or say input_range=(0, {BYTE}) where the model takes bytes."
    if (low, high) == (0, 1) and least >= -1 and most <= 1:
        return "Say input_range=(-1, 1), the range that the model takes."
    return "Put standardisation into the model, or say input_range=(lowest, highest) as the model takes it."


def _contradictions(rows: NDArray[np.floating], labels: NDArray[Any]) -> tuple[Diagnostic, ...]:
    """A caveat where equal inputs have different labels."""
    first: dict[bytes, int] = {}
    pairs: list[tuple[int, int]] = []
    for start, block in _blocks(rows):
        for row, content in enumerate(block + block.dtype.type(0), start):  # -0.0 becomes 0.0
            earlier = first.setdefault(blake2b(content.tobytes(), digest_size=16).digest(), row)
            if labels[earlier] != labels[row]:
                pairs.append((earlier, row))
    if not pairs:
        return ()
    one, other = pairs[0]
    text = f"{len(pairs):,} inputs equal an earlier one and have another label, rows {one} and {other} first"
    found = " and ".join(map(repr, labels[[one, other]].tolist()))
    hint = "No model answers both right. Correct the labels, or leave these inputs out and say so."
    return (Diagnostic("contradictory-labels", f"{text}: {found}.", where=WHERE, hint=hint),)


def radius_against_separation(
    frame: Frame, radius: float | None = None, *, most_rows: int | None = MOST_ROWS, seed: int = 0
) -> Check:
    """The radius, by default that of the frame, against half the smallest distance between inputs of different labels.

    Of more than ``most_rows`` inputs, as many are drawn. Their smallest distance is at least that of all: it can speak
    against the radius and not for it. ``most_rows=None`` compares all.
    """
    size = frame.radius if radius is None else radius
    most = len(frame) if most_rows is None else validate.count(most_rows, where=WHERE, name="most_rows", at_least=2)
    rows = np.arange(len(frame))
    if len(frame) > most:
        rows = np.sort(np.random.default_rng(seed).choice(len(frame), most, replace=False))
    if np.unique(frame.labels[rows]).size < 2:
        return Check("unchecked", f"all {len(rows):,} inputs have one label", {"radius": size, "rows": len(rows)})
    return _measured(frame, size, rows)


def _measured(frame: Frame, size: float, rows: NDArray[np.int64]) -> Check:
    gap = separation(frame.rows if len(rows) == len(frame) else frame.rows[rows], frame.labels[rows])
    check = radius_check(size, gap)
    first, second = (int(row) for row in rows[list(gap.pair)])
    figures = {**check.figures, "rows": len(rows), "of_rows": len(frame), "first": first, "second": second}
    remedy = f"radii below {gap / 2:.4g} would do" if gap else "no radius would do"
    words = f"{check.method}, between rows {first} and {second}; {remedy}"
    if len(rows) == len(frame):
        return replace(check, method=words, figures=figures)
    status: Status = "contradicted" if check.status == "contradicted" else "unchecked"
    words += f", as far as {len(rows):,} of {len(frame):,} inputs can tell"
    return Check(status, words, figures, check.effect)
