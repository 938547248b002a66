"""Detectors on what a classifier answers: how far its logits or probabilities are from one clear class.

The answer is taken as it is (``MaxSoftmax``, ``Doctor``, ``MaxLogit``, ``Energy``), after a small step of the input
that makes the model surer (``ODIN``), or anew from features whose unusually large values are cut off (``ReAct``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters.answers import SUM_TOLERANCE
from surefoot.adapters.model import LoadedModel, running
from surefoot.adapters.python_models import as_model
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Learned, Takes
from surefoot.profile.input_arrays import slices

LARGEST = np.finfo(np.float64).max


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

    def _gaps(self, rows: NDArray[Any]) -> LogitGaps:
        return logit_gaps(self._logits(rows), self.temperature)


@dataclass(eq=False, kw_only=True)
class MaxSoftmax(_OnSoftmax, name="max_softmax"):
    """One minus the largest softmax probability, at a temperature.

    Scores near 0 keep their order long after the largest probability has become 1 as a float. Fitting remembers how
    many classes there are.

    Parameters
    ----------
    temperature
        Divides the logits; probabilities p become p^(1/T) divided by their sum.
    on
        Whether rows are ``"logits"`` or, for models that give none, ``"probabilities"``.

    References
    ----------
    Hendrycks and Gimpel (2017), "A Baseline for Detecting Misclassified and Out-of-Distribution Examples in Neural
    Networks".

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.MaxSoftmax(on="probabilities").fit([[0.9, 0.1]])
    >>> detector.decision_function([[0.9, 0.1], [0.4, 0.6]]).round(2)
    array([0.1, 0.4])

    """

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        return self._gaps(rows).doubt


@dataclass(eq=False, kw_only=True)
class Doctor(_OnSoftmax, name="doctor"):
    """Odds that the answer is wrong, as the probabilities p tell.

    Without perturbation of inputs.

    Parameters
    ----------
    kind
        ``"alpha"``: (1 - g) / g with g the sum of p^2, the odds for an answer drawn from p; ``"beta"``:
        (1 - max p) / max p, the odds for the likeliest answer.
    temperature
        Divides the logits.
    on
        Whether rows are ``"logits"`` or, for models that give none, ``"probabilities"``.

    References
    ----------
    Granese, Romanelli, Gorla, Palamidessi, Piantanida (2021), "DOCTOR: A Simple Method for Detecting Misclassification
    Errors".

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.Doctor(kind="beta", on="probabilities").fit([[0.9, 0.1]])
    >>> detector.decision_function([[0.8, 0.2], [0.5, 0.5]]).round(2)
    array([0.25, 1.  ])

    """

    kind: Literal["alpha", "beta"] = "alpha"

    def __post_init__(self) -> None:
        super().__post_init__()
        validate.choice(self.kind, ("alpha", "beta"), where=self.name, name="kind")

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        found = self._gaps(rows)
        odds = found.odds_against
        if self.kind == "beta":
            return odds
        squares = np.square(found.others).sum(axis=1)
        return np.asarray((2 * odds + (odds**2 - squares)) / (1 + squares))


@dataclass(eq=False)
class MaxLogit(Detector, name="max_logit"):
    """Minus the largest logit.

    Fitting remembers how many classes there are.

    References
    ----------
    Hendrycks, Basart, Mazeika, Zou, Kwon, Mostajabi, Steinhardt, Song (2022), "Scaling Out-of-Distribution Detection
    for Real-World Settings".

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.MaxLogit().fit([[4.0, 0.0]]).decision_function([[5.0, 1.0], [0.5, 0.4]])
    array([-5. , -0.5])

    """

    takes: ClassVar[Takes] = "logits"

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        return np.asarray(-rows.max(axis=1))


@dataclass(eq=False, kw_only=True)
class Energy(Detector, name="energy"):
    """The free energy -T log sum exp(z / T) of the logits z.

    Fitting remembers how many classes there are. Energies beyond the largest float are given as the largest float.

    Parameters
    ----------
    temperature
        T.

    References
    ----------
    Liu, Wang, Owens, Li (2020), "Energy-based Out-of-distribution Detection".

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.monitors.Energy().fit([[4.0, 0.0]]).decision_function([[5.0, 1.0], [0.5, 0.4]]).round(2)
    array([-5.02, -1.14])

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
    found = logit_gaps(logits, temperature)
    with np.errstate(over="ignore"):
        energy = -(found.largest + temperature * np.log1p(found.odds_against))
    return np.asarray(np.clip(energy, -LARGEST, LARGEST))


@dataclass(eq=False)
class ODIN(Detector, name="odin", beside=("model",)):
    """One minus the largest softmax probability at a temperature, of inputs moved towards the model's own answer.

    Each input x becomes x + epsilon sign(gradient of log softmax of the predicted class at T), which raises the
    confidence in usual inputs more than in strange ones. Files do not hold the model:
    ``Detector.load(path, model=module)``. Fitting remembers the shape of inputs and tries the model on one of them.

    Parameters
    ----------
    model
        Gives one logit for each class: a torch module, which stays as it is, or any model or function of arrays where
        ``epsilon`` is 0.
    temperature
        T.
    epsilon
        Length of the step, in the units of the model's inputs.
    batch
        The inputs that the model is given at once.

    References
    ----------
    Liang, Li, Srikant (2018), "Enhancing the Reliability of Out-of-Distribution Image Detection in Neural Networks".

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> def model(inputs):
    ...     return np.column_stack([inputs[:, 0], -inputs[:, 0]])
    >>> detector = sf.monitors.ODIN(model, temperature=1.0, epsilon=0.0).fit([[1.0]])
    >>> detector.decision_function([[2.0], [0.0]]).round(2)
    array([0.02, 0.5 ])

    """

    model: Any = field(repr=False)
    temperature: float = field(default=1000.0, kw_only=True)
    epsilon: float = field(default=0.0014, kw_only=True)
    batch: int = field(default=256, kw_only=True)
    takes: ClassVar[Takes] = "inputs"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where="odin", name="temperature")
        self.epsilon = validate.at_least_zero(self.epsilon, where="odin", name="epsilon")
        self.batch = validate.count(self.batch, where="odin", name="batch", at_least=1)
        _checked(as_model(self.model), needs_gradients=self.epsilon > 0)

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        self._batch_scores(rows[:1], as_model(self.model))
        return {}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Any) -> FloatArray:
        model = as_model(self.model)
        return np.concatenate([self._batch_scores(rows[part], model) for part in slices(len(rows), self.batch)])

    def _batch_scores(self, rows: NDArray[Any], model: LoadedModel) -> FloatArray:
        if self.epsilon:
            rows = rows + self.epsilon * surer_direction(model.source, rows, self.temperature)
        logits = model.answers(rows)
        if logits.ndim == 1:
            raise _no_logits("one number a row")
        return logit_gaps(logits.astype(np.float64), self.temperature).doubt


def surer_direction(module: Any, rows: NDArray[Any], temperature: float) -> FloatArray:
    """Sign of the gradient, by each input, of the log softmax of the predicted class at a temperature."""
    import torch

    from surefoot.adapters.python_models import as_tensor, evaluating

    with evaluating(module), torch.inference_mode(False), torch.enable_grad():
        inputs = as_tensor(rows, module).clone().requires_grad_()
        with running("odin", None):
            answer = module(inputs)
        gradient = _gradient(getattr(answer, "logits", answer), inputs, temperature)
    return np.asarray(gradient.sign().cpu().numpy(), dtype=np.float64)


def _gradient(logits: Any, inputs: Any, temperature: float) -> Any:
    import torch

    if logits.ndim != 2:
        raise _no_logits(f"an answer of shape {tuple(logits.shape)}")
    scaled = logits.to(torch.promote_types(logits.dtype, torch.float32)) / temperature
    likeliest = scaled.log_softmax(1).gather(1, scaled.argmax(1, keepdim=True))
    # Times the temperature: the same sign, and no gradient becomes 0 for being divided by a large number.
    found = (
        torch.autograd.grad(temperature * likeliest.sum(), inputs, allow_unused=True) if logits.requires_grad else ()
    )
    if not found or found[0] is None:
        raise InvalidInput(
            "the model's logits have no gradient by its inputs", where="odin", remedy="Use epsilon=0, without the step."
        )
    return found[0]


def _checked(model: LoadedModel, *, needs_gradients: bool) -> None:
    if model.returns in ("probability", "label"):
        raise _no_logits(f"a model that gives a {model.returns}")
    if needs_gradients and not callable(getattr(model.source, "named_parameters", None)):
        raise InvalidInput(
            "the step along the gradient needs a torch module",
            where="odin",
            found=model.name,
            remedy="Give the module itself, or use epsilon=0.",
        )


def _no_logits(found: str) -> InvalidInput:
    return InvalidInput(
        "the model must give one logit for each class",
        where="odin",
        found=found,
        remedy="Give the model without its last softmax; for a single logit z, give the columns 0 and z.",
    )


@dataclass(eq=False)
class ReAct(Detector, name="react", beside=("weights", "bias")):
    """Energy of the logits of the last linear layer, after its inputs were cut off at a percentile of usual ones.

    Features h of the penultimate layer become min(h, c), with c the percentile of all fitted features together, and
    the score is the energy of ``weights`` @ min(h, c) + ``bias``. A file holds weights and bias.

    Parameters
    ----------
    weights
        A row for each class and a column for each feature, as in a torch ``Linear``; see ``ReAct.of``.
    bias
        One number for each class; 0 where None.
    percentile
        Of the fitted features, at which larger ones are cut off.
    temperature
        Divides the logits.

    References
    ----------
    Sun, Guo, Li (2021), "ReAct: Out-of-distribution Detection With Rectified Activations".

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.ReAct([[1.0, 0.0], [0.0, 1.0]], percentile=100).fit([[2.0, 0.0], [0.0, 2.0]])
    >>> detector.decision_function([[2.0, 0.0], [9.0, 0.0], [0.5, 0.5]]).round(2)
    array([-2.13, -2.13, -1.19])

    """

    weights: ArrayLike = field(repr=False)
    bias: ArrayLike | None = field(default=None, repr=False)
    percentile: float = field(default=90.0, kw_only=True)
    temperature: float = field(default=1.0, kw_only=True)
    takes: ClassVar[Takes] = "features"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where="react", name="temperature")
        self.percentile = validate.number(self.percentile, where="react", name="percentile")
        if not 0 <= self.percentile <= 100:
            raise InvalidInput("percentile must lie in [0, 100]", where="react", found=f"{self.percentile:g}")
        weights = validate.numbers(self.weights, where="react", name="weights").copy()
        if weights.ndim != 2 or not weights.size:
            raise InvalidInput(
                "weights must have a row for each class and a column for each feature",
                where="react",
                found=f"shape {weights.shape}",
            )
        bias = np.zeros(len(weights)) if self.bias is None else validate.vector(self.bias, where="react", name="bias")
        validate.same_length("react", weights=weights, bias=bias)
        self.weights, self.bias = weights, bias.copy()

    @classmethod
    def of(cls, layer: Any, *, percentile: float = 90.0, temperature: float = 1.0) -> Self:
        """With the weights and the bias of a torch ``Linear``, as they are now."""
        import torch

        if not isinstance(layer, torch.nn.Linear):
            remedy = "Give the last layer of the model, or its arrays: ReAct(weights, bias)."
            raise InvalidInput("needs a torch Linear", where="react", found=type(layer).__name__, remedy=remedy)
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
                where="react",
                found=f"{rows.shape[1]} columns",
                remedy="Give the features that enter the layer.",
            )
        with np.errstate(over="ignore", invalid="ignore"):
            limit = np.percentile(rows, self.percentile)
        validate.number(limit, where="react", name="percentile of the features")
        return {"weights": weights, "bias": bias, "limit": np.array(limit)}

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: Learned) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            logits = np.minimum(rows, ready["limit"]) @ ready["weights"].T + ready["bias"]
        validate.numbers(logits, where="react", name="logits made of the features")
        return free_energy(logits, self.temperature)


# Softmax arithmetic that keeps its digits: the largest logit, and what the others weigh beside it.


class LogitGaps(NamedTuple):
    """Each row's largest logit z, and exp((z_j - z) / T) of every other class j; the class of z itself has 0."""

    largest: FloatArray
    others: FloatArray

    @property
    def odds_against(self) -> FloatArray:
        """(1 - p) / p of the largest probability p; small ones keep all their digits, where 1 - p would be 0."""
        return np.asarray(self.others.sum(axis=1))

    @property
    def doubt(self) -> FloatArray:
        """One minus the largest probability."""
        odds = self.odds_against
        return np.asarray(odds / (1 + odds))


def logit_gaps(logits: NDArray[Any], temperature: float) -> LogitGaps:
    """Compare the logits of each row with the largest; no logits are too large, and some may be minus infinity."""
    rows, top = np.arange(len(logits)), logits.argmax(axis=1)
    largest = logits[rows, top]
    with np.errstate(over="ignore", under="ignore"):
        others = np.exp((logits - largest[:, None]) / temperature)
    others[rows, top] = 0.0
    return LogitGaps(largest, others)


def log_probabilities(probabilities: NDArray[Any], *, where: str) -> FloatArray:
    """Logits of which the probabilities are the softmax, after a check that they are probabilities."""
    totals = probabilities.sum(axis=1)
    wrong = ((probabilities < 0) | (probabilities > 1)).any(axis=1) | (np.abs(totals - 1) > SUM_TOLERANCE)
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidInput(
            "probabilities must lie in [0, 1] and add up to 1 in each row",
            where=where,
            found=f"a sum of {totals[row]:g} in row {row} ({int(wrong.sum())} such rows in all)",
            remedy="Give one column a class; for a model that gives logits, use on='logits'.",
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))
