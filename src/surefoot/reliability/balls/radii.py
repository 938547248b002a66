"""The answer as a function of the radius of the balls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import ArrayLike

from surefoot.core import Table, validate
from surefoot.reliability.balls.designs import ByWeight, Design
from surefoot.reliability.balls.given import around, prepared
from surefoot.reliability.balls.inputs import ball_inputs
from surefoot.reliability.balls.radius import radius_against_separation
from surefoot.reliability.limits import LEVELS

COLUMNS = ("radius", "holds one label", "pmi", *(f"at {level:g}" for level in LEVELS), "by balls", "acu")


def assess_radii(
    model: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    radii: Sequence[float],
    design: Design | None = None,
    input_range: Sequence[float] = (0, 1),
    centres: ArrayLike | None = None,
    **options: Any,
) -> Table:
    """pmi, its upper limits and ACU for several radii, from the same seeds.

    ``options`` are those of ``assess_balls``. Where no ``design`` is given balls are drawn by weight, and are the same
    for all radii; designs that follow predicted risk draw others for each. A ball holds one label where its radius
    is below half the separation of the labels (errata RAM 11).
    """
    sizes = validate.vector(radii, where="assess_radii", name="radii").tolist()
    inputs = around(X, centres)
    frames = [ball_inputs(inputs, y, radius=size, input_range=input_range) for size in sizes]
    first = prepared(model, frames[0], design=design or ByWeight(), **{**options, "checks": False})
    rows = []
    for size in sizes:
        found = first.with_radius(size).result()
        limits = (found.pmi.upper(level) for level in LEVELS)
        rows.append((size, found.pmi.value, *limits, found.by_balls.value, found.acu.value))
    allowed = radius_against_separation(frames[0], seed=first.seed).figures.get("allowed")
    return Table(COLUMNS, tuple((row[0], _fits(row[0], allowed), *row[1:]) for row in rows))


def _fits(size: float, allowed: float | None) -> str:
    if allowed is None:
        return "unknown"
    return "yes" if size < allowed else "no"
