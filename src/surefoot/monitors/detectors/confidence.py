"""Detectors on what a classifier answers: how far its logits or probabilities are from one clear class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.core import validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Takes
from surefoot.monitors.detectors.softmax import Compared, compared, log_probabilities

LARGEST = np.finfo(np.float64).max


@dataclass(eq=False)
class MaxLogit(Detector, name="max_logit"):
    """Minus the largest logit.

    Hendrycks, Basart, Mazeika, Zou, Kwon, Mostajabi, Steinhardt, Song 2022, "Scaling Out-of-Distribution Detection
    for Real-World Settings". Fitting remembers how many classes there are.
    """

    takes: ClassVar[Takes] = "logits"

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        return np.asarray(-rows.max(axis=1))


@dataclass(eq=False, kw_only=True)
class Energy(Detector, name="energy"):
    """The free energy -T log sum exp(z / T) of the logits z.

    Liu, Wang, Owens, Li 2020, "Energy-based Out-of-distribution Detection". Fitting remembers how many
    classes there are. Energies beyond the largest float are given as the largest float.
    """

    temperature: float = 1.0
    takes: ClassVar[Takes] = "logits"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where=self.name, name="temperature")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        return free_energy(rows, self.temperature)


def free_energy(logits: NDArray[Any], temperature: float) -> FloatArray:
    """-T log sum exp(z / T) of each row, within the range of floats (Liu et al. 2020)."""
    found = compared(logits, temperature)
    with np.errstate(over="ignore"):
        energy = -(found.largest + temperature * np.log1p(found.odds_against))
    return np.asarray(np.clip(energy, -LARGEST, LARGEST))


@dataclass(eq=False, kw_only=True)
class _OnSoftmax(Detector):
    """What detectors on softmax probabilities share; ``on`` says whether rows are logits or the probabilities.

    With a temperature T, probabilities p become p^(1/T) divided by their sum: what their logits would give.
    """

    temperature: float = 1.0
    on: Literal["logits", "probabilities"] = "logits"
    takes: ClassVar[Takes] = "logits"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where=self.name, name="temperature")
        validate.choice(self.on, ("logits", "probabilities"), where=self.name, name="on")
        vars(self)["takes"] = self.on

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        self._logits(rows)
        return {}

    def _logits(self, rows: NDArray[Any]) -> FloatArray:
        return rows if self.on == "logits" else log_probabilities(rows, where=self.name)

    def _compared(self, rows: NDArray[Any]) -> Compared:
        return compared(self._logits(rows), self.temperature)


@dataclass(eq=False, kw_only=True)
class MaxSoftmax(_OnSoftmax, name="max_softmax"):
    """One minus the largest softmax probability, at a temperature.

    Hendrycks and Gimpel 2017, "A Baseline for Detecting Misclassified and Out-of-Distribution Examples in Neural
    Networks". Scores near 0 keep their order long after the largest probability has become 1 as a float. Fitting
    remembers how many classes there are. Use ``on="probabilities"`` for models that give no logits.
    """

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        return self._compared(rows).doubt


@dataclass(eq=False, kw_only=True)
class Doctor(_OnSoftmax, name="doctor"):
    """Odds that the answer is wrong, as the probabilities p tell.

    Granese, Romanelli, Gorla, Palamidessi, Piantanida 2021, "DOCTOR: A Simple Method for Detecting Misclassification
    Errors". ``alpha``: (1 - g) / g with g the sum of p^2, the odds for an answer drawn from p; ``beta``:
    (1 - max p) / max p, the odds for the likeliest answer. Without perturbation of inputs. Use ``on="probabilities"``
    for models that give no logits.
    """

    kind: Literal["alpha", "beta"] = "alpha"

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.choice(self.kind, ("alpha", "beta"), where=self.name, name="kind")

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        found = self._compared(rows)
        odds = found.odds_against
        if self.kind == "beta":
            return odds
        squares = np.square(found.others).sum(axis=1)
        return np.asarray((2 * odds + (odds**2 - squares)) / (1 + squares))
