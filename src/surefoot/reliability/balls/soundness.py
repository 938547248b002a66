"""What must hold of a model before failures in balls mean anything, tried on the model itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.core import Diagnostic, validate
from surefoot.documents import counted
from surefoot.reliability.balls.inputs import WHERE, Frame
from surefoot.reliability.balls.layout import doubtful_layout, require_accepted_shape
from surefoot.reliability.balls.probes import finite_answers, probes
from surefoot.reliability.balls.repeatability import Asked, module_of, require_repeatable
from surefoot.reliability.balls.score_quality import saturated


def require_sound_model(
    model: LoadedModel,
    frame: Frame,
    *,
    answers: NDArray[Any] | None = None,
    classes: Sequence[str] = (),
    seed: int = 0,
) -> tuple[Diagnostic, ...]:
    """Raise where a model would make results wrong, and say what else is worth knowing.

    It must take inputs of this shape, give finite scores all over some balls, and answer an input the same way each
    time and in any batch. ``answers`` are those at all centres where they are at hand, ``classes`` the names of
    the model's columns.
    """
    seed = validate.seed(seed, where=WHERE)
    require_accepted_shape(model, frame)
    tried = probes(frame, seed=seed)
    found = finite_answers(model, tried)
    return (
        *training_mode(model),
        *require_repeatable(Asked(model, tried, found), seed=seed),
        *saturated(model, found[tried.at_centres] if answers is None else answers),
        *doubtful_layout(model, frame, classes=tuple(classes), seed=seed),
    )


def training_mode(model: LoadedModel) -> tuple[Diagnostic, ...]:
    """A note where parts of a torch module that behave differently in training are in training mode."""
    module = module_of(model)
    if module is None:
        return ()
    from torch.nn.modules import batchnorm, dropout

    kinds = (batchnorm._NormBase, dropout._DropoutNd)
    parts = [name or "the module" for name, p in module.named_modules() if p.training and isinstance(p, kinds)]
    if not parts:
        return ()
    count = counted(len(parts), "part")
    return (
        Diagnostic(
            "model-training-mode",
            f"{count} of the module, {parts[0]!r} first, were in training mode; it was run in evaluation mode.",
            "note",
            model.name,
            "Call eval() on it to say that this is meant.",
        ),
    )
