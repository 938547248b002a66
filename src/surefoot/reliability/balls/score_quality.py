"""Whether a model's scores tell how far an input is from failing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import LoadedModel
from surefoot.adapters.outputs import is_label, put, score_type, settle
from surefoot.core import Diagnostic, DiagnosticsError

MANY = 0.01
"""Share of inputs whose scores may say nothing."""


def require_scores(model: LoadedModel, inputs: NDArray[Any] | None = None) -> None:
    """The model returns scores, as far as it is known or as the given inputs show."""
    labels = model.returns == "label" if inputs is None else is_label(model.answers(inputs), model.returns)
    if labels:
        raise DiagnosticsError.of(
            "scores-needed",
            "splitting needs scores, which say how far an input is from failing; the model returns labels.",
            where=model.name,
            hint="Let the model return logits or probabilities, or count failures: estimator=MonteCarlo(...).",
        )


def saturated(model: LoadedModel, answers: NDArray[Any]) -> tuple[Diagnostic, ...]:
    """A caveat where the two highest scores are equal, or all probabilities but one are 0, for many inputs."""
    if is_label(answers, model.returns):
        return ()
    flat = _says_nothing(model, answers)
    share = float(flat.mean())
    if share <= MANY:
        return ()
    return (
        Diagnostic(
            "scores-saturate",
            f"at {share:.0%} of {len(flat):,} inputs the highest scores tie or all probabilities but one are 0, so "
            "scores do not tell how close these inputs are to failing.",
            where=model.name,
            hint="Let the model return logits, in double precision where they are large.",
        ),
    )


def _says_nothing(model: LoadedModel, answers: NDArray[Any]) -> NDArray[np.bool_]:
    single = answers.ndim == 1
    scores = np.zeros((len(answers), 2 if single else answers.shape[1]), score_type(answers, model.name))
    put(scores, answers)
    returns = settle(scores, single=single, returns=model.returns, usual=model.usual)
    if single:
        scores[:, 0] = 1 - scores[:, 1] if returns == "probability" else 0
    top = np.sort(scores, axis=1)[:, -2:]
    tied = top[:, 1] == top[:, 0]
    return np.asarray(tied | (top[:, 0] == 0) if returns == "probability" else tied)
