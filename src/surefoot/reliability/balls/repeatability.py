"""Whether a model answers the same input the same way, asked again or beside other inputs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.adapters.outputs import is_label
from surefoot.core import Diagnostic, DiagnosticsError
from surefoot.core.validate import FloatArray
from surefoot.reliability.balls.probes import BATCH, Probes, answered, batches

ROUNDING = 1e-4
"""Of the size of scores: more than single precision loses."""
COARSE = 1e-2
"""Of the size of scores: more than half precision, or convolutions with rounded products, lose."""
SMALL_BATCH = 37
ALONE = 4
HALF_BYTES = 2


@dataclass(frozen=True, eq=False)
class Asked:
    """A model and what it answered at some points, to be compared with what it answers later."""

    model: LoadedModel
    tried: Probes
    answers: NDArray[Any]

    def again(self, order: NDArray[np.int64], size: int) -> FloatArray:
        """Gaps to the answers that are given in that order and in batches of that size."""
        gaps = np.zeros(len(self.tried))
        for part in batches(len(order), size):
            at = order[part]
            gaps[at] = self._gaps(at, answered(self.model, self.tried.points[at]))
        return gaps

    def _gaps(self, at: NDArray[np.int64], later: NDArray[Any]) -> FloatArray:
        """Largest difference of each point's scores, relative to their size; labels are equal or not."""
        before = self.answers[at]
        if before.shape != later.shape:
            text = f"the model returned {before.shape[1:]} values a row at first, and {later.shape[1:]} later."
            raise DiagnosticsError.of("model-output", text, where=self.model.name)
        if is_label(before, self.model.returns):
            return (before != later).astype(float)
        gaps = np.abs(later.astype(float) - before).reshape(len(at), -1).max(axis=1)
        sizes = np.abs(self.answers).reshape(len(self.tried), -1).max(axis=1)
        scale = np.maximum(sizes[at], np.median(sizes))
        return np.divide(gaps, scale, out=gaps, where=scale > 0)

    @property
    def rounding(self) -> float:
        """How much of the size of scores their rounding may take."""
        module = module_of(self.model)
        weights = module.parameters() if module is not None else ()
        half = self.answers.dtype == np.float16 or any(weight.dtype.itemsize == HALF_BYTES for weight in weights)
        return COARSE if half else ROUNDING


def module_of(model: LoadedModel) -> Any:
    """The torch module behind a model, None where there is none."""
    torch = sys.modules.get("torch")
    return model.source if torch is not None and isinstance(model.source, torch.nn.Module) else None


def require_repeatable(asked: Asked, *, seed: int) -> tuple[Diagnostic, ...]:
    """Answers agree with those given again, in another order, in smaller batches and alone.

    Small differences between batches come from kernels that round coarsely: a caveat.
    """
    count = len(asked.tried)
    _require_same_twice(asked)
    order = np.random.default_rng(seed).permutation(count)
    small = max(1, min(SMALL_BATCH, count // 4))
    gaps = np.maximum(asked.again(order, small), _alone(asked, order[:ALONE]))
    worst = float(gaps.max())
    if worst > COARSE:
        found = f"answers at {int((gaps > COARSE).sum()):,} of {count:,} points change with the rest of their batch"
        raise _batch_dependent(asked, f"{found}; most for {asked.tried.place(int(gaps.argmax()))}")
    return (_coarse(asked, worst),) if worst > asked.rounding else ()


def _require_same_twice(asked: Asked) -> None:
    count = len(asked.tried)
    differing = np.flatnonzero(asked.again(np.arange(count), BATCH) > asked.rounding)
    if differing.size:
        raise DiagnosticsError.of(
            "model-random",
            f"answers at {differing.size:,} of {count:,} points change between identical calls, first for "
            f"{asked.tried.place(int(differing[0]))}.",
            where=asked.model.name,
            hint="Switch off chance inside the model: call eval() on a module that a function wraps, and give "
            "training=False to functional dropout.",
        )


def _alone(asked: Asked, numbers: NDArray[np.int64]) -> FloatArray:
    """Gaps of a few points that are asked one by one; the model must be able to answer that."""
    try:
        return asked.again(numbers, 1)
    except DiagnosticsError as error:
        found = f"batches are answered, and a single input is not: {error.diagnostics[0].text.rstrip('.')}"
        raise _batch_dependent(asked, found) from error


def _batch_dependent(asked: Asked, found: str) -> DiagnosticsError:
    return DiagnosticsError.of(
        "model-batch-dependent",
        f"{found}.",
        where=asked.model.name,
        hint="Batch normalisation must use its running statistics: call eval() on a module that a function wraps, and "
        "leave track_running_stats on.",
    )


def _coarse(asked: Asked, gap: float) -> Diagnostic:
    return Diagnostic(
        "model-batch-dependent",
        f"scores change by up to {gap:.1g} of their size with the rest of their batch.",
        where=asked.model.name,
        hint="Rounding is coarse: torch.backends.cudnn.allow_tf32 = False makes convolutions on a GPU precise.",
    )
