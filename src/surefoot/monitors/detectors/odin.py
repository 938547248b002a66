"""ODIN: softmax confidence at a high temperature, after a small step that makes the model surer of its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters.model import LoadedModel, running
from surefoot.adapters.objects import as_model
from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import Detector, Takes
from surefoot.monitors.detectors.softmax import compared
from surefoot.profile.slicing import slices

WHERE = "odin"


@dataclass(eq=False)
class ODIN(Detector, name="odin", beside=("model",)):
    """One minus the largest softmax probability at a temperature, of inputs moved towards the model's own answer.

    Liang, Li, Srikant 2018, "Enhancing the Reliability of Out-of-Distribution Image Detection in Neural Networks":
    each input x becomes x + epsilon sign(gradient of log softmax of the predicted class at T), which raises the
    confidence in usual inputs more than in strange ones.

    ``model`` gives one logit for each class. It is a torch module, which stays as it is, or any model or function of
    arrays where ``epsilon`` is 0. ``epsilon`` is in the units of the model's inputs. Files do not hold the model:
    ``Detector.load(path, model=module)``. Fitting remembers the shape of inputs and tries the model on one of them.
    """

    model: Any = field(repr=False)
    temperature: float = field(default=1000.0, kw_only=True)
    epsilon: float = field(default=0.0014, kw_only=True)
    batch: int = field(default=256, kw_only=True)
    """The inputs that it is given at once."""
    takes: ClassVar[Takes] = "inputs"

    def __post_init__(self) -> None:
        self.temperature = validate.positive(self.temperature, where=WHERE, name="temperature")
        self.epsilon = validate.at_least_zero(self.epsilon, where=WHERE, name="epsilon")
        self.batch = validate.count(self.batch, where=WHERE, name="batch", at_least=1)
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
        return compared(logits.astype(np.float64), self.temperature).doubt


def surer_direction(module: Any, rows: NDArray[Any], temperature: float) -> FloatArray:
    """Sign of the gradient, by each input, of the log softmax of the predicted class at a temperature."""
    import torch

    from surefoot.adapters.torch_model import as_tensor, evaluating

    with evaluating(module), torch.inference_mode(False), torch.enable_grad():
        inputs = as_tensor(rows, module).clone().requires_grad_()
        with running(WHERE, None):
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
            "the model's logits have no gradient by its inputs", where=WHERE, remedy="Use epsilon=0, without the step."
        )
    return found[0]


def _checked(model: LoadedModel, *, needs_gradients: bool) -> None:
    if model.returns in ("probability", "label"):
        raise _no_logits(f"a model that gives a {model.returns}")
    if needs_gradients and not callable(getattr(model.source, "named_parameters", None)):
        raise InvalidInput(
            "the step along the gradient needs a torch module",
            where=WHERE,
            found=model.name,
            remedy="Give the module itself, or use epsilon=0.",
        )


def _no_logits(found: str) -> InvalidInput:
    return InvalidInput(
        "the model must give one logit for each class",
        where=WHERE,
        found=found,
        remedy="Give the model without its last softmax; for a single logit z, give the columns 0 and z.",
    )
