"""Uncertainty of a model's answers, from repeated passes or from one.

Passes by dropout, by an ensemble of models or by changed inputs; how far their answers lie apart (Eqns. (5) and (6) of
paper SYS, Wang et al. 2022, section 3.2); and measures of class probabilities. May import ``core``, ``metrics``,
``adapters`` and ``monitors.features``; torch where it is used.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from surefoot.adapters import LoadedModel, as_model
from surefoot.adapters.answers import SUM_TOLERANCE
from surefoot.adapters.model import running
from surefoot.adapters.python_models import as_tensor, evaluating
from surefoot.core import DiagnosticsError, InvalidInput, Undefined, validate
from surefoot.core.errors import require
from surefoot.core.validate import FloatArray
from surefoot.documents import listed
from surefoot.metrics import Distance, as_distance, distances
from surefoot.metrics.distances import Pairwise
from surefoot.monitors.features import array_of, batches_of, first_tensor, layer_named, layer_names, torch_module

__all__ = [
    "IdenticalPasses",
    "augmented_passes",
    "deep_gini",
    "dropout_on",
    "ensemble_passes",
    "entropy",
    "expected_entropy",
    "mc_dropout",
    "mode_variation_ratio",
    "mutual_information",
    "pcs",
    "predictive_entropy",
    "variation_ratio",
    "variation_ratio_original",
]
WHERE = "mc_dropout"
MOST_NAMED = 12
DEFAULT_PASSES = 10
INPUTS_CLASSES, PASSES_INPUTS_CLASSES = 2, 3
SHAPES = {INPUTS_CLASSES: "inputs x classes", PASSES_INPUTS_CLASSES: "passes x inputs x classes"}
Predictions = NDArray[Any] | Sequence[Any]
Asked = Literal["raw", "probability"]
Answers = NDArray[Any] | list[Any]
Progress = Callable[[int, int], None]
Change = Callable[[NDArray[Any]], Any]
RandomChange = Callable[[NDArray[Any], np.random.Generator], Any]


# How far apart the answers of several passes lie.


def variation_ratio(
    predictions: Predictions, distance: str | Pairwise = "label", *, weights: ArrayLike | None = None
) -> Any:
    """Extended variation ratio (SYS Eqn. (5)): the mean distance of each pass to the others, for each input.

    ``predictions`` holds passes first and inputs second: an array, or a list of passes that are lists of predictions
    (text, boxes). Where each pass is one prediction, the answer is one number. ``weights`` has one entry a pass and is
    taken relative to its mean, so that passes that agree give 0. ``distance`` is a name or a function of two
    predictions; the values lie in [0, 1] where the distances do.
    """
    where = "variation_ratio"
    stack = stacked(predictions, as_distance(distance), at_least=2, where=where)
    return stack.answer(_mean_distance(stack, _weights(weights, len(stack.passes))))


def variation_ratio_original(predictions: Predictions, original: Any, distance: str | Pairwise = "label") -> Any:
    """Extended variation ratio of the original prediction (SYS Eqn. (6)): the mean distance of the passes to it.

    ``original`` is what the model answers without dropout or other changes; the rest as in ``variation_ratio``.
    """
    stack = stacked(predictions, as_distance(distance), at_least=1, where="variation_ratio_original")
    return stack.answer(_total(stack, stack.original(original)) / len(stack.passes))


def mode_variation_ratio(labels: Predictions) -> Any:
    """1 - share of the passes that answer the most frequent label (Freeman 1965), for each input."""
    stack = stacked(labels, as_distance("label"), at_least=1, where="mode_variation_ratio")
    differing = [_total(stack, one) for one in stack.passes]
    return stack.answer(np.min(differing, axis=0) / len(stack.passes))


def _mean_distance(stack: Stack, weights: FloatArray) -> FloatArray:
    passes, symmetric = stack.passes, stack.distance.symmetric
    total = np.zeros(len(passes[0]))
    for i, j in (combinations if symmetric else permutations)(range(len(passes)), 2):
        weight = weights[i] + weights[j] if symmetric else weights[i]
        total += weight * stack.between(passes[i], passes[j])
    return total / (len(passes) * (len(passes) - 1))


def _total(stack: Stack, reference: Predictions) -> FloatArray:
    """The sum of the distances of all passes to one."""
    total = np.zeros(len(reference))
    for one in stack.passes:
        total += stack.between(one, reference)
    return total


def _weights(weights: ArrayLike | None, passes: int) -> FloatArray:
    """Weights whose mean is 1."""
    if weights is None:
        return np.ones(passes)
    given = validate.vector(weights, where="variation_ratio", name="weights")
    if len(given) != passes or (given < 0).any() or not given.any():
        found = f"{np.array2string(given[:8], precision=4)} for {passes} passes"
        problem = "weights must be one number a pass, none negative and not all 0"
        raise InvalidInput(problem, where="variation_ratio", found=found)
    relative = given / given.max()
    return relative / relative.mean()


@dataclass(frozen=True, eq=False)
class Stack:
    """Passes of equal length, made ready for a distance, and how far apart two of them lie, input by input."""

    passes: Sequence[Predictions]
    distance: Distance
    single: bool
    """Whether each pass was one prediction rather than many."""

    def between(self, first: Predictions, second: Predictions) -> FloatArray:
        """The distance of two passes at each input."""
        if self.distance.by_row is not None:
            return self.distance.by_row.between(np.asarray(first), np.asarray(second))
        values = [self.distance(a, b) for a, b in zip(first, second, strict=True)]
        return validate.vector(values, where=self.distance.name, name="distances")

    def original(self, prediction: Any) -> Predictions:
        """The original predictions, one for each input."""
        original = _as_pass(prediction, self.distance, self.single, "original")
        if len(original) != len(self.passes[0]):
            found = f"{len(original)} for {len(self.passes[0])} inputs"
            raise InvalidInput("original must have one prediction an input", where="original", found=found)
        return original

    def answer(self, values: FloatArray) -> Any:
        """One number where each pass was one prediction."""
        return float(values[0]) if self.single else values


def stacked(predictions: Predictions, distance: Distance, *, at_least: int, where: str) -> Stack:
    """Read passes: an array with passes first, or a list of passes."""
    listed = list(predictions)
    if len(listed) < at_least:
        found, remedy = f"{len(listed)}", "Give one entry a pass: passes first, inputs second."
        raise InvalidInput(f"needs at least {at_least} passes", where=where, found=found, remedy=remedy)
    single = all(map(distance.is_one, listed))
    passes = [_as_pass(one, distance, single, where) for one in listed]
    lengths = sorted({len(one) for one in passes})
    if len(lengths) > 1 or not lengths[0]:
        found = f"passes of length {', '.join(map(str, lengths))}"
        raise InvalidInput("passes must be of one length, above 0", where=where, found=found)
    return Stack(passes, distance, single)


def _as_pass(one: Any, distance: Distance, single: bool, where: str) -> Predictions:
    if not single and distances.is_plain(one):
        remedy = "Give as many predictions in each pass as there are inputs."
        raise InvalidInput("a pass must be a list of predictions", where=where, found=repr(one)[:60], remedy=remedy)
    many = [one] if single else one
    return many if distance.by_row is None else distance.by_row.ready(_array(many, where))


def _array(predictions: Any, where: str) -> NDArray[Any]:
    try:
        return np.asarray(predictions)
    except ValueError as error:
        raise InvalidInput("predictions must have one shape", where=where, found=repr(predictions)[:60]) from error


# Passes of a torch module with its dropout on, in layers of its own or forced after named layers.


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


@dataclass(eq=False)
class Dropping(ABC):
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


class Own(Dropping):
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


class Forced(Dropping):
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


def dropping(module: Any, rate: float | None, layers: Sequence[str] | None) -> Dropping:
    """Where dropout is to be, by what was asked for."""
    torch_module(module, where=WHERE)
    stated = None if rate is None else validate.fraction(rate, where=WHERE, name="rate")
    if layers is not None:
        if stated is None or not layers:
            problem = "dropout that is forced needs layers and a rate"
            raise InvalidInput(problem, where=WHERE, remedy="Give for example layer='fc1', rate=0.1.")
        return Forced({name: layer_named(module, name, where=WHERE) for name in layers}, stated)
    own = {name: part for name, part in module.named_modules() if rate_name(part)}
    if not own:
        raise InvalidInput(
            "the module has no dropout layer",
            where=WHERE,
            found=f"the layers {listed(layer_names(module, leaves=True), MOST_NAMED)}",
            remedy="Name one after which dropout is forced, and its rate: layer='...', rate=0.1. "
            "Dropout that is called as a function (torch.nn.functional) cannot be switched on from outside.",
        )
    return Own(own, stated)


def rate_name(part: Any) -> str:
    """The attribute that holds the rate of a layer with dropout; empty where it has none."""
    from torch import nn

    if isinstance(part, nn.modules.dropout._DropoutNd):
        return "p" if part.p > 0 else ""
    between_layers = isinstance(part, nn.RNNBase) and part.num_layers > 1
    inside = between_layers or isinstance(part, nn.MultiheadAttention)
    return "dropout" if inside and part.dropout > 0 else ""


# Passes by several models, or by one on changed inputs.


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


def plain(answer: Any) -> Answers:
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


def stack(passes: Sequence[Answers]) -> Any:
    """Passes first: an array, or a list of lists where answers are no array."""
    arrays = [one for one in passes if isinstance(one, np.ndarray)]
    return np.stack(arrays) if len(arrays) == len(passes) else list(map(list, passes))


# Measures of class probabilities, of one pass or of several; entropies are in nats.


def entropy(probabilities: ArrayLike) -> FloatArray:
    """Shannon entropy of each row of inputs x classes."""
    return _entropy(_checked(probabilities, INPUTS_CLASSES, "entropy"))


def deep_gini(probabilities: ArrayLike) -> FloatArray:
    """1 - sum of squared probabilities (Feng et al. 2020), of inputs x classes."""
    checked = _checked(probabilities, INPUTS_CLASSES, "deep_gini")
    return 1 - np.einsum("ij,ij->i", checked, checked)


def pcs(probabilities: ArrayLike) -> FloatArray:
    """1 - prediction confidence score (Zhang et al. 2020), of inputs x classes.

    The score is the difference of the two highest probabilities; it is taken from 1 so that higher is less certain.
    """
    checked = _checked(probabilities, INPUTS_CLASSES, "pcs")
    if checked.shape[1] == 1:
        raise InvalidInput("needs at least 2 classes", where="pcs", found="1")
    highest = np.partition(checked, -2, axis=1)[:, -2:]
    return 1 - (highest[:, 1] - highest[:, 0])


def predictive_entropy(probabilities: ArrayLike) -> FloatArray:
    """Entropy of the mean over passes, of passes x inputs x classes: the whole uncertainty (Gal 2016)."""
    return _entropy(_checked(probabilities, PASSES_INPUTS_CLASSES, "predictive_entropy").mean(axis=0))


def expected_entropy(probabilities: ArrayLike) -> FloatArray:
    """Mean over passes of the entropy, of passes x inputs x classes: the part that no knowledge of weights removes."""
    return _expected(_checked(probabilities, PASSES_INPUTS_CLASSES, "expected_entropy"))


def mutual_information(probabilities: ArrayLike) -> FloatArray:
    """Predictive entropy - expected entropy, of passes x inputs x classes: how far passes disagree.

    The mutual information of answer and weights (Houlsby et al. 2011; Gal 2016).
    """
    checked = _checked(probabilities, PASSES_INPUTS_CLASSES, "mutual_information")
    return np.maximum(_entropy(checked.mean(axis=0)) - _expected(checked), 0.0)


def _expected(checked: FloatArray) -> FloatArray:
    total = np.zeros(checked.shape[1])
    for one in checked:
        total += _entropy(one)
    return total / len(checked)


def _entropy(checked: FloatArray) -> FloatArray:
    return np.maximum(-xlogy(checked, checked).sum(axis=-1), 0.0)


def _checked(probabilities: ArrayLike, axes: int, where: str) -> FloatArray:
    """Rows that sum to 1: exactly, where they did but for rounding."""
    values = validate.numbers(probabilities, where=where, name="probabilities")
    if values.ndim != axes or 0 in values.shape:
        problem = f"probabilities must have {axes} axes, {SHAPES[axes]}, none empty"
        raise InvalidInput(problem, where=where, found=f"shape {values.shape}")
    with np.errstate(over="ignore"):
        sums = values.sum(axis=-1, keepdims=True)
    bad = (values < 0).any(axis=-1) | (np.abs(sums[..., 0] - 1) > SUM_TOLERANCE)
    if bad.any():
        first = values[tuple(np.argwhere(bad)[0])][:8]
        found = f"{np.array2string(first, precision=4)} ({int(bad.sum())} such rows in all)"
        remedy = "They lie in [0, 1] and sum to 1; take the softmax of logits."
        raise InvalidInput("rows must be probabilities", where=where, found=found, remedy=remedy)
    return values / sums
