"""The step that bounds the mean of losses in [0, 1] without assuming a distribution."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from surefoot import bounds
from surefoot.adapters import Tested
from surefoot.bounds.checks import IDENTICAL
from surefoot.bounds.statement import FAILURE_PROBABILITY
from surefoot.core import Estimate, Evidence, InvalidInput, Table, validate
from surefoot.core.validate import FloatArray
from surefoot.project.names import made_with
from surefoot.project.step import step
from surefoot.project.steps import figures
from surefoot.project.steps.checks import drift, drift_of_groups, examined, independence
from surefoot.project.steps.parameters import (
    LOSS_METHODS,
    Groups,
    Level,
    Loss,
    LossMethod,
    MaxGroupSize,
    OfClass,
    Undesired,
)
from surefoot.project.steps.rows import (
    Sets,
    brier_losses,
    failures,
    known_groups,
    of_truth,
    require_probabilities,
    scope_of,
)
from surefoot.project.steps.tables import MOST_LINES, limit

QUANTITIES = {
    "failure": FAILURE_PROBABILITY,
    "brier": "expected Brier loss",
    "absolute": "expected absolute error",
}
MANY_ROWS = 1_000_000


@step
def loss_bound(
    tested: Tested,
    *,
    level: Level = 0.95,
    loss: Loss = "failure",
    method: LossMethod = None,
    of: OfClass = None,
    undesired: Undesired = None,
    groups: Groups = "check",
    max_group_size: MaxGroupSize = None,
    seed: int = 0,
) -> Evidence:
    """Bound of the mean loss of a row, whatever the distribution of losses.

    Gives `failure probability`, `expected Brier loss` or `expected absolute error`.
    """
    validate.choice(loss, QUANTITIES, where=tested.component, name="loss")
    chosen = tested.of_class(of)
    values = _losses(chosen, loss, undesired)
    about: dict[str, Any] = {
        "level": level,
        "quantity": QUANTITIES[loss],
        "scope": scope_of(chosen, of=of, undesired=undesired),
    }
    compared = values > 0 if loss == "failure" else values
    if groups == "use":
        found = _by_group(chosen, values, max_group_size=max_group_size, seed=seed, **about)
        checks = {IDENTICAL.id: drift_of_groups(compared, chosen)}
    elif chosen.places is not None:
        _require_usual(method, chosen)
        found = bounds.sequence(values, block=chosen.block, positions=chosen.places, **about)
        checks = {IDENTICAL.id: drift_of_groups(compared, chosen)}
    else:
        checks = {IDENTICAL.id: drift(compared, chosen.labels)}
        found = _bound(values, method or _usual(values.size), seed, **about)
        checks["independent-losses"] = checks["same-mean"] = independence(chosen, values)
    upper = limit(found, "upper", level)
    shown = {} if loss == "failure" else {"losses": figures.losses(values, found.value, upper, level=level)}
    return Evidence(
        (examined(found, checks, also=[IDENTICAL]),), tables={"losses": _by_class(chosen, values)}, artefacts=shown
    )


def _losses(tested: Tested, loss: str, undesired: Sets) -> FloatArray:
    if loss == "failure":
        return failures(tested, undesired).astype(float)
    if undesired is not None:
        raise InvalidInput("undesired: belongs to loss: failure", where=tested.component, found=f"loss: {loss}")
    require_probabilities(tested, f"loss: {loss}", "Use loss: failure, or let the component give probabilities.")
    return brier_losses(tested) if loss == "brier" else np.clip(1 - of_truth(tested), 0, 1)


def _require_usual(method: str | None, tested: Tested) -> None:
    if method is not None:
        raise InvalidInput("rows: sequence has its own method", where=tested.component, found=f"method: {method}")


def _usual(rows: int) -> str:
    return "betting" if rows <= MANY_ROWS else "empirical_bernstein"


def _bound(losses: FloatArray, method: str, seed: int, **about: Any) -> Estimate:
    LOSS_METHODS.choice(method, where=about["scope"], name="method")
    return made_with(partial(bounds.bound.get(method), losses, **about), {"seed": seed})


def _by_group(tested: Tested, losses: FloatArray, **options: Any) -> Estimate:
    return bounds.grouped(losses, known_groups(tested), **options)


def _by_class(tested: Tested, losses: FloatArray) -> Table:
    sizes, sums = np.bincount(tested.labels), np.bincount(tested.labels, losses)
    present = np.flatnonzero(sizes)
    worst = np.sort(present[np.argsort(-(sums / np.maximum(sizes, 1))[present], kind="stable")][:MOST_LINES])
    rows = [(tested.classes[n], int(sizes[n]), float(sums[n] / sizes[n])) for n in worst]
    return Table(("true class", "rows", "mean loss"), (("all rows", losses.size, float(losses.mean())), *rows))
