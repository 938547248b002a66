"""ReAct: the energy of logits made of features whose unusually large values are cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned, Takes
from surefoot.monitors.detectors.confidence import free_energy

WHERE = "react"


@dataclass(eq=False)
class ReAct(Detector, name="react", beside=("weights", "bias")):
    """Energy of the logits of the last linear layer, after its inputs were cut off at a percentile of usual ones.

    Sun, Guo, Li 2021, "ReAct: Out-of-distribution Detection With Rectified Activations": features h of the
    penultimate layer become min(h, c), with c the percentile of all fitted features together, and the score is the
    energy of ``weights`` @ min(h, c) + ``bias``. ``weights`` has a row for each class and a column for each feature,
    as in a torch ``Linear``; see ``ReAct.of``. A file holds weights and bias.
    """

    weights: ArrayLike = field(repr=False)
    bias: ArrayLike | None = field(default=None, repr=False)
    percentile: float = field(default=90.0, kw_only=True)
    temperature: float = field(default=1.0, kw_only=True)
    takes: ClassVar[Takes] = "features"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where=WHERE, name="temperature")
        self.percentile = validate.number(self.percentile, where=WHERE, name="percentile")
        if not 0 <= self.percentile <= 100:
            raise InvalidInput("percentile must lie in [0, 100]", where=WHERE, found=f"{self.percentile:g}")
        weights = validate.numbers(self.weights, where=WHERE, name="weights").copy()
        if weights.ndim != 2 or not weights.size:
            raise InvalidInput(
                "weights must have a row for each class and a column for each feature",
                where=WHERE,
                found=f"shape {weights.shape}",
            )
        bias = np.zeros(len(weights)) if self.bias is None else validate.vector(self.bias, where=WHERE, name="bias")
        validate.same_length(WHERE, weights=weights, bias=bias)
        self.weights, self.bias = weights, bias.copy()

    @classmethod
    def of(cls, layer: Any, *, percentile: float = 90.0, temperature: float = 1.0) -> Self:
        """With the weights and the bias of a torch ``Linear``, as they are now."""
        import torch

        if not isinstance(layer, torch.nn.Linear):
            remedy = "Give the last layer of the model, or its arrays: ReAct(weights, bias)."
            raise InvalidInput("needs a torch Linear", where=WHERE, found=type(layer).__name__, remedy=remedy)
        weights, bias = (None if p is None else p.detach().double().cpu().numpy() for p in (layer.weight, layer.bias))
        return cls(weights, bias, percentile=percentile, temperature=temperature)

    @classmethod
    def _restored_beside(
        cls, learned: Learned, members: Sequence[Detector], objects: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        return {name: learned[name] for name in cls.beside}

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        weights, bias = np.asarray(self.weights), np.asarray(self.bias)
        if rows.shape[1] != weights.shape[1]:
            raise InvalidInput(
                f"features must have one column for each of the layer's {weights.shape[1]} inputs",
                where=WHERE,
                found=f"{rows.shape[1]} columns",
                remedy="Give the features that enter the layer.",
            )
        with np.errstate(over="ignore", invalid="ignore"):
            limit = np.percentile(rows, self.percentile)
        validate.number(limit, where=WHERE, name="percentile of the features")
        return {"weights": weights, "bias": bias, "limit": np.array(limit)}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            logits = np.minimum(rows, ready["limit"]) @ ready["weights"].T + ready["bias"]
        validate.numbers(logits, where=WHERE, name="logits made of the features")
        return free_energy(logits, self.temperature)
