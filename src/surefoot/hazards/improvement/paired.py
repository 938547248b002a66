"""Two models on the same rows: an exact test of whether one fails less often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from surefoot.core import InvalidInput, validate


@dataclass(frozen=True)
class Paired:
    """Rows on which only the model before, or only the one after, fails; ``p_value`` of the exact two-sided test."""

    rows: int
    only_before: int
    only_after: int
    p_value: float


def paired(before: ArrayLike, after: ArrayLike, *, where: str) -> Paired:
    """McNemar's test (1947), exact: of rows on which one model fails, either is as likely where nothing changed.

    >>> paired([1, 1, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0], where="detector").p_value
    0.03125
    """
    one, other = _failures(before, where), _failures(after, where)
    validate.same_length(where, before=one, after=other)
    fixed, broken = int((one & ~other).sum()), int((other & ~one).sum())
    return Paired(len(one), fixed, broken, exact_p_value(fixed, broken))


def exact_p_value(fixed: int, broken: int) -> float:
    """Twice the smaller tail of a binomial distribution with one half, at most 1."""
    return min(1.0, 2.0 * float(special.bdtr(min(fixed, broken), fixed + broken, 0.5)))


def _failures(said: ArrayLike, where: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    values = validate.vector(said, where=where, name="failures")
    if not np.isin(values, (0.0, 1.0)).all():
        raise InvalidInput("failures are true or false, one a row", where=where, found=f"{values[:5]}...")
    return values.astype(bool)
