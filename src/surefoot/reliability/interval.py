"""Proofs that a network gives one answer in a whole cell; other cells go to another estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Executor, InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.reliability.local import PROVED, Boxes, LocalEstimator, LocalProblem, LocalRisk, Progress, cell_estimator
from surefoot.reliability.margin_bounds import METHODS
from surefoot.reliability.network_reading import WHERE, read_network
from surefoot.reliability.networks import Network
from surefoot.reliability.proving import OPEN, proved_answers, require_same_answers

MOST_BOXES = 4096
NUMBERS = 1 << 22
"""Corners of all pieces of a batch, at most."""
MOST_SPLITS = 20


def _monte_carlo() -> LocalEstimator:
    from surefoot.reliability.monte_carlo import MonteCarlo

    return MonteCarlo()


@cell_estimator("interval")
@dataclass(frozen=True)
class Interval:
    """Bounds the scores of a perceptron or a small convolutional network over whole boxes.

    Bounds are those of Zhang et al. (2018) and Singh et al. (2019). A box is proved when one class beats all others
    everywhere inside, whatever the distribution there, for the scores as the model computes them in its own
    precision. A box that is not proved is halved up to ``splits`` times. Scores are continuous, so two answers inside
    a box always leave some piece unproved: such a box, like every box with an unproved piece, goes whole to
    ``otherwise``. ``method`` is ``"linear"`` or the faster, wider ``"interval"``.
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
            told = _part(progress, problem, 1)
            rest = self.otherwise.estimate(_only(problem, left), executor=executor, seed=seed, progress=told)
            found = _completed(found, left, rest)
        if progress:
            progress(len(answers), len(answers))
        return found

    def _answers(
        self, network: Network, problem: LocalProblem, *, executor: Executor, seed: int, progress: Progress | None
    ) -> NDArray[np.int64]:
        """The only answer in each box, or ``OPEN``."""
        size = max(1, min(MOST_BOXES, NUMBERS // (network.inputs << self.splits)))
        prove = partial(_prove, method=self, network=network, boxes=problem.boxes, decide=problem.decide)
        found = executor.map(prove, list(problem.slices(size)), seed=seed, progress=progress)
        return np.concatenate([np.empty(0, dtype=np.int64), *found])


@dataclass(frozen=True, eq=False)
class Chosen:
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


def _only(problem: LocalProblem, left: NDArray[np.int64]) -> LocalProblem:
    boxes = Chosen(problem.boxes, left)
    return replace(problem, boxes=boxes, labels=problem.labels[left], weights=problem.weights[left])


def _completed(found: LocalRisk, left: NDArray[np.int64], rest: LocalRisk) -> LocalRisk:
    for name in ("shares", "labels", "trials", "how"):
        getattr(found, name)[left] = getattr(rest, name)
    return found


def _part(progress: Progress | None, problem: LocalProblem, part: int) -> Progress | None:
    """Progress of the first or second half of the work."""
    count = len(problem.boxes)
    return progress and (lambda done, total: progress(round(count * (part + done / total) / 2), count))
