"""Several answers of a model to each input: by dropout, by an ensemble of models, or by changed inputs.

Dropout is switched on in layers of a torch module's own, or forced after named layers.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import LoadedModel, as_model
from surefoot.adapters.answers import SUM_TOLERANCE
from surefoot.adapters.model import running
from surefoot.adapters.python_models import as_tensor, evaluating
from surefoot.core import DiagnosticsError, InvalidInput, Undefined, validate
from surefoot.core.errors import require
from surefoot.documents import listed
from surefoot.metrics import distances
from surefoot.monitors.features import array_of, batches_of, first_tensor, layer_named, layer_names, torch_module

WHERE = "mc_dropout"
MOST_NAMED = 12
DEFAULT_PASSES = 10
Asked = Literal["raw", "probability"]
Answers = NDArray[Any] | list[Any]
Progress = Callable[[int, int], None]
Change = Callable[[NDArray[Any]], Any]
RandomChange = Callable[[NDArray[Any], np.random.Generator], Any]


class IdenticalPasses(UserWarning):
    """All passes gave the same answers, so they say nothing about uncertainty."""


@validate.arguments
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
    """Answers of several passes with dropout (Gal and Ghahramani 2016).

    Only dropout is switched on; all else, such as batch normalisation, stays in evaluation mode. Dropout that a module
    calls as a function is out of reach. The module and torch's own random state are left as they were.

    Parameters
    ----------
    module
        A torch module.
    inputs
        One row an input.
    passes
        How many.
    rate
        Replaces the rates of the module's own dropout; needed with ``layer``.
    layer
        Layers after which dropout is forced instead, for a module without its own.
    output
        ``"probability"`` turns logits into class probabilities.
    batch, seed
        The same seed and batch give the same passes.
    progress
        Is told how many batches of how many are done.

    Returns
    -------
    numpy.ndarray
        Passes x inputs x what the module answers.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> import surefoot as sf
    >>> module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 3))
    >>> sf.monitors.mc_dropout(module, np.ones((5, 4), dtype=np.float32), passes=10).shape
    (10, 5, 3)

    """
    require("torch", extra="torch", purpose="Dropout")
    count = validate.count(passes, where="mc_dropout", name="passes", at_least=1)
    parts = list(batches_of(inputs, batch, where="mc_dropout"))
    wanted = dropout_layers(module, rate, [layer] if isinstance(layer, str) else layer)
    answers: list[list[Answers]] = [[] for _ in range(count)]
    with _prepared(module, wanted, validate.seed(seed, where="mc_dropout")) as model:
        for number, part in enumerate(parts):
            for turn, one in enumerate(answers):
                one.append(answers_of(model, part, output))
                if progress is not None:
                    progress(number * count + turn + 1, len(parts) * count)
    return _different(np.asarray(passes_first([joined(one) for one in answers])), wanted)


@contextmanager
def dropout_on(
    module: Any, *, seed: int, rate: float | None = None, layer: str | Sequence[str] | None = None
) -> Iterator[None]:
    """A module in evaluation mode with its dropout on and random numbers of its own, for a while.

    For passes that ``mc_dropout`` does not know how to make, such as one over sounds of different lengths.

    Parameters
    ----------
    module
        A torch module.
    seed
        Of the random numbers.
    rate, layer
        As in ``mc_dropout``.

    Yields
    ------
    None
        While the ``with`` block runs.

    See Also
    --------
    mc_dropout : Passes over arrays.
    """
    require("torch", extra="torch", purpose="Dropout")
    wanted = dropout_layers(module, rate, [layer] if isinstance(layer, str) else layer)
    with ExitStack() as kept:
        _enter(kept, module, wanted, validate.seed(seed, where="dropout_on"))
        yield


def _enter(kept: ExitStack, module: Any, wanted: DropoutLayers, seed: int) -> None:
    import torch

    kept.enter_context(torch.no_grad())
    kept.enter_context(evaluating(module))
    kept.enter_context(wanted.active())
    kept.enter_context(_seeded(module, seed))


@contextmanager
def _prepared(module: Any, wanted: DropoutLayers, seed: int) -> Iterator[LoadedModel]:
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


def _different(passes: NDArray[Any], wanted: DropoutLayers) -> NDArray[Any]:
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


@dataclass(eq=False)
class DropoutLayers(ABC):
    """Layers with dropout, and whether one of them ran."""

    parts: dict[str, Any]
    rate: float | None
    ran: bool = field(default=False, init=False)

    @property
    def names(self) -> list[str]:
        """The names of the layers."""
        return list(self.parts)

    @contextmanager
    def active(self) -> Iterator[None]:
        """Dropout on, for a while."""
        with ExitStack() as kept:
            for part in self.parts.values():
                kept.callback(part.register_forward_hook(self._after).remove)
                kept.enter_context(self._on(part))
            yield

    @contextmanager
    @abstractmethod
    def _on(self, part: Any) -> Iterator[None]:
        """A layer with its dropout on."""

    @abstractmethod
    def _after(self, part: Any, taken: Any, given: Any) -> Any:
        """What a layer gives instead; None leaves it."""


class OwnDropout(DropoutLayers):
    """Dropout layers of the module itself, at their rate or at another."""

    @contextmanager
    def _on(self, part: Any) -> Iterator[None]:
        name = rate_name(part)
        before, training = getattr(part, name), part.training
        part.training = True
        setattr(part, name, before if self.rate is None else self.rate)
        try:
            yield
        finally:
            part.training = training
            setattr(part, name, before)

    def _after(self, part: Any, taken: Any, given: Any) -> None:
        self.ran = True


class ForcedDropout(DropoutLayers):
    """Dropout after layers that have none."""

    @contextmanager
    def _on(self, part: Any) -> Iterator[None]:
        yield

    def _after(self, part: Any, taken: Any, given: Any) -> Any:
        from torch.nn.functional import dropout

        self.ran = True
        kept = first_tensor(given)
        dropped = dropout(kept, self.rate or 0.0, training=True)
        return tuple(dropped if item is kept else item for item in given) if isinstance(given, tuple) else dropped


def dropout_layers(module: Any, rate: float | None, layers: Sequence[str] | None) -> DropoutLayers:
    """Where dropout is to be, by what was asked for."""
    torch_module(module, where=WHERE)
    stated = None if rate is None else validate.fraction(rate, where=WHERE, name="rate")
    if layers is not None:
        if stated is None or not layers:
            problem = "dropout that is forced needs layers and a rate"
            raise InvalidInput(problem, where=WHERE, remedy="Give for example layer='fc1', rate=0.1.")
        return ForcedDropout({name: layer_named(module, name, where=WHERE) for name in layers}, stated)
    own = {name: part for name, part in module.named_modules() if rate_name(part)}
    if not own:
        raise InvalidInput(
            "the module has no dropout layer",
            where=WHERE,
            found=f"the layers {listed(layer_names(module, leaves=True), MOST_NAMED)}",
            remedy="Name one after which dropout is forced, and its rate: layer='...', rate=0.1. "
            "Dropout that is called as a function (torch.nn.functional) cannot be switched on from outside.",
        )
    return OwnDropout(own, stated)


def rate_name(part: Any) -> str:
    """The attribute that holds the rate of a layer with dropout; empty where it has none."""
    from torch import nn

    if isinstance(part, nn.modules.dropout._DropoutNd):
        return "p" if part.p > 0 else ""
    between_layers = isinstance(part, nn.RNNBase) and part.num_layers > 1
    inside = between_layers or isinstance(part, nn.MultiheadAttention)
    return "dropout" if inside and part.dropout > 0 else ""


# Passes by several models, or by one on changed inputs.


@validate.arguments
def ensemble_passes(
    models: Sequence[Any], inputs: ArrayLike, *, output: Asked = "raw", batch: int = 256
) -> NDArray[Any] | list[Any]:
    """What each of several models answers.

    Parameters
    ----------
    models
        Whatever ``adapters.as_model`` takes.
    inputs
        One row an input.
    output
        ``"probability"`` asks for class probabilities (logits of torch modules become such), ``"raw"`` for what a model
        returns.
    batch
        The inputs that a model is given at once.

    Returns
    -------
    numpy.ndarray or list
        Models x inputs x what they answer, or lists where answers are no arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> models = [lambda inputs: inputs[:, 0], lambda inputs: inputs[:, 0] ** 2]
    >>> sf.monitors.ensemble_passes(models, np.array([[1.0], [3.0]]))
    array([[1., 3.],
           [1., 9.]])

    """
    if not len(models):
        raise InvalidInput("needs at least one model", where="ensemble_passes")
    return passes_first([_answered(as_model(one), inputs, output, batch) for one in models])


@validate.arguments
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
    """What a model answers on changed inputs (test-time augmentation).

    Parameters
    ----------
    model
        Whatever ``adapters.as_model`` takes.
    inputs
        One row an input.
    augment
        One function of the inputs and a random generator, called once a pass, or a list of functions of the inputs, one
        a pass. It gets all inputs at once, so that ``batch`` does not change what it draws.
    passes
        How many, 10 where None.
    seed
        Of the random generator.
    output, batch
        As in ``ensemble_passes``.

    Returns
    -------
    numpy.ndarray or list
        Passes x inputs x what the model answers, or lists where answers are no arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> def brighter(inputs, rng):
    ...     return inputs + rng.uniform(0, 0.1, size=(len(inputs), 1))
    >>> sf.monitors.augmented_passes(lambda inputs: inputs.sum(axis=1) > 1, np.zeros((3, 2)), brighter, passes=4).shape
    (4, 3)

    """
    rows, loaded = validate.array(inputs, where="augmented_passes", name="inputs"), as_model(model)
    changed = _changed(rows, augment, passes, seed)
    return passes_first([_answered(loaded, one, output, batch) for one in changed])


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


def answers_of(model: LoadedModel, inputs: NDArray[Any], asked: Asked) -> Answers:
    """What a model returns for a batch, or the class probabilities in it."""
    validate.choice(asked, ("raw", "probability"), where=model.name, name="output")
    if asked == "probability":
        return _probabilities(model, inputs)
    with running(model.name, model.folder):
        answer = as_answers(model.function(np.array(inputs)))
    if len(answer) != len(inputs):
        text = f"the model returned {len(answer)} answers for {len(inputs)} inputs."
        raise DiagnosticsError.of("model-output", text, where=model.name)
    return answer


def as_answers(answer: Any) -> Answers:
    """A tensor as an array; lists of numbers or texts too; other lists, such as boxes, stay lists."""
    if hasattr(answer, "detach"):
        return array_of(answer)
    if isinstance(answer, np.ndarray):
        return answer
    items = list(answer)
    return np.asarray(items) if all(map(distances.is_plain, items)) else items


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


def joined(parts: Sequence[Answers]) -> Answers:
    """The answers of several batches, one after the other."""
    arrays = [part for part in parts if isinstance(part, np.ndarray)]
    if len(arrays) == len(parts):
        return np.concatenate(arrays)
    return [answer for part in parts for answer in part]


def passes_first(passes: Sequence[Answers]) -> Any:
    """Passes first: an array, or a list of lists where answers are no array."""
    arrays = [one for one in passes if isinstance(one, np.ndarray)]
    return np.stack(arrays) if len(arrays) == len(passes) else list(map(list, passes))
