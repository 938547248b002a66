"""Answers of a model as they come, in batches, whatever they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.adapters.model import running
from surefoot.adapters.outputs import SUM_TOLERANCE
from surefoot.core import DiagnosticsError, validate
from surefoot.metrics import kinds
from surefoot.monitors.features.batches import array_of

Asked = Literal["raw", "probability"]
Answers = NDArray[Any] | list[Any]


def answers_of(model: LoadedModel, inputs: NDArray[Any], asked: Asked) -> Answers:
    """What a model returns for a batch, or the class probabilities in it."""
    validate.choice(asked, ("raw", "probability"), where=model.name, name="output")
    if asked == "probability":
        return _probabilities(model, inputs)
    with running(model.name, model.folder):
        answer = plain(model.function(np.array(inputs)))
    if len(answer) != len(inputs):
        text = f"the model returned {len(answer)} answers for {len(inputs)} inputs."
        raise DiagnosticsError.of("model-output", text, where=model.name)
    return answer


def joined(parts: Sequence[Answers]) -> Answers:
    """The answers of several batches, one after the other."""
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays)
    return [answer for part in parts for answer in part]


def stack(passes: Sequence[Answers]) -> Any:
    """Passes first: an array, or a list of lists where answers are no array."""
    arrays = [one for one in passes if isinstance(one, np.ndarray)]
    return np.stack(arrays) if len(arrays) == len(passes) else list(map(list, passes))


def plain(answer: Any) -> Answers:
    """A tensor as an array; lists of numbers or texts too; other lists, such as boxes, stay lists."""
    if hasattr(answer, "detach"):
        return array_of(answer)
    if isinstance(answer, np.ndarray):
        return answer
    items = list(answer)
    return np.asarray(items) if all(map(kinds.is_plain, items)) else items


def _probabilities(model: LoadedModel, inputs: NDArray[Any]) -> NDArray[Any]:
    scores = model(inputs)
    whole = scores.ndim == 2 and (scores >= 0).all() and (np.abs(scores.sum(axis=1) - 1) <= SUM_TOLERANCE).all()
    if not whole:
        raise DiagnosticsError.of(
            "model-output",
            "the model returns no class probabilities.",
            where=model.name,
            hint="Ask for output='raw', or say what it returns: adapters.as_model(model, output='logit').",
        )
    return scores
