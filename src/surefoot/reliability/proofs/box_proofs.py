"""Proofs that a network gives one answer, or no undesired one, in a whole box: cheap bounds first, then dearer ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import as_model
from surefoot.core import Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.local_risk import (
    PROVED,
    Boxes,
    LocalEstimator,
    LocalProblem,
    LocalRisk,
    Progress,
    cell_estimator,
)
from surefoot.reliability.proofs.layers import Range
from surefoot.reliability.proofs.linear_bounds import (
    NUMBERS,
    Network,
    Plane,
    Step,
    deviation,
    interval_ranges,
    linear_ranges,
    step_of,
)
from surefoot.reliability.proofs.model_conversion import REMEDY, WHERE, read_network

PATIENCE = 64
"""Boxes that linear bounds are tried on before they are given up."""
METHODS = ("linear", "interval")
ASKED = 64
"""Points at which a model is asked whether it answers as its layers say."""
MOST_BOXES = 4096
MOST_CORNERS = 1 << 22
"""Corners of all pieces of a batch, at most."""
MOST_SPLITS = 20
OPEN = -1
"""The answer of a box for which none is proved."""
BLOCKS = (64, 8)
"""Boxes in a row that are first looked at as one: on a grid they are neighbours."""


def _monte_carlo() -> LocalEstimator:
    from surefoot.reliability.monte_carlo import MonteCarlo

    return MonteCarlo()


@cell_estimator("interval")
@dataclass(frozen=True)
class Interval:
    """Bounds the scores of a perceptron or a small convolutional network over whole cells or balls.

    A box is proved when one class beats all others everywhere inside, whatever the distribution there, for the scores
    as the model computes them in its own precision. Scores are continuous, so two answers inside a box always leave
    some piece unproved: such a box goes whole to another estimator.

    Parameters
    ----------
    otherwise
        Estimator for boxes that are not proved; by default ``MonteCarlo()``.
    splits
        How often a cell that is not proved is halved.
    method
        ``"linear"``, or the faster, wider ``"interval"``.

    References
    ----------
    Zhang et al. (2018), CROWN; Singh et al. (2019), DeepPoly; Gowal et al. (2018) for ``"interval"``.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.linear_model import LogisticRegression
    >>> inputs = np.random.default_rng(0).random((200, 2))
    >>> labels = (inputs.sum(axis=1) > 1).astype(int)
    >>> model = LogisticRegression().fit(inputs, labels)
    >>> found = sf.reliability.assess_cells(
    ...     model, inputs, labels, side=0.1, domain=(0, 1), profile=sf.profile.KDE(0.1),
    ...     estimator=sf.reliability.Interval(sf.reliability.MonteCarlo(100)))
    >>> int((found.cells["how"] == sf.reliability.LocalRisk.PROVED).sum()), len(found.cells)
    (81, 100)

    """

    otherwise: LocalEstimator = field(default_factory=_monte_carlo)
    splits: int = 4
    method: str = "linear"

    def __post_init__(self) -> None:
        validate.choice(self.method, METHODS, where=WHERE, name="method")
        if validate.count(self.splits, where=WHERE, name="splits") > MOST_SPLITS:
            raise InvalidInput(f"splits must be at most {MOST_SPLITS}", where=WHERE, found=repr(self.splits))

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes: 0 and 1 where proved, else as ``otherwise`` finds."""
        network = _fitting(read_network(problem.model), problem)
        answers = self._answers(network, problem, executor=executor, seed=seed, progress=_part(progress, problem, 0))
        left = np.flatnonzero(answers == OPEN)
        found = _certain(problem, answers)
        if left.size:
            boxes, told = SomeBoxes(problem.boxes, left), _part(progress, problem, 1)
            some = replace(problem, boxes=boxes, labels=problem.labels[left], weights=problem.weights[left])
            rest = self.otherwise.estimate(some, executor=executor, seed=seed, progress=told)
            for name in ("shares", "labels", "trials", "how"):
                getattr(found, name)[left] = getattr(rest, name)
        if progress:
            progress(len(answers), len(answers))
        return found

    def _answers(
        self, network: Network, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None
    ) -> NDArray[np.int64]:
        """The only answer in each box, or ``OPEN``."""
        size = max(1, min(MOST_BOXES, MOST_CORNERS // (network.inputs << self.splits)))
        prove = partial(_prove, method=self, network=network, boxes=problem.boxes, decide=problem.decide)
        found = executor.map(prove, list(problem.slices(size)), seed=seed, progress=progress)
        return np.concatenate([np.empty(0, dtype=np.int64), *found])


def _prove(
    chosen: slice,
    rng: np.random.Generator,
    *,
    method: Interval,
    network: Network,
    boxes: Boxes,
    decide: Callable[[FloatArray], NDArray[np.int64]],
) -> NDArray[np.int64]:
    """The answers proved in a batch of boxes, with the model asked in the middle of each."""
    lower, upper = boxes.corners(chosen)
    require_same_answers(network, decide, lower + (upper - lower) / 2)
    return proved_answers(network, lower, upper, splits=method.splits, method=method.method)


def _fitting(network: Network, problem: LocalProblem) -> Network:
    takes, gives = (network.inputs, network.outputs), (problem.boxes.dimensions, problem.classes)
    if takes != gives:
        raise InvalidInput(
            f"the model takes {takes[0]} features and tells {takes[1]} classes apart",
            where=WHERE,
            found=f"boxes with {gives[0]} features, and {gives[1]} classes",
            remedy="Give the domain for the features, and labels of the classes, that the model was trained on.",
        )
    return network


def _certain(problem: LocalProblem, answers: NDArray[np.int64]) -> LocalRisk:
    """The proved shares; rows of open boxes are to be filled."""
    shares = (answers[:, None] == np.arange(problem.classes)).astype(float)
    how = np.full(len(answers), PROVED, dtype=np.uint8)
    return LocalRisk(shares, LocalRisk.voted(problem.labels, shares), np.zeros(len(answers), dtype=np.int64), how)


@dataclass(frozen=True, eq=False)
class SomeBoxes:
    """Some of many boxes."""

    boxes: Boxes
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def dimensions(self) -> int:
        """Number of features."""
        return self.boxes.dimensions

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen ones."""
        return self.boxes.corners(self.numbers[chosen])


def _part(progress: Progress | None, problem: LocalProblem, part: int) -> Progress | None:
    """Progress of the first or second half of the work."""
    count = len(problem.boxes)
    return progress and (lambda done, total: progress(round(count * (part + done / total) / 2), count))


# Branch and bound: one answer proved for a whole box, or for all pieces that it is cut into.


def proved_answers(
    network: Network, lower: FloatArray, upper: FloatArray, *, splits: int, method: str
) -> NDArray[np.int64]:
    """The answer in each box where it is proved to be the only one, else ``OPEN``.

    A box is cut until all its pieces are proved, a piece has another answer in its middle, or ``splits`` cuts lie
    behind it.
    """
    answers = _proved_in_blocks(network, lower, upper, method)
    left = np.flatnonzero(answers == OPEN)
    pieces = Pieces(left, lower[left], upper[left])
    answers[left] = network.decide(pieces.middle)
    for cuts in range(splits + 1):
        pieces = pieces[~proves(network, pieces.lower, pieces.upper, answers[pieces.box], method=method)]
        if cuts == splits or not len(pieces):
            break
        pieces = pieces.halves(network.influence)
        answers[pieces.box[network.decide(pieces.middle) != answers[pieces.box]]] = OPEN
        pieces = pieces[answers[pieces.box] != OPEN]
    answers[pieces.box] = OPEN
    return answers


def _proved_in_blocks(network: Network, lower: FloatArray, upper: FloatArray, method: str) -> NDArray[np.int64]:
    """Answers of boxes that are proved together with their neighbours, by the box around them all."""
    answers = np.full(len(lower), OPEN)
    for size in BLOCKS:
        starts = np.arange(0, len(lower), size)
        starts = starts[answers[starts] == OPEN]
        block = np.minimum(starts[:, None] + np.arange(size), len(lower) - 1)
        around = Pieces(starts, lower[block].min(axis=1), upper[block].max(axis=1))
        found = network.decide(around.middle)
        proved = proves(network, around.lower, around.upper, found, method=method)
        answers[block[proved]] = found[proved, None]
    return answers


@dataclass(frozen=True, eq=False)
class Pieces:
    """Parts of boxes, and the number of the box each belongs to."""

    box: NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray

    def __len__(self) -> int:
        return len(self.box)

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Pieces:
        return Pieces(self.box[chosen], self.lower[chosen], self.upper[chosen])

    @property
    def middle(self) -> FloatArray:
        """A point inside each piece."""
        return self.lower + (self.upper - self.lower) / 2

    def halves(self, influence: FloatArray) -> Pieces:
        """Both halves of each piece, cut across the side along which the network changes most."""
        across = np.arange(len(self)), ((self.upper - self.lower) * influence).argmax(axis=1)
        lower, upper = self.lower.copy(), self.upper.copy()
        lower[across] = upper[across] = self.middle[across]
        corners = np.concatenate([self.lower, lower]), np.concatenate([upper, self.upper])
        return Pieces(np.tile(self.box, 2), *corners)


def require_same_answers(
    network: Network, decide: Callable[[FloatArray], NDArray[np.int64]], points: FloatArray
) -> None:
    """The model decides as its layers say, wherever these are proved clear of rounding."""
    answers = network.decide(points)
    suspects = np.flatnonzero(answers != decide(points))
    wrong = suspects[proves(network, points[suspects], points[suspects], answers[suspects], method="interval")]
    if wrong.size:
        raise InvalidInput(
            "the model does not answer as its layers say",
            where=WHERE,
            found=f"class number {answers[wrong[0]]} only by its layers, at {points[wrong[0]].tolist()}",
            remedy=f"Number classes in the order of the model's outputs, and leave out what changes them. {REMEDY}",
        )


# Boxes of images in which a model is proved to give no undesired answer.


@validate.arguments
def proved_safe(
    model: Any,
    shape: tuple[int, ...],
    lower: FloatArray,
    upper: FloatArray,
    undesired: NDArray[np.bool_],
    labels: NDArray[np.int64],
    *,
    method: str = "linear",
    patience: int = PATIENCE,
) -> NDArray[np.bool_]:
    """Whether no undesired answer is possible anywhere in each box: the true label beats all of them.

    Nothing is proved for a model that cannot be read or does not answer as its layers say. What is not proved is not
    refuted either.

    Parameters
    ----------
    model
        As for ``read_network``.
    shape
        Of one input as the model takes it.
    lower, upper
        Corners of the boxes, rows of flattened features.
    undesired
        Row i says which answers are failures in box i.
    labels
        Number of the true class of each box.
    method
        ``"linear"``, or the faster, wider ``"interval"``.
    patience
        Linear bounds are given up after so many boxes, spread evenly over all, without a proof.

    Returns
    -------
    ndarray
        One truth value for each box.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> from sklearn.linear_model import LogisticRegression
    >>> inputs = np.random.default_rng(0).random((200, 2))
    >>> model = LogisticRegression().fit(inputs, inputs.sum(axis=1) > 1)
    >>> lower, upper = np.array([[0.8, 0.8], [0.4, 0.4]]), np.array([[0.9, 0.9], [0.6, 0.6]])
    >>> sf.reliability.proved_safe(model, (2,), lower, upper, np.array([[True, False]] * 2), np.array([1, 1]))
    array([ True, False])

    """
    network = _network(model, shape)
    fits = network is not None and len(labels) > 0 and undesired.shape == (len(labels), network.outputs)
    if network is None or not fits or not _agrees(network, model, shape, lower, upper):
        return np.zeros(len(labels), dtype=bool)
    return provable(network, lower, upper, labels, method=method, patience=patience, rivals=undesired)


def readable(model: Any, shape: tuple[int, ...]) -> bool:
    """Whether proofs can be tried for a model that takes inputs of this shape."""
    return _network(model, shape) is not None


def _network(model: Any, shape: tuple[int, ...]) -> Network | None:
    try:
        return read_network(model, shape)
    except InvalidInput:
        return None


def _agrees(network: Network, model: Any, shape: tuple[int, ...], lower: FloatArray, upper: FloatArray) -> bool:
    """Whether the model scores as its layers say at some points where these are clear of rounding."""
    points = lower[:ASKED] + (upper - lower)[:ASKED] / 2
    answers, found = network.decide(points), as_model(model)(points.reshape(-1, *shape))
    differ = np.flatnonzero(answers != found.argmax(axis=1)) if found.ndim == 2 else np.empty(0, dtype=np.int64)
    return not proves(network, points[differ], points[differ], answers[differ], method="interval").any()


# Whether a class wins in a whole box.


def proves(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    *,
    method: str = "linear",
    rivals: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Whether the class of each box beats its rivals everywhere inside: all other classes, unless they are named."""
    boxes = _boxes(network, lower, upper, classes, rivals)
    proved = boxes.proved_by_intervals()
    left = np.flatnonzero(~proved)
    if method == "linear":
        proved[left] = boxes.some(left).proved_by_planes()
    return proved


def provable(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    *,
    method: str = "linear",
    patience: int = PATIENCE,
    rivals: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """As ``proves``, but linear bounds are given up after ``patience`` boxes without a proof.

    These are spread evenly over the boxes that intervals leave open. So what is proved may depend on all boxes that
    are asked for together; what is not proved is not refuted either.
    """
    boxes = _boxes(network, lower, upper, classes, rivals)
    proved = boxes.proved_by_intervals()
    left = np.flatnonzero(~proved)
    first = np.unique(np.linspace(0, len(left) - 1, min(patience, len(left))).astype(int))
    for chosen in (left[first], np.delete(left, first)):
        if method == "linear":
            proved[chosen] = boxes.some(chosen).proved_by_planes()
        if not proved[chosen].any():
            break
    return proved


def _boxes(
    network: Network,
    lower: FloatArray,
    upper: FloatArray,
    classes: NDArray[np.int64],
    rivals: NDArray[np.bool_] | None,
) -> _Boxes:
    others = classes[:, None] != np.arange(network.outputs)
    return _Boxes(network, Range(lower, upper), classes, others if rivals is None else rivals)


@dataclass(frozen=True, eq=False)
class _Boxes:
    network: Network
    box: Range
    classes: NDArray[np.int64]
    rivals: NDArray[np.bool_]

    def some(self, chosen: NDArray[np.int64]) -> _Boxes:
        box = Range(self.box.lower[chosen], self.box.upper[chosen])
        return _Boxes(self.network, box, self.classes[chosen], self.rivals[chosen])

    def proved_by_intervals(self) -> NDArray[np.bool_]:
        return self._clear(self._margins(by_intervals, self.network.outputs))

    def proved_by_planes(self) -> NDArray[np.bool_]:
        """By one plane for each margin, then by planes for all layers, unless the class loses in some corner."""
        if not self.network.tail:
            return np.zeros(len(self.classes), dtype=bool)
        proved = self._clear(self._margins(by_plane, self.network.outputs))
        if self.network.inner:
            left = self.some(np.flatnonzero(~proved))
            proved[~proved] = left._proved_layer_by_layer()
        return proved

    def _proved_layer_by_layer(self) -> NDArray[np.bool_]:
        hopeful = self._clear(self._margins(in_corners, self.network.outputs))
        left = self.some(np.flatnonzero(hopeful))
        hopeful[hopeful] = left._clear(left._margins(by_planes, max(self.network.outputs, self.network.inner)))
        return hopeful

    def _margins(self, find: Margins, rows: int) -> FloatArray:
        return in_batches(find, self.network, self.box, self.classes, rows=rows)

    def _clear(self, margins: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(((margins > self.network.tie) | ~self.rivals).all(axis=1))


# Lower bounds of the margins of a class over the others, on many boxes at once.

Margins = Callable[[Network, Range, NDArray[np.int64]], FloatArray]


def least_margins(
    network: Network, lower: FloatArray, upper: FloatArray, classes: NDArray[np.int64], *, method: str = "linear"
) -> FloatArray:
    """Lower bounds of score of the class of each box minus score of every class, shape (boxes, classes).

    They hold for all inputs of the box and for the scores as the model computes them in its own precision. ``linear``
    bounds are never below ``interval`` ones.
    """
    box = Range(lower, upper)
    if method == "interval" or not network.tail:
        return in_batches(by_intervals, network, box, classes, rows=network.outputs)
    return in_batches(by_planes, network, box, classes, rows=max(network.outputs, network.inner))


def in_batches(margins: Margins, network: Network, box: Range, classes: NDArray[np.int64], *, rows: int) -> FloatArray:
    """Margins of so many boxes at a time that arrays of coefficients, with so many rows a box, stay small."""
    size = max(1, NUMBERS // (rows * network.widest))
    chunks = [slice(start, start + size) for start in range(0, len(classes), size)]
    with np.errstate(over="ignore", invalid="ignore"):
        found = [margins(network, Range(box.lower[c], box.upper[c]), classes[c]) for c in chunks]
    return np.concatenate([np.empty((0, network.outputs)), *found])


def by_intervals(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins by intervals up to the last bent layer (Gowal et al. 2018)."""
    return _least(network, interval_ranges(network, box), classes, (network.tail,))


def by_plane(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins by one substitution through intervals of all layers (Zhang et al. 2020, CROWN-IBP)."""
    return _least(network, interval_ranges(network, box), classes, (network.tail, 0))


def by_planes(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """The best of all margins, with linear bounds for every layer (Zhang et al. 2018, Singh et al. 2019)."""
    ranges = linear_ranges(network, box)
    return np.fmax(by_intervals(network, box, classes), _least(network, ranges, classes, (network.tail, 0)))


def in_corners(network: Network, box: Range, classes: NDArray[np.int64]) -> FloatArray:
    """Margins at the corners that their slopes in the middle lead to (Goodfellow et al. 2015): no bound is above."""
    margins, middle = _margins_of(network, classes), (box.lower + box.upper) / 2
    slopes = Plane.of(margins).behind(_steps(network, interval_ranges(network, Range(middle, middle)), 0))
    corners = slopes.corners(box).reshape(-1, network.inputs)
    return np.asarray(np.einsum("bjk,bjk->bj", margins, network.scores(corners).reshape(margins.shape)))


def _least(network: Network, ranges: list[Range], classes: NDArray[np.int64], firsts: tuple[int, ...]) -> FloatArray:
    """Margins by substitution back to each of these layers."""
    margins = _margins_of(network, classes)
    found = [Plane.of(margins).behind(_steps(network, ranges, first)).lowest(ranges[first]) for first in firsts]
    error = np.einsum("bjk,bk->bj", np.abs(margins), deviation(network, ranges))
    return np.asarray(np.fmax.reduce(found) - error)


def _margins_of(network: Network, classes: NDArray[np.int64]) -> FloatArray:
    """Coefficients of the scores in the margins over every class, (boxes, classes, scores)."""
    own = np.eye(network.outputs)
    return own[classes][:, None, :] - own


def _steps(network: Network, ranges: list[Range], first: int) -> list[Step]:
    return [step_of(layer, inputs) for layer, inputs in zip(network.layers[first:], ranges[first:-1], strict=True)]
