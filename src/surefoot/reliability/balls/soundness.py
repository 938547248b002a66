"""What must hold of a model before failures in balls mean anything, tried on the model itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.adapters import LoadedModel
from surefoot.adapters.answers import is_label
from surefoot.core import Diagnostic, DiagnosticsError, SurefootError, validate
from surefoot.core.validate import FloatArray
from surefoot.documents import counted, listed
from surefoot.reliability.balls.frame import BYTE, WHERE, Frame
from surefoot.reliability.local_risk import Classifier
from surefoot.reliability.rare_events.devices import halved_on_memory_error
from surefoot.reliability.rare_events.margins import saturated


def require_sound_model(
    model: LoadedModel,
    frame: Frame,
    *,
    answers: NDArray[Any] | None = None,
    classes: Sequence[str] = (),
    seed: int = 0,
) -> tuple[Diagnostic, ...]:
    """Raise where a model would make results wrong, and say what else is worth knowing.

    It must take inputs of this shape, give finite scores all over some balls, and answer an input the same way each
    time and in any batch. ``answers`` are those at all centres where they are at hand, ``classes`` the names of
    the model's columns.
    """
    seed = validate.seed(seed, where=WHERE)
    require_accepted_shape(model, frame)
    tried = probes(frame, seed=seed)
    found = finite_answers(model, tried)
    return (
        *training_mode(model),
        *require_repeatable(AnsweredProbes(model, tried, found), seed=seed),
        *saturated(model, found[tried.at_centres] if answers is None else answers),
        *doubtful_layout(model, frame, classes=tuple(classes), seed=seed),
    )


def training_mode(model: LoadedModel) -> tuple[Diagnostic, ...]:
    """A note where parts of a torch module that behave differently in training are in training mode."""
    module = module_of(model)
    if module is None:
        return ()
    from torch.nn.modules import batchnorm, dropout

    kinds = (batchnorm._NormBase, dropout._DropoutNd)
    parts = [name or "the module" for name, p in module.named_modules() if p.training and isinstance(p, kinds)]
    if not parts:
        return ()
    count = counted(len(parts), "part")
    return (
        Diagnostic(
            "model-training-mode",
            f"{count} of the module, {parts[0]!r} first, were in training mode; it was run in evaluation mode.",
            "note",
            model.name,
            "Call eval() on it to say that this is meant.",
        ),
    )


# Whether the model answers the same input the same way, asked again or beside other inputs.

ROUNDING = 1e-4
"""Of the size of scores: more than single precision loses."""
COARSE = 1e-2
"""Of the size of scores: more than half precision, or convolutions with rounded products, lose."""
SMALL_BATCH = 37
ALONE = 4
HALF_BYTES = 2


def require_repeatable(asked: AnsweredProbes, *, seed: int) -> tuple[Diagnostic, ...]:
    """Answers agree with those given again, in another order, in smaller batches and alone.

    Small differences between batches come from kernels that round coarsely: a caveat.
    """
    count = len(asked.tried)
    _require_same_twice(asked)
    order = np.random.default_rng(seed).permutation(count)
    small = max(1, min(SMALL_BATCH, count // 4))
    gaps = np.maximum(asked.again(order, small), _alone(asked, order[:ALONE]))
    worst = float(gaps.max())
    if worst > COARSE:
        found = f"answers at {int((gaps > COARSE).sum()):,} of {count:,} points change with the rest of their batch"
        raise _batch_dependent(asked, f"{found}; most for {asked.tried.place(int(gaps.argmax()))}")
    return (_coarse(asked, worst),) if worst > asked.rounding else ()


@dataclass(frozen=True, eq=False)
class AnsweredProbes:
    """A model and what it answered at some points, to be compared with what it answers later."""

    model: LoadedModel
    tried: Probes
    answers: NDArray[Any]

    def again(self, order: NDArray[np.int64], size: int) -> FloatArray:
        """Gaps to the answers that are given in that order and in batches of that size."""
        gaps = np.zeros(len(self.tried))
        for part in batches(len(order), size):
            at = order[part]
            gaps[at] = self._gaps(at, answered(self.model, self.tried.points[at]))
        return gaps

    def _gaps(self, at: NDArray[np.int64], later: NDArray[Any]) -> FloatArray:
        """Largest difference of each point's scores, relative to their size; labels are equal or not."""
        before = self.answers[at]
        if before.shape != later.shape:
            text = f"the model returned {before.shape[1:]} values a row at first, and {later.shape[1:]} later."
            raise DiagnosticsError.of("model-output", text, where=self.model.name)
        if is_label(before, self.model.returns):
            return (before != later).astype(float)
        gaps = np.abs(later.astype(float) - before).reshape(len(at), -1).max(axis=1)
        sizes = np.abs(self.answers).reshape(len(self.tried), -1).max(axis=1)
        scale = np.maximum(sizes[at], np.median(sizes))
        return np.divide(gaps, scale, out=gaps, where=scale > 0)

    @property
    def rounding(self) -> float:
        """How much of the size of scores their rounding may take."""
        module = module_of(self.model)
        weights = module.parameters() if module is not None else ()
        half = self.answers.dtype == np.float16 or any(weight.dtype.itemsize == HALF_BYTES for weight in weights)
        return COARSE if half else ROUNDING


def module_of(model: LoadedModel) -> Any:
    """The torch module behind a model, None where there is none."""
    torch = sys.modules.get("torch")
    return model.source if torch is not None and isinstance(model.source, torch.nn.Module) else None


def _require_same_twice(asked: AnsweredProbes) -> None:
    count = len(asked.tried)
    differing = np.flatnonzero(asked.again(np.arange(count), BATCH) > asked.rounding)
    if differing.size:
        raise DiagnosticsError.of(
            "model-random",
            f"answers at {differing.size:,} of {count:,} points change between identical calls, first for "
            f"{asked.tried.place(int(differing[0]))}.",
            where=asked.model.name,
            hint="Switch off chance inside the model: call eval() on a module that a function wraps, and give "
            "training=False to functional dropout.",
        )


def _alone(asked: AnsweredProbes, numbers: NDArray[np.int64]) -> FloatArray:
    """Gaps of a few points that are asked one by one; the model must be able to answer that."""
    try:
        return asked.again(numbers, 1)
    except DiagnosticsError as error:
        found = f"batches are answered, and a single input is not: {error.diagnostics[0].text.rstrip('.')}"
        raise _batch_dependent(asked, found) from error


def _batch_dependent(asked: AnsweredProbes, found: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-batch-dependent",
        f"{found}.",
        where=asked.model.name,
        hint="Batch normalisation must use its running statistics: call eval() on a module that a function wraps, and "
        "leave track_running_stats on.",
    )


def _coarse(asked: AnsweredProbes, gap: float) -> Diagnostic:
    return Diagnostic(
        "model-batch-dependent",
        f"scores change by up to {gap:.1g} of their size with the rest of their batch.",
        where=asked.model.name,
        hint="Rounding is coarse: torch.backends.cudnn.allow_tf32 = False makes convolutions on a GPU precise.",
    )


# Points in and at the edge of balls, at which the model is tried.

PROBED_ROWS = 200
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
    most = min(PROBED_ROWS, max(2, MOST_NUMBERS // (len(KINDS) * frame.rows.shape[1])))
    chosen = np.sort(rng.choice(len(frame), min(len(frame), most), replace=False))
    low, high = frame.balls.corners(chosen)
    inside = low + (high - low) * rng.random(low.shape)
    corner = np.where(rng.random(low.shape) < 0.5, low, high)
    tried = [_features_at(frame, chosen, places) for places in (inside, corner, low, high)]
    points = np.concatenate([part.astype(frame.rows.dtype) for part in (frame.rows[chosen], *tried)])
    kinds = np.repeat(np.arange(len(KINDS)), len(chosen))
    return Probes(points.reshape(-1, *frame.shape), np.tile(chosen, len(KINDS)), kinds)


def _features_at(frame: Frame, chosen: NDArray[np.int64], places: FloatArray) -> NDArray[np.floating]:
    """The inputs that a place of each chosen ball stands for, as rows."""
    if frame.variation is None:
        return places
    balls = frame.balls
    rows = [balls.inputs_at(int(ball), place[None]) for ball, place in zip(chosen, places, strict=True)]
    return np.concatenate(rows).reshape(len(chosen), -1)


def finite_answers(model: LoadedModel, tried: Probes) -> NDArray[Any]:
    """Answers at all points; an error names the first point that has none, or none that are finite."""
    answers = []
    for part in batches(len(tried), BATCH):
        try:
            answers.append(answered(model, tried.points[part]))
        except DiagnosticsError as error:
            raise _placed(error, model, tried, part) from error
    return _joined(answers, model)


def answered(model: LoadedModel, points: NDArray[Any]) -> NDArray[Any]:
    """Answers in one batch, or in smaller ones where memory is short."""
    return halved_on_memory_error(
        lambda size: _joined([model.answers(points[part]) for part in batches(len(points), size)], model), len(points)
    )


def batches(count: int, size: int) -> Iterator[slice]:
    """Slices of at most ``size`` that cover ``count`` rows."""
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


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


# Whether inputs come in the shape, order of channels and scale that the model was made for.

FEW = 3
COMPARED_ROWS = 500
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
    some = np.random.default_rng(seed).choice(count, min(count, COMPARED_ROWS), replace=False)
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
