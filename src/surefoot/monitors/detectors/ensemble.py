"""``Ensemble``: several detectors as one, their scores made comparable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors import base
from surefoot.monitors.detectors.base import Detector, ForwardPass, Learned, Takes, bounded, divisor, ratio

Scale = Literal["rank", "standard"]
COMBINED = {"max": np.max, "min": np.min}


@dataclass(eq=False)
class Ensemble(Detector, name="ensemble", beside=("detectors",)):
    """Detectors whose scores are made comparable and combined.

    Members that look at different things, such as ``Energy`` at logits and ``KNN`` at features, take them from a
    ``ForwardPass``, which is then what the ensemble is given; others share their rows.

    ``fit`` fits the members, and known scores make theirs comparable: those of rows that members are not fitted to,
    because scores of fitted rows are too small where a row is its own neighbour.

    Parameters
    ----------
    detectors
        The members, not fitted.
    how
        How comparable scores are combined.
    scale
        ``"rank"`` turns a score into the share of known scores below it (half of those that equal it), which forgets
        how far beyond them it lies; ``"standard"`` takes their mean from it and divides by their standard deviation.
    weights
        How much each member counts in the mean; equally where None.
    held_out
        Share of the rows of each class whose scores are the known ones. With 0, or where no class has a row to spare,
        they are scores of the fitted rows.
    seed
        Settles which rows are held out.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rows = np.random.default_rng(0).normal(size=(200, 2))
    >>> both = sf.monitors.Ensemble([sf.monitors.KNN(), sf.monitors.KernelDensity()]).fit(rows)
    >>> both.decision_function([[0, 0], [9, 9]])
    array([0.2625, 1.    ])

    """

    detectors: Sequence[Detector]
    how: Literal["mean", "max", "min"] = "mean"
    scale: Scale = "rank"
    weights: Sequence[float] | None = None
    held_out: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        validate.fields(self, but=("detectors",))
        validate.choice(self.how, ["mean", *COMBINED], where=self.name, name="how")
        validate.choice(self.scale, SCALES, where=self.name, name="scale")
        if self.held_out != 0:
            self.held_out = validate.fraction(self.held_out, where=self.name, name="held_out")
        self.seed = validate.seed(self.seed, where=self.name)
        self.detectors = _members(self.detectors)
        self.weights = None if self.weights is None else self._checked_weights(self.weights)
        # What it takes is settled by its members, so it belongs to the object and not to the class.
        vars(self).update(takes=_common(self.detectors), by_class=any(each.by_class for each in self.detectors))

    @property
    def members(self) -> tuple[Detector, ...]:
        """The detectors it combines."""
        return tuple(self.detectors)

    @classmethod
    def _restored_beside(
        cls, learned: Learned, members: Sequence[Detector], objects: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        return {"detectors": members}

    def score_one(self, features: NDArray[Any] | ForwardPass, prediction: Any = None) -> float:
        """The score of one row, by the quick way of each member."""
        ready, number = self._prepared_once(), None
        if prediction is None and isinstance(features, ForwardPass) and features.predictions is not None:
            prediction = np.asarray(features.predictions)[0]
        if self.by_class and prediction is not None:
            number = base.numbers_of(np.asarray(prediction)[None], self.classes, 1, where=self.name)[0]
        scores = [[each.score_one(features, number if each.by_class else None)] for each in self.members]
        return float(self._combined(np.array(scores), ready)[0])

    def _rows(self, features: ArrayLike | ForwardPass) -> Any:
        """A forward pass as it is where members look at different parts of it."""
        if isinstance(features, ForwardPass) and len({each.takes for each in self.members}) > 1:
            return features
        if self.takes == "pass":
            kinds = " and ".join(sorted({each.takes for each in self.members}))
            raise InvalidInput(
                f"its members look at {kinds} of one forward pass",
                where=self.name,
                found=f"a {type(features).__name__}",
                remedy="Give a ForwardPass, such as watch.forward_pass(inputs) of TorchFeatures or OnnxFeatures.",
            )
        return super()._rows(features)

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        aside = _held_out(classes, self.held_out, self.seed)
        for each in self.members:
            each.fit(rows[~aside], classes[~aside])
        known = aside if aside.any() else ~aside
        return SCALES[self.scale].learned(self._scores(rows[known], classes[known]))

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        return self._combined(self._scores(rows, classes), ready)

    def _scores(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> FloatArray:
        return np.array([each.decision_function(rows, classes if each.by_class else None) for each in self.members])

    def _combined(self, scores: FloatArray, ready: Learned) -> FloatArray:
        scaled = SCALES[self.scale].scaled(scores, ready)
        if self.how == "mean":
            return _shares(self.weights, len(scaled)) @ scaled
        return COMBINED[self.how](scaled, axis=0)

    def _checked_weights(self, weights: Sequence[float]) -> tuple[float, ...]:
        checked = validate.vector(weights, where=self.name, name="weights")
        if len(checked) != len(self.detectors) or (checked < 0).any() or not checked.sum():
            remedy = "Give each member a weight of at least 0, and one a positive weight."
            raise InvalidInput("weights do not fit the members", where=self.name, found=repr(weights), remedy=remedy)
        if self.how != "mean":
            raise InvalidInput("weights belong to a mean", where=self.name, found=repr(self.how), remedy="Use 'mean'.")
        return tuple(checked.tolist())


def _members(detectors: Sequence[Detector]) -> tuple[Detector, ...]:
    where, example = Ensemble.name, "Mahalanobis()"
    members = tuple(detectors) if isinstance(detectors, Sequence) else ()
    if not members:
        raise InvalidInput("needs at least one detector in a list", where=where, found=repr(detectors))
    for each in members:
        validate.kind(each, Detector, where=where, name="every member", example=example)
    if len({id(each) for each in members}) < len(members):
        raise InvalidInput("a detector may be a member once", where=where, remedy="Make another one.")
    return members


def _common(members: Sequence[Detector]) -> Takes:
    """What all members take, or a forward pass that shows each its own; inputs are whatever the others take."""
    kinds = {each.takes for each in members}
    settled = kinds - {"inputs"} or kinds
    return "pass" if len(settled) > 1 else settled.pop()


def _held_out(classes: NDArray[np.int64], share: float, seed: int) -> NDArray[np.bool_]:
    """Which rows are held out: the same share of each class, rounded down, and never all of it."""
    rng = np.random.default_rng(seed)
    aside = np.zeros(len(classes), dtype=bool)
    for number in range(classes.max() + 1):
        rows = np.flatnonzero(classes == number)
        aside[rng.permutation(rows)[: min(int(share * len(rows)), len(rows) - 1)]] = True
    return aside


def _shares(weights: Sequence[float] | None, count: int) -> FloatArray:
    """How much each member counts, in all 1."""
    given = np.ones(count) if weights is None else np.asarray(weights)
    return given / given.sum()


class Scaling(NamedTuple):
    """What is learned of known scores, detectors x rows, and how it turns others into comparable ones."""

    learned: Callable[[FloatArray], dict[str, NDArray[Any]]]
    scaled: Callable[[FloatArray, Learned], FloatArray]


def _sorted(known: FloatArray) -> dict[str, NDArray[Any]]:
    return {"known": np.sort(known, axis=1)}


def _ranked(scores: FloatArray, learned: Learned) -> FloatArray:
    """The share of known scores below each, and half of those that equal it."""
    known = learned["known"]
    sides = [
        [np.searchsorted(row, given, side=side) for row, given in zip(known, scores, strict=True)]
        for side in ("left", "right")
    ]
    return np.mean(sides, axis=0) / known.shape[1]


def _moments(known: FloatArray) -> dict[str, NDArray[Any]]:
    values = bounded(known)
    return {"centre": values.mean(axis=1), "spread": divisor(values.std(axis=1), np.abs(values).max(axis=1))}


def _standardised(scores: FloatArray, learned: Learned) -> FloatArray:
    return ratio(bounded(scores) - learned["centre"][:, None], learned["spread"][:, None])


SCALES = {"rank": Scaling(_sorted, _ranked), "standard": Scaling(_moments, _standardised)}
