"""Passes by an ensemble of models, and by one model on changed inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import LoadedModel, as_model
from surefoot.core import InvalidInput, validate
from surefoot.monitors.features.batches import batches_of
from surefoot.monitors.uncertainty.answers import Answers, Asked, answers_of, joined, stack

Change = Callable[[NDArray[Any]], Any]
RandomChange = Callable[[NDArray[Any], np.random.Generator], Any]
DEFAULT_PASSES = 10


def ensemble_passes(
    models: Sequence[Any], inputs: ArrayLike, *, output: Asked = "raw", batch: int = 256
) -> NDArray[Any] | list[Any]:
    """What each of several models answers: models x inputs x ..., or lists where answers are no arrays.

    Models are whatever ``adapters.as_model`` takes. ``output`` "probability" asks for class probabilities (logits of
    torch modules become such), "raw" for what a model returns.
    """
    if not len(models):
        raise InvalidInput("needs at least one model", where="ensemble_passes")
    return stack([_answered(as_model(one), inputs, output, batch) for one in models])


def augmented_passes(
    model: Any,
    inputs: ArrayLike,
    augment: RandomChange | Sequence[Change],
    *,
    passes: int | None = None,
    seed: int = 0,
    output: Asked = "raw",
    batch: int = 256,
) -> NDArray[Any] | list[Any]:
    """What a model answers on changed inputs (test-time augmentation): passes x inputs x ...

    ``augment`` is one function of the inputs and a random generator, called once a pass (10 by default), or a list of
    functions of the inputs, one a pass. It gets all inputs at once, so that ``batch`` does not change what it draws.
    """
    rows, loaded = np.asarray(inputs), as_model(model)
    changed = _changed(rows, augment, passes, seed)
    return stack([_answered(loaded, one, output, batch) for one in changed])


def _answered(model: LoadedModel, inputs: ArrayLike, output: Asked, batch: int) -> Answers:
    parts = batches_of(inputs, batch, where=model.name)
    return joined([answers_of(model, part, output) for part in parts])


def _changed(
    rows: NDArray[Any], augment: RandomChange | Sequence[Change], passes: int | None, seed: int
) -> Iterator[NDArray[Any]]:
    if callable(augment):
        count = validate.count(passes or DEFAULT_PASSES, where="augmented_passes", name="passes", at_least=1)
        streams = np.random.default_rng(validate.seed(seed, where="augmented_passes")).spawn(count)
        return (_same_count(augment(rows.copy(), stream), rows) for stream in streams)
    if not len(augment) or passes not in (None, len(augment)):
        found = f"{len(augment)} functions, passes={passes}"
        raise InvalidInput("a list of changes needs one function a pass", where="augmented_passes", found=found)
    return (_same_count(change(rows.copy()), rows) for change in augment)


def _same_count(changed: Any, rows: NDArray[Any]) -> NDArray[Any]:
    array = np.asarray(changed)
    if array.ndim == 0 or len(array) != len(rows):
        found = f"shape {array.shape} for {len(rows)} inputs"
        raise InvalidInput("augment must keep the number of inputs", where="augmented_passes", found=found)
    return array
