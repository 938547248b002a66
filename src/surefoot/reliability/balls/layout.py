"""Whether inputs come in the shape, order of channels and scale that the model was made for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from surefoot.adapters import LoadedModel
from surefoot.core import Diagnostic, DiagnosticsError, SurefootError
from surefoot.reliability.balls.inputs import BYTE, Frame
from surefoot.reliability.balls.probes import BATCH, batches
from surefoot.reliability.classifier import Classifier

FEW = 3
MOST_ROWS = 500
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
    some = np.random.default_rng(seed).choice(count, min(count, MOST_ROWS), replace=False)
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
