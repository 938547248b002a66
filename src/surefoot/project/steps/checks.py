"""What the test data say about the assumptions of a step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.adapters import Tested
from surefoot.bounds import duplicates, effective_sample_size, split_half_drift
from surefoot.bounds.checks import FEWEST_FOR_HALVES, MANY_COPIES, practically_constant
from surefoot.bounds.plain import plain_array
from surefoot.core import Assumption, Check, Diagnostic, Estimate, Undefined
from surefoot.core.validate import FloatArray

HINTS = {
    "normal-margins": "Use a bound that does not need it, such as the step binomial_bound.",
    "independent": "Remove copies; where rows come in groups, name their column and say groups: use.",
    "same-mean": "Remove copies; where rows come in groups, name their column and say groups: use.",
    "identical-distribution": "Find out what changed between the first and the second half of the rows.",
}


def independence(tested: Tested, losses: ArrayLike) -> Check | None:
    """Whether rows repeat each other: groups of several rows, or copies of inputs; None where neither is known."""
    by_group = None if tested.groups is None else _grouping(tested, losses)
    if tested.inputs is None or (by_group and by_group.status == "contradicted"):
        return by_group
    return duplicates(tested.inputs)


def drift(values: FloatArray, labels: NDArray[np.int64]) -> Check | None:
    """Difference between the first and the second half of the rows of each class, in the order in which they came.

    Halves are taken class by class, so that a file sorted by class shows no drift.
    """
    if values.size < FEWEST_FOR_HALVES or practically_constant(values):
        return None
    return replace(
        split_half_drift(values[_first_halves_first(labels)]), method="drift between the halves of each class"
    )


def examined(estimate: Estimate, checks: Mapping[str, Check | None], *, also: Iterable[Assumption] = ()) -> Estimate:
    """The estimate with what checks found, by id of the assumption, and with further assumptions."""
    stated = (*estimate.assumptions, *(replace(a, scope=estimate.scope) for a in also))
    assumptions = tuple(replace(a, check=checks.get(a.id) or a.check) for a in stated)
    caveats = [_contradiction(a, a.check) for a in assumptions if a.check and a.status == "contradicted"]
    return replace(estimate, assumptions=assumptions, caveats=(*estimate.caveats, *caveats))


def _contradiction(assumption: Assumption, check: Check) -> Diagnostic:
    text = f"The data speak against this assumption: {assumption.text} ({check.method})"
    hint = next((hint for start, hint in HINTS.items() if assumption.id.startswith(start)), "")
    return Diagnostic("assumption-contradicted", text, hint=hint)


def _grouping(tested: Tested, losses: ArrayLike) -> Check:
    labels = plain_array(tested.groups, where=tested.component, name="groups")  # type: ignore[arg-type]
    try:
        effect = effective_sample_size(losses, labels)
        groups, further = effect.groups, {"correlation": effect.icc, "effective_rows": effect.effective_size}
    except Undefined:
        groups, further = np.unique(labels).size, {}
    share = 1 - groups / len(tested)
    figures = {"rows": len(tested), "groups": groups, "share": share, **further}
    return Check("contradicted" if share > MANY_COPIES else "supported", "rows of one group", figures, share)


def _first_halves_first(labels: NDArray[np.int64]) -> NDArray[np.intp]:
    order = np.argsort(labels.astype(np.min_scalar_type(int(labels.max()))), kind="stable")
    sizes = np.bincount(labels)
    rank = np.arange(labels.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    first = rank < np.repeat((sizes + 1) // 2, sizes)
    return np.concatenate([order[first], order[~first]])
