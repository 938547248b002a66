"""Whether balls are small enough to hold one label."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefoot.core import Check, validate
from surefoot.core.assumption import Status
from surefoot.profile import radius_check, separation
from surefoot.reliability.balls.inputs import WHERE, Frame

MOST_ROWS = 20_000


def radius_against_separation(
    frame: Frame, radius: float | None = None, *, most_rows: int | None = MOST_ROWS, seed: int = 0
) -> Check:
    """The radius, by default that of the frame, against half the smallest distance between inputs of different labels.

    Of more than ``most_rows`` inputs, as many are drawn. Their smallest distance is at least that of all: it can speak
    against the radius and not for it. ``most_rows=None`` compares all.
    """
    size = frame.radius if radius is None else radius
    most = len(frame) if most_rows is None else validate.count(most_rows, where=WHERE, name="most_rows", at_least=2)
    rows = np.arange(len(frame))
    if len(frame) > most:
        rows = np.sort(np.random.default_rng(seed).choice(len(frame), most, replace=False))
    if np.unique(frame.labels[rows]).size < 2:
        return Check("unchecked", f"all {len(rows):,} inputs have one label", {"radius": size, "rows": len(rows)})
    return _measured(frame, size, rows)


def _measured(frame: Frame, size: float, rows: NDArray[np.int64]) -> Check:
    gap = separation(frame.rows if len(rows) == len(frame) else frame.rows[rows], frame.labels[rows])
    check = radius_check(size, gap)
    first, second = (int(row) for row in rows[list(gap.pair)])
    figures = {**check.figures, "rows": len(rows), "of_rows": len(frame), "first": first, "second": second}
    remedy = f"radii below {gap / 2:.4g} would do" if gap else "no radius would do"
    words = f"{check.method}, between rows {first} and {second}; {remedy}"
    if len(rows) == len(frame):
        return replace(check, method=words, figures=figures)
    status: Status = "contradicted" if check.status == "contradicted" else "unchecked"
    words += f", as far as {len(rows):,} of {len(frame):,} inputs can tell"
    return Check(status, words, figures, check.effect)
