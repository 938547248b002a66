"""The detector under test, and the words of what may be wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import SurefootError
from surefoot.testing.detector_checks.data import Material, Rows

TOLERANCE = 1e-5
"""Single-precision models answer batches of other sizes with other last digits."""
CLEAR = (SurefootError, ValueError)
MOST_QUOTED = 160


class Failed(Exception):
    """What a check found wrong."""


class NotApplicable(Exception):
    """Why a check says nothing about this detector."""


@dataclass(frozen=True)
class Subject:
    """A way to make the detector, rows for it, and objects that its files do not hold."""

    make: Callable[[], Any]
    material: Material
    takes: str
    by_class: bool | None
    """Whether it needs classes; None where it does not say."""
    objects: Mapping[str, Any]

    def fitted(self, rows: Rows | None = None) -> Any:
        """A fresh detector, fitted to a copy of these rows or of the usual ones."""
        return fit(self.make(), rows or self.material.usual)

    @cached_property
    def ready(self) -> Any:
        """One fitted detector for all checks that only score."""
        return self.fitted()

    def needs(self, *names: str) -> None:
        """Say that a check does not apply to a detector without these."""
        missing = [name for name in names if not hasattr(self.ready, name)]
        if missing:
            raise NotApplicable(f"it has no {missing[0]}")

    def needs_classes(self) -> None:
        """Say that a check does not apply to a detector that needs no classes, or does not say so."""
        if not self.by_class:
            raise NotApplicable("it does not say by_class" if self.by_class is None else "it needs no classes")


Check = Callable[[Subject], None]


def fit(detector: Any, rows: Rows) -> Any:
    """The detector, fitted to a copy of rows."""
    taken = rows.copy()
    detector.fit(taken.features, taken.classes)
    return detector


def scores(detector: Any, rows: Rows) -> NDArray[Any]:
    """Its scores of a copy of rows, as they come."""
    taken = rows.copy()
    return detector.decision_function(taken.features, taken.classes)


def require_scores(found: Any, rows: int, what: str) -> None:
    """Fail unless these are finite floats, one for each row."""
    if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.shape != (rows,):
        shape = f"{found.dtype} of shape {found.shape}" if isinstance(found, np.ndarray) else type(found).__name__
        raise Failed(f"{what}: gives {shape} instead of float64 of shape {(rows,)}")
    if not np.isfinite(found).all():
        raise Failed(f"{what}: gives {found[~np.isfinite(found)][0]} for {int((~np.isfinite(found)).sum())} rows")


def require_same(found: Any, expected: Any, what: str) -> None:
    """Fail unless the scores are the same but for rounding."""
    given, wanted = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    if given.shape != wanted.shape:
        raise Failed(f"{what}: gives scores of shape {given.shape} instead of {wanted.shape}")
    same = np.abs(given - wanted) <= TOLERANCE * (np.abs(wanted) + wanted.std())
    if not same.all():
        row = int((~same).argmax())
        raise Failed(f"{what}: gives {given[row]:.6g} instead of {wanted[row]:.6g} for row {row}")


def require_refusal(call: Callable[[], Any], what: str, *, says: Sequence[str] = ()) -> None:
    """Fail unless the call raises a ValueError or a SurefootError that names what is wrong."""
    try:
        found = call()
    except Exception as error:
        if not isinstance(error, CLEAR) or isinstance(error, np.linalg.LinAlgError):
            raise Failed(f"{what}: raises {quoted(error)}, which does not say what is wrong") from error
        if says and not any(word in str(error).lower() for word in says):
            raise Failed(f"{what}: the error does not say so: {quoted(error)}") from error
        return
    raise Failed(f"{what}: is not refused, and gives {type(found).__name__}")


def quoted(error: BaseException) -> str:
    """An error in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:MOST_QUOTED]}{'...' if len(text) > MOST_QUOTED else ''}"
