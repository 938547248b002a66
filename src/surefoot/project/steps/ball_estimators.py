"""Which estimator finds the risk inside balls, which design draws them, and where the model runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from typing import Any

from surefoot.adapters import LoadedModel
from surefoot.core import InvalidInput, validate
from surefoot.core.extras import require
from surefoot.project.names import made_with
from surefoot.project.steps.ball_parameters import BALL_ESTIMATORS
from surefoot.reliability.balls.adaptive import Adaptive
from surefoot.reliability.balls.designs import AtRandom, ByRisk, ByWeight, Design, Stratified, WithReplacement
from surefoot.reliability.balls.problem import BallEstimator, ball_estimator
from surefoot.reliability.balls.splitting import MultilevelSplitting
from surefoot.reliability.safe_boxes import readable

DESIGNS: dict[str, type[Any]] = {
    "at_random": AtRandom,
    "adaptive": Adaptive,
    "by_weight": ByWeight,
    "by_risk": ByRisk,
    "stratified": Stratified,
    "with_replacement": WithReplacement,
}


def design_named(name: str) -> Design | None:
    """The design of that name; none for ``auto``, which the weights decide."""
    validate.choice(name, ("auto", *DESIGNS), where="design", name="design")
    return None if name == "auto" else DESIGNS[name]()


def estimator_named(
    name: str,
    model: LoadedModel,
    shape: tuple[int, ...],
    *,
    particles: int,
    moves: int,
    rho: float,
    samples: int,
) -> BallEstimator | None:
    """The estimator of that name; none for ``auto``, which the predicted risk decides.

    It is made with those of ``samples``, ``particles``, ``steps``, ``rho`` and ``otherwise`` (one that splits) that it
    takes.
    """
    BALL_ESTIMATORS.choice(name, where="estimator", name="estimator")
    if name == "auto":
        return None
    if name == "interval" and not readable(model, shape):
        raise InvalidInput(
            "nothing can be proved of a model whose layers cannot be read",
            where="estimator",
            found=model.name,
            remedy="Say estimator: auto or splitting.",
        )
    offered: dict[str, Any] = {"samples": samples, "particles": particles, "steps": moves, "rho": rho}
    kind = ball_estimator.get(name)
    if "otherwise" in signature(kind).parameters:
        offered["otherwise"] = MultilevelSplitting(particles=particles, steps=moves, rho=rho)
    return made_with(kind, offered)


@contextmanager
def on_device(model: LoadedModel, device: str) -> Iterator[None]:
    """Torch modules moved to a device and back; other models stay where they are."""
    module = model.source
    if device == "cpu" or not hasattr(module, "parameters") or next(module.parameters(), None) is None:
        yield
        return
    torch = require("torch", extra="torch", purpose="Running on a graphics processor")
    if not torch.cuda.is_available():
        if device == "cuda":
            raise InvalidInput(
                "torch finds no graphics processor", where="device", found="cuda", remedy="Say device: auto or cpu."
            )
        yield
        return
    before = next(module.parameters()).device
    module.to("cuda")
    try:
        yield
    finally:
        module.to(before)
