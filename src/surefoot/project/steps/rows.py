"""Which rows a step looks at, which of them failed, and what the result is about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.adapters import Tested
from surefoot.bounds import margins
from surefoot.core import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.opinions.metrics import ROW_SUM_TOLERANCE

Sets = Mapping[str, Sequence[str]] | None
MOST_NAMED = 3


def scope_of(tested: Tested, *parts: str | None, undesired: Sets = None, of: str | None = None) -> str:
    """The component, what part of its rows a result is about, and which answers count as failures.

    ``of`` is the true class of all these rows, if they have one; it comes first among the parts.
    """
    named = [part for part in (of, *parts) if part is not None]
    where = f"{tested.component} on {', '.join(named)}" if named else tested.component
    return ", ".join([where, *_undesired_words(tested, undesired or {}, of)])


def _undesired_words(tested: Tested, undesired: Mapping[str, Sequence[str]], of: str | None) -> list[str]:
    sets = {
        name: " or ".join(sorted(set(undesired[name]), key=tested.class_number))
        for name in sorted(undesired, key=tested.class_number)
        if of in (None, name)
    }
    answers = sum(len(set(undesired[name])) for name in sets)
    if answers > MOST_NAMED:
        return [f"with undesired answers of {len(sets)} {'class' if len(sets) == 1 else 'classes'}"]
    return [f"answered as {words}" if of else f"{name} answered as {words}" for name, words in sets.items()]


def failures(tested: Tested, undesired: Sets) -> NDArray[np.bool_]:
    """Rows with an undesired answer; a tie for the highest score counts as one."""
    return tested.failed if undesired is None else margins_of(tested, undesired) <= 0


def margins_of(tested: Tested, undesired: Sets, scores: NDArray[np.floating] | None = None) -> FloatArray:
    """Margins of the rows (NRB, Eqn. (2))."""
    sets = None if undesired is None else _numbered(tested, undesired)
    return margins(tested.scores if scores is None else scores, tested.labels, sets)


def _numbered(tested: Tested, undesired: Mapping[str, Sequence[str]]) -> dict[int, set[int]]:
    everything = set(range(len(tested.classes)))
    sets = {number: everything - {number} for number in everything}
    for name, answers in undesired.items():
        number = tested.class_number(name)
        sets[number] = {tested.class_number(answer) for answer in answers}
        if number in sets[number]:
            raise InvalidInput(
                f"{name!r} is undesired for itself",
                where=tested.component,
                remedy="Leave it out: a right answer is no failure.",
            )
    return sets


def of_truth(tested: Tested) -> FloatArray:
    """The score of each row's true class."""
    return np.take_along_axis(tested.scores, tested.labels[:, None], axis=1)[:, 0].astype(float)


def brier_losses(tested: Tested) -> FloatArray:
    """Half the squared distance between forecast and outcome over all classes: at most 1 (Brier 1950, halved)."""
    squares = np.einsum("ij,ij->i", tested.scores, tested.scores, dtype=float)
    return np.clip((squares + 1) / 2 - of_truth(tested), 0, 1)


def known_groups(tested: Tested) -> NDArray[Any]:
    """What rows share; of a sequence without groups the block that they lie in."""
    if tested.groups is None and tested.places is not None:
        return np.asarray(tested.places // (tested.block or math.isqrt(len(tested))))
    if tested.groups is None:
        raise InvalidInput(
            "the data set does not say which rows belong together",
            where=tested.component,
            remedy="Name the column that says what rows share, such as groups: patient, or leave groups: check.",
        )
    return tested.groups


def require_probabilities(tested: Tested, purpose: str, remedy: str) -> None:
    """Scores must be probabilities: declared as such, in [0, 1], and summing to 1 in each row."""
    problem = f"{purpose} needs probabilities"
    if tested.output != "probability":
        found = "labels" if tested.output == "label" else "scores that are no probabilities"
        raise InvalidInput(problem, where=tested.component, found=found, remedy=remedy)
    low, high = float(tested.scores.min()), float(tested.scores.max())
    if low < 0 or high > 1:
        raise InvalidInput(problem, where=tested.component, found=f"scores from {low:g} to {high:g}", remedy=remedy)
    sums = tested.scores.sum(axis=1, dtype=float)
    if max(sums.max() - 1, 1 - sums.min()) > ROW_SUM_TOLERANCE:
        found = f"rows that sum to {sums.min():g} up to {sums.max():g} instead of 1"
        raise InvalidInput(problem, where=tested.component, found=found, remedy=remedy)
