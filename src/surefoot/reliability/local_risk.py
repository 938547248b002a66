"""What every local estimator is asked and answers: how a model decides inside many small boxes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from surefoot.adapters import Data, LoadedModel, as_data, as_model, scored
from surefoot.adapters.answers import is_label, put, score_type, settle
from surefoot.adapters.labels import numbered
from surefoot.core import DiagnosticsError, Executor, InvalidInput, validate
from surefoot.core.registry import Registry
from surefoot.core.validate import FloatArray
from surefoot.documents import printable

# How inputs are distributed inside one box.


@runtime_checkable
class Within(Protocol):
    """A distribution of inputs on each box; ``repr`` shows its parameters.

    See Also
    --------
    UniformInside, NormalInside, ProfileInside

    """

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box, shape (boxes, count, dimensions)."""
        ...

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Probability of the part [low, high] of each box [lower, upper]."""
        ...


@dataclass(frozen=True)
class UniformInside:
    """Every place inside a box is as likely as any other (Assumption 5 of RAM).

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> lower, upper = np.zeros((1, 1)), np.ones((1, 1))
    >>> sf.reliability.UniformInside().share(lower, upper, lower, upper / 4)
    array([0.25])

    """

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        places = rng.random((len(lower), count, lower.shape[1]))
        places *= (upper - lower)[:, None, :]
        places += lower[:, None, :]
        return places

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Volume of the part over volume of the box."""
        return np.asarray(((high - low) / (upper - lower)).prod(axis=1))


@dataclass(frozen=True)
class NormalInside:
    """Inputs gather around the centre of a box: a normal distribution along each side, cut off at the ends.

    Parameters
    ----------
    scale
        Standard deviation as a share of the side.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> lower, upper = np.zeros((1, 1)), np.ones((1, 1))
    >>> sf.reliability.NormalInside(0.2).share(lower, upper, lower, upper / 4).round(3)
    array([0.101])

    """

    scale: float

    def __post_init__(self) -> None:
        validate.positive(self.scale, where="NormalInside", name="scale")

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        low, high = ndtr(-0.5 / self.scale), ndtr(0.5 / self.scale)
        chances = low + (high - low) * rng.random((len(lower), count, lower.shape[1]))
        places = np.clip(0.5 + self.scale * ndtri(chances), 0.0, 1.0)
        return np.asarray(lower[:, None] + places * (upper - lower)[:, None])

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Probability of the part, the product over the sides."""
        ends = [((end - lower) / (upper - lower) - 0.5) / self.scale for end in (low, high)]
        whole = ndtr(0.5 / self.scale) - ndtr(-0.5 / self.scale)
        return np.asarray(((ndtr(ends[1]) - ndtr(ends[0])) / whole).prod(axis=1))


@dataclass(frozen=True)
class ProfileInside:
    """Inputs follow a density, such as that of an operational profile.

    Each side is cut into ``parts``; inside a part of the box the density is taken to be that of its centre. Where it is
    0 everywhere in a box, the distribution is uniform there. Work grows with ``parts`` to the power of the dimensions.

    Parameters
    ----------
    density
        From rows of inputs to one number of at least 0 each; it need not integrate to 1.
    parts
        How many parts each side of a box is cut into.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> lower, upper = np.zeros((1, 1)), np.ones((1, 1))
    >>> sf.reliability.ProfileInside(lambda x: x[:, 0]).share(lower, upper, lower, upper / 2)
    array([0.25])

    """

    density: Callable[[FloatArray], FloatArray]
    parts: int = 4

    def __post_init__(self) -> None:
        validate.count(self.parts, where="ProfileInside", name="parts", at_least=1)

    def draw(self, lower: FloatArray, upper: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
        """``count`` points inside each box."""
        boxes, dimensions = lower.shape
        cumulative = np.cumsum(self._shares(lower, upper), axis=1)[:, None, :-1]
        chosen = (rng.random((boxes, count, 1)) >= cumulative).sum(axis=2)
        steps = np.stack(np.unravel_index(chosen, (self.parts,) * dimensions), axis=2)
        places = (steps + rng.random(steps.shape)) / self.parts
        return np.asarray(lower[:, None] + places * (upper - lower)[:, None])

    def share(self, lower: FloatArray, upper: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Sum over the parts: probability of the part, times the share of it inside [low, high]."""
        boxes, dimensions = lower.shape
        if not boxes:
            return np.empty(0)
        left = self._shares(lower, upper)
        starts = np.arange(self.parts)
        for dimension in range(dimensions):
            begin, end = (
                (at[:, dimension] - lower[:, dimension]) / (upper - lower)[:, dimension] * self.parts
                for at in (low, high)
            )
            covered = np.clip(end[:, None] - starts, 0, 1) - np.clip(begin[:, None] - starts, 0, 1)
            left = np.einsum("ij,ijk->ik", covered, left.reshape(boxes, self.parts, -1))
        return left[:, 0]

    def _shares(self, lower: FloatArray, upper: FloatArray) -> FloatArray:
        """Probability of each part of each box, in C order."""
        boxes, dimensions = lower.shape
        steps = np.indices((self.parts,) * dimensions).reshape(dimensions, -1).T
        centres = lower[:, None] + (steps + 0.5) / self.parts * (upper - lower)[:, None]
        density = np.asarray(self.density(centres.reshape(-1, dimensions)), float)
        if density.shape != (boxes * len(steps),) or not (np.isfinite(density) & (density >= 0)).all():
            raise InvalidInput(
                "the density must be one finite number of at least 0 for each row",
                where="ProfileInside",
                found=f"shape {density.shape} for {boxes * len(steps)} rows, from {density.min()} to {density.max()}",
            )
        shares = density.reshape(boxes, -1)
        total = shares.sum(axis=1, keepdims=True)
        return np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / len(steps))


VOTE = -1
"""The label of a box whose true class nobody knows: the most frequent answer inside takes its place."""
PROVED, EXACT, SAMPLED = 0, 1, 2
KINDS = ("proved", "exact", "sampled")
Progress = Callable[[int, int], None]


class Boxes(Protocol):
    """Many boxes with sides along the axes; corners are computed for those that are asked for."""

    def __len__(self) -> int: ...

    @property
    def dimensions(self) -> int:
        """Number of features."""
        ...

    def corners(self, chosen: NDArray[np.int64] | slice) -> tuple[FloatArray, FloatArray]:
        """Lower and upper corners of the chosen boxes, one row each."""
        ...


@dataclass(frozen=True, eq=False)
class LocalProblem:
    """A model, the boxes to look into, and what counts as a failure there: what a ``LocalEstimator`` is asked.

    ``assess_cells`` makes one; an estimator of your own is tried on problems made by hand.

    Parameters
    ----------
    decide
        From rows of inputs to the numbers of the classes that the model answers; may be sent to other processes.
    model
        The model as it was given, for estimators that look inside.
    classes
        Number of classes.
    boxes
        Many boxes with sides along the axes, such as a ``Grid``.
    labels
        True class of each box, or ``LocalProblem.VOTE``: then the most frequent answer inside takes its place.
    undesired
        ``undesired[truth, answer]`` says whether that answer is a failure; never on the diagonal.
    weights
        What each box weighs in the result, to spend work where it matters.
    within
        Distribution of inputs inside a box.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> def decide(inputs):
    ...     return (inputs[:, 0] > 0.3).astype(int)
    >>> grid = sf.reliability.Grid.of((0, 1), 0.5, dimensions=1)
    >>> problem = sf.reliability.LocalProblem(
    ...     decide, decide, 2, grid, np.array([1, 1]), ~np.eye(2, dtype=bool), np.array([0.5, 0.5]))
    >>> found = sf.reliability.MonteCarlo(1000).estimate(problem, executor=sf.executors.Serial(), seed=0)
    >>> found.risk(problem.undesired).round(1)
    array([0.6, 0. ])

    """

    decide: Callable[[FloatArray], NDArray[np.int64]]
    """Number of the class that the model answers, for each row; may be sent to other processes."""
    model: Any
    """The model as it was given, for estimators that look inside."""
    classes: int
    boxes: Boxes
    labels: NDArray[np.int64]
    """True class of each box, or ``VOTE``."""
    undesired: NDArray[np.bool_]
    """``undesired[truth, answer]``: whether that answer is a failure; never on the diagonal."""
    weights: FloatArray
    """What each box weighs in the result, to spend work where it matters."""
    within: Within = field(default_factory=UniformInside)
    VOTE: ClassVar[int] = VOTE

    def slices(self, size: int) -> Iterator[slice]:
        """The boxes in batches of at most ``size``."""
        count = len(self.boxes)
        return (slice(start, min(start + size, count)) for start in range(0, count, size))


@dataclass(frozen=True, eq=False)
class LocalRisk:
    """What a ``LocalEstimator`` found: how often each class is answered inside each box.

    Parameters
    ----------
    shares
        Share of each answer, one row for each box.
    labels
        True class of each box, votes settled.
    trials
        Points sampled in each box; 0 where the shares are exact.
    how
        ``LocalRisk.PROVED`` (one answer in the whole box), ``EXACT`` (shares computed) or ``SAMPLED``.

    See Also
    --------
    LocalProblem

    """

    shares: FloatArray
    labels: NDArray[np.int64]
    trials: NDArray[np.int64]
    how: NDArray[np.uint8]
    PROVED: ClassVar[int] = PROVED
    EXACT: ClassVar[int] = EXACT
    SAMPLED: ClassVar[int] = SAMPLED

    def risk(self, undesired: NDArray[np.bool_]) -> FloatArray:
        """Probability of an undesired answer inside each box."""
        return np.asarray(np.einsum("ij,ij->i", self.shares, undesired[self.labels], dtype=float))

    @staticmethod
    def voted(labels: NDArray[np.int64], shares: NDArray[Any]) -> NDArray[np.int64]:
        """The labels, with the most frequent answer where nobody knows; the first of several."""
        return np.where(labels == VOTE, shares.argmax(axis=1), labels)


@runtime_checkable
class LocalEstimator(Protocol):
    """Estimates the share of each answer inside each box; ``repr`` shows its parameters.

    It works in batches of boxes handed to the executor, so that the place of the work leaves no trace in the
    result, and tells ``progress`` how many of all boxes are done.

    See Also
    --------
    MonteCarlo, ExactTrees, Interval

    """

    def estimate(
        self, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None = None
    ) -> LocalRisk:
        """Shares of answers in all boxes of the problem."""
        ...


cell_estimator: Registry[Callable[..., LocalEstimator]] = Registry(
    "cell estimator", "surefoot.reliability", "surefoot.reliability.proofs"
)
"""Registers a ``LocalEstimator`` by the name that project files call it."""


# A model as a function from inputs to class numbers, with everything about its output settled beforehand.

BATCH = 1 << 16
VALUES = 1 << 22
"""What the model is given at once, at most: rows, and numbers in all rows."""
TWICE = 1000
"""Rows that are answered twice, to find models that answer differently each time."""


@dataclass(frozen=True, eq=False)
class Classifier:
    """Class numbers for inputs; the same answer for the same input, in any batch."""

    model: LoadedModel
    classes: tuple[str, ...]

    @classmethod
    def of(
        cls, model: Any, inputs: NDArray[np.floating], labels: NDArray[Any], *, classes: Sequence[str] = ()
    ) -> tuple[Classifier, NDArray[np.int64]]:
        """The classifier, and the labels as its class numbers; ``classes`` names the model's columns."""
        data = as_data((inputs, labels), classes=classes)
        settled = _settled(as_model(model), inputs)
        classifier = cls(settled, scored(settled, data, batch_size=_batch(inputs)).classes)
        return classifier, classifier.numbers(labels, where="labels")

    def numbers(self, labels: NDArray[Any], *, where: str) -> NDArray[np.int64]:
        """Labels as numbers of this classifier's classes."""
        return numbered(np.asarray(labels), self.classes, where=where).numbers

    def __call__(self, inputs: NDArray[np.floating]) -> NDArray[np.int64]:
        data = Data("", inputs=inputs, classes=self.classes, classes_listed=True)
        return np.asarray(scored(self.model, data, batch_size=_batch(inputs)).scores.argmax(axis=1))

    def require_deterministic(self, inputs: FloatArray, further: FloatArray | None = None) -> None:
        """The model answers twice, once in reverse order; a difference is an error.

        Rows all over the inputs are asked, and over ``further`` points of the domain: chance may show in parts of it.
        """
        self._require_same_twice(inputs, "row")
        if further is not None:
            self._require_same_twice(further, "further point")

    def _require_same_twice(self, points: FloatArray, name: str) -> None:
        rows = np.sort(np.random.default_rng(0).choice(len(points), min(len(points), TWICE), replace=False))
        differing = np.flatnonzero(self(points[rows]) != self(points[rows[::-1]])[::-1])
        if differing.size:
            first = rows[differing[0]]
            raise DiagnosticsError.of(
                "model-output",
                f"the model answered {differing.size:,} of {len(rows):,} inputs differently the second time, "
                f"{name} {first} first: {printable(points[first].tolist(), 80)}.",
                where=self.model.name,
                hint="Switch off dropout and other chance, and whatever depends on the rest of the batch.",
            )


def _batch(inputs: NDArray[Any]) -> int:
    """Rows that fit beside what a network makes of them on its way."""
    return max(1, min(BATCH, VALUES // max(1, inputs[:1].size)))


def _settled(model: LoadedModel, inputs: NDArray[np.floating]) -> LoadedModel:
    """The model with what it returns decided on all inputs: a batch of scores may look like probabilities."""
    if model.returns is not None:
        return model
    size = _batch(inputs)
    answers = np.concatenate([model.answers(inputs[i : i + size]) for i in range(0, len(inputs), size)])
    if is_label(answers, None):
        return replace(model, returns="label")
    single = answers.ndim == 1
    scores = np.empty((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    return replace(model, returns=settle(scores, single=single, returns=None, usual=model.usual))


# Which answers count as failures.

Undesired = Mapping[Any, Collection[Any]] | None


def undesired_answers(undesired: Undesired, classes: tuple[str, ...]) -> NDArray[np.bool_]:
    """``table[truth, answer]``: all wrong answers, or for the named classes those in their sets U(y).

    A class that is not named has all its wrong answers count; an empty set says that it has none.
    """
    table = ~np.eye(len(classes), dtype=bool)
    if undesired is None:
        return table
    if not isinstance(undesired, Mapping):
        raise _wrong("undesired must map true labels to collections of answers", undesired, classes)
    for truth, answers in undesired.items():
        if not _is_collection(answers):
            raise _wrong(f"the undesired answers of {truth!r} must be a collection of labels", answers, classes)
        row = _number(truth, classes)
        columns = [_number(answer, classes) for answer in answers]
        if row in columns:
            raise InvalidInput("the right answer cannot be undesired", where="undesired", found=repr(truth))
        table[row] = False
        table[row, columns] = True
    return table


def _is_collection(answers: Any) -> bool:
    """Text is one label, not a collection of letters."""
    collection = isinstance(answers, Collection) and not isinstance(answers, str | bytes)
    return collection and getattr(answers, "ndim", 1) == 1


def _wrong(problem: str, found: Any, classes: tuple[str, ...]) -> InvalidInput:
    example = {classes[0]: list(classes[1:2])}
    return InvalidInput(
        problem,
        where="undesired",
        found=f"{type(found).__name__} {found!r}",
        remedy=f"For example undesired={example}.",
    )


def _number(name: Any, classes: tuple[str, ...]) -> int:
    return classes.index(validate.choice(str(name), classes, where="undesired", name="class"))
