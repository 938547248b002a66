"""Monte Carlo dropout: repeated passes of a torch module with its dropout switched on."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import LoadedModel
from surefoot.adapters.torch_model import as_tensor, evaluating
from surefoot.core import Undefined, validate
from surefoot.core.extras import require
from surefoot.monitors.features.batches import batches_of
from surefoot.monitors.features.layers import first_tensor
from surefoot.monitors.uncertainty.answers import Answers, Asked, answers_of, joined, stack
from surefoot.monitors.uncertainty.dropping import Dropping, dropping

Progress = Callable[[int, int], None]


class IdenticalPasses(UserWarning):
    """All passes gave the same answers, so they say nothing about uncertainty."""


def mc_dropout(
    module: Any,
    inputs: ArrayLike,
    *,
    passes: int = 10,
    rate: float | None = None,
    layer: str | Sequence[str] | None = None,
    output: Asked = "raw",
    batch: int = 256,
    seed: int = 0,
    progress: Progress | None = None,
) -> NDArray[Any]:
    """Answers of several passes with dropout (Gal and Ghahramani 2016): passes x inputs x ...

    Only dropout is switched on; all else, such as batch normalisation, stays in evaluation mode. ``layer`` names layers
    after which dropout of ``rate`` is forced instead, for a module without its own; ``rate`` alone replaces the rates
    of the module's own. Dropout that a module calls as a function is out of reach. ``output`` "probability" turns
    logits into class probabilities. The same seed and batch give the same passes; the module and torch's own random
    state are left as they were. ``progress`` is told how many batches of how many are done.
    """
    require("torch", extra="torch", purpose="Dropout")
    count = validate.count(passes, where="mc_dropout", name="passes", at_least=1)
    parts = list(batches_of(inputs, batch, where="mc_dropout"))
    wanted = dropping(module, rate, [layer] if isinstance(layer, str) else layer)
    answers: list[list[Answers]] = [[] for _ in range(count)]
    with _prepared(module, wanted, validate.seed(seed, where="mc_dropout")) as model:
        for number, part in enumerate(parts):
            for turn, one in enumerate(answers):
                one.append(answers_of(model, part, output))
                if progress is not None:
                    progress(number * count + turn + 1, len(parts) * count)
    return _different(np.asarray(stack([joined(one) for one in answers])), wanted)


@contextmanager
def dropout_on(
    module: Any, *, seed: int, rate: float | None = None, layer: str | Sequence[str] | None = None
) -> Iterator[None]:
    """A module in evaluation mode with its dropout on and random numbers of its own, for a while.

    For passes that ``mc_dropout`` does not know how to make, such as one over sounds of different lengths; ``rate`` and
    ``layer`` mean what they mean there.
    """
    require("torch", extra="torch", purpose="Dropout")
    wanted = dropping(module, rate, [layer] if isinstance(layer, str) else layer)
    with ExitStack() as kept:
        _enter(kept, module, wanted, validate.seed(seed, where="dropout_on"))
        yield


def _enter(kept: ExitStack, module: Any, wanted: Dropping, seed: int) -> None:
    import torch

    kept.enter_context(torch.no_grad())
    kept.enter_context(evaluating(module))
    kept.enter_context(wanted.active())
    kept.enter_context(_seeded(module, seed))


@contextmanager
def _prepared(module: Any, wanted: Dropping, seed: int) -> Iterator[LoadedModel]:
    """The module as a model whose dropout is on, for a while, with random numbers of its own."""

    def run(inputs: NDArray[Any]) -> Any:
        return first_tensor(module(as_tensor(inputs, module)))

    with ExitStack() as kept:
        _enter(kept, module, wanted, seed)
        yield LoadedModel(run, type(module).__name__, usual="logit", source=module)


@contextmanager
def _seeded(module: Any, seed: int) -> Iterator[None]:
    """Torch's random state, on the devices of the module, set for a while."""
    import torch

    devices = sorted({p.device.index or 0 for p in module.parameters() if p.device.type == "cuda"})
    with torch.random.fork_rng(devices=devices):
        torch.default_generator.manual_seed(seed)
        for device in devices:
            torch.cuda.default_generators[device].manual_seed(seed)
        yield


def _different(passes: NDArray[Any], wanted: Dropping) -> NDArray[Any]:
    if not wanted.ran:
        raise Undefined(
            "none of the dropout layers runs in a forward pass",
            where="mc_dropout",
            found=", ".join(wanted.names),
            remedy="Name with layer= where dropout is forced.",
        )
    if len(passes) > 1 and (passes == passes[0]).all():
        text = "All passes gave the same answers: dropout changed none of them. See whether it lies before the answer."
        warnings.warn(text, IdenticalPasses, stacklevel=3)
    return passes
