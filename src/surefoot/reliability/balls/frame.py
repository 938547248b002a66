"""The inputs that balls are drawn around, checked once: numbers in their range, a label each, a radius that fits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.adapters import LoadedModel
from surefoot.core import Check, Diagnostic, DiagnosticsError, InvalidInput, SurefootError, validate
from surefoot.core.assumption import Status
from surefoot.documents import listed
from surefoot.profile import radius_check, separation
from surefoot.profile.input_arrays import as_labels
from surefoot.reliability.local_risk import Classifier
from surefoot.reliability.rare_events.devices import halved_on_memory_error
from surefoot.reliability.rare_events.problem import Balls

WHERE = "assess_balls"
BLOCK = 1 << 20
"""Numbers that are looked at together."""
SINGLE = ("bool", "int8", "uint8", "int16", "uint16", "float16", "float32")
"""Types whose numbers single precision holds exactly."""
BYTE = 255
ROUNDING = 1e-5


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

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def balls(self) -> Balls:
        """A ball around every input."""
        return Balls(self.rows, self.radius, self.shape, self.low, self.high)

    def inputs(self, chosen: NDArray[np.int64] | slice = slice(None)) -> NDArray[np.floating]:
        """The chosen inputs in the shape that the model takes."""
        return self.rows[chosen].reshape(-1, *self.shape)


def ball_inputs(X: Any, y: Any, *, radius: float, input_range: Sequence[float] = (0, 1)) -> Frame:
    """Inputs of any shape, one label each, and the radius of the balls around them, all checked.

    Single and double precision stay as they are, without a copy; small whole numbers become single precision.
    Nothing is scaled: inputs outside ``input_range`` are refused.
    """
    low, high = _range(input_range)
    reach = _radius(radius, high - low)
    inputs = _inputs(X)
    labels = _labels(y, inputs.shape)
    rows = inputs.reshape(len(inputs), -1)
    _require_inside(rows, low, high)
    floats = rows.astype(_float_type(rows), copy=False)
    return Frame(floats, inputs.shape[1:], labels, reach, low, high, _contradictions(floats, labels))


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


# Whether balls are small enough to hold one label.

MOST_ROWS = 20_000


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


# Whether inputs come in the shape, order of channels and scale that the model was made for.

FEW = 3
LAYOUT_MOST_ROWS = 500
SIGNIFICANCE = 1e-3
GAIN = 0.05
COLOURS = 3
MOST_CHANNELS = 4
NOT_ACCEPTED = ("model-raised", "data-type")

Change = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True)
class Alternative:
    """Another way to lay out inputs: code that does it, and a function."""

    code: str
    change: Change
    errors_left: float = 0.6
    """At most this share of the errors remains where the way as given is in doubt; models that know nothing get by."""


def require_accepted_shape(model: LoadedModel, frame: Frame) -> None:
    """The model answers inputs of this shape; where it does not, an error says which shape it takes."""
    few = frame.inputs(slice(FEW))
    try:
        model.answers(few)
    except DiagnosticsError as error:
        taken = [way for way in reshaped(frame.shape) if _accepts(model, way.change(few))]
        if error.diagnostics[0].code not in NOT_ACCEPTED or not taken:
            raise
        shapes = " or ".join(str(way.change(few).shape[1:]) for way in taken)
        raise DiagnosticsError.of(
            "input-layout",
            f"inputs have shape {frame.shape}, and the model takes {shapes}: {error.diagnostics[0].text}",
            where=model.name,
            hint=f"Use {' or '.join(way.code for way in taken)}.",
        ) from error


def doubtful_layout(
    model: LoadedModel, frame: Frame, *, classes: tuple[str, ...] = (), seed: int
) -> tuple[Diagnostic, ...]:
    """A caveat for each way to lay out inputs that would make the model much more accurate.

    The two are compared on the same inputs by the exact test of McNemar (1947).
    """
    rows = _with_every_label(frame.labels, seed)
    given: Any = frame.inputs(rows)
    try:
        classifier, truth = Classifier.of(model, given, frame.labels[rows], classes=classes)
    except SurefootError:  # of labels and classes, of which the assessment says more
        return ()
    right = _right(classifier, given, truth)
    ways = [*transposed(frame.shape), *_recoloured(frame.shape), *_rescaled(frame)]
    found = (_better(way, right, _right(classifier, way.change(given), truth), model.name) for way in ways)
    return tuple(caveat for caveat in found if caveat)


def reshaped(shape: tuple[int, ...]) -> Iterator[Alternative]:
    """Other shapes of the same numbers that models of pictures take."""
    yield from transposed(shape)
    if len(shape) == 1:
        yield from _unfolded(shape[0])
    if len(shape) == 2:
        yield Alternative("X[:, None]", lambda X: X[:, None])
        yield Alternative("X[..., None]", lambda X: X[..., None])
    if len(shape) > 1:
        yield Alternative("X.reshape(len(X), -1)", lambda X: X.reshape(len(X), -1))


def transposed(shape: tuple[int, ...]) -> Iterator[Alternative]:
    """Channels last where they are first, and the other way round; they are the shorter of the two axes."""
    if len(shape) == 3 and shape[-1] <= shape[0]:
        yield Alternative("X.transpose(0, 3, 1, 2)", lambda X: X.transpose(0, 3, 1, 2))
    if len(shape) == 3 and shape[0] <= shape[-1]:
        yield Alternative("X.transpose(0, 2, 3, 1)", lambda X: X.transpose(0, 2, 3, 1))


def _unfolded(features: int) -> Iterator[Alternative]:
    for channels in range(1, MOST_CHANNELS + 1):
        side = isqrt(features // channels)
        if side > 1 and channels * side**2 == features:
            yield _unfolding(channels, side, side)
            yield _unfolding(side, side, channels)


def _unfolding(*shape: int) -> Alternative:
    return Alternative(f"X.reshape(len(X), {str(shape)[1:-1]})", lambda X: X.reshape(len(X), *shape))


def _recoloured(shape: tuple[int, ...]) -> Iterator[Alternative]:
    """Blue, green, red for red, green, blue."""
    if len(shape) == 3 and shape[0] == COLOURS:
        yield Alternative("X[:, ::-1]", lambda X: X[:, ::-1], errors_left=1.0)
    elif len(shape) == 3 and shape[-1] == COLOURS:
        yield Alternative("X[..., ::-1]", lambda X: X[..., ::-1], errors_left=1.0)


def _rescaled(frame: Frame) -> Iterator[Alternative]:
    if (frame.low, frame.high) == (0, 1):
        yield Alternative(f"{BYTE} * X", lambda X: BYTE * X)
        yield Alternative("2 * X - 1", lambda X: 2 * X - 1)
    if (frame.low, frame.high) == (0, BYTE):
        yield Alternative(f"X / {BYTE}", lambda X: X / BYTE)
    yield Alternative("(X - X.mean()) / X.std()", lambda X: (X - X.mean()) / (X.std() or 1))


def _with_every_label(labels: NDArray[Any], seed: int) -> NDArray[np.int64]:
    """Some rows at random, and one of each label."""
    count = len(labels)
    some = np.random.default_rng(seed).choice(count, min(count, LAYOUT_MOST_ROWS), replace=False)
    return np.union1d(some, np.unique(labels, return_index=True)[1])


def _accepts(model: LoadedModel, inputs: NDArray[Any]) -> bool:
    try:
        model.answers(inputs)
    except DiagnosticsError:
        return False
    return True


def _right(classifier: Classifier, inputs: NDArray[Any], truth: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which answers are right; none where the model does not take such inputs."""
    try:
        return np.concatenate([classifier(inputs[part]) for part in batches(len(truth), BATCH)]) == truth
    except DiagnosticsError:
        return np.zeros(len(truth), dtype=bool)


def _better(way: Alternative, given: NDArray[np.bool_], other: NDArray[np.bool_], name: str) -> Diagnostic | None:
    accuracy, changed = float(given.mean()), float(other.mean())
    fewer = changed - accuracy > GAIN and 1 - changed <= way.errors_left * (1 - accuracy)
    if not fewer or mcnemar(given, other) >= SIGNIFICANCE:
        return None
    return Diagnostic(
        "input-layout",
        f"{accuracy:.1%} of {len(given):,} inputs are answered right as given, and {changed:.1%} with {way.code}.",
        where=name,
        hint=f"If the model was made for such inputs, give it {way.code} or put that step into the model.",
    )


def mcnemar(one: NDArray[np.bool_], other: NDArray[np.bool_]) -> float:
    """Two-sided exact p-value that both are right equally often (McNemar 1947): a sign test of those that differ."""
    won, lost = int((one & ~other).sum()), int((other & ~one).sum())
    return float(min(1.0, 2 * special.bdtr(min(won, lost), won + lost, 0.5)))


# Points in and at the edge of balls, at which a model is tried before anything is estimated.

PROBES_MOST_ROWS = 200
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
    most = min(PROBES_MOST_ROWS, max(2, MOST_NUMBERS // (len(KINDS) * frame.rows.shape[1])))
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
