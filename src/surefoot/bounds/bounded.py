"""Bounds of the mean of losses in [0, 1] in closed form: Hoeffding, Bentkus, empirical Bernstein, normal."""

from __future__ import annotations

import math
from collections.abc import Iterable

from numpy.typing import ArrayLike

from surefoot.bounds.families import BentkusBound, CentralLimitBound, EmpiricalBernsteinBound, HoeffdingBound
from surefoot.bounds.statement import (
    EXPECTED_LOSS,
    FIXED_SIZE,
    INDEPENDENT_LOSSES,
    REPRESENTATIVE,
    About,
    approximate,
    bound,
    state,
)
from surefoot.core import BoundFamily, Diagnostic, Estimate, InvalidInput, Provenance, array_digest, validate
from surefoot.core.estimate import PER_DEMAND
from surefoot.core.validate import FloatArray


@bound(step="loss_bound")
def hoeffding(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] that ignores how they spread.

    Hoeffding (1963), Theorem 2: mean + sqrt(log(1/alpha) / (2 n)).
    """
    values = validate.unit_vector(losses, where="hoeffding", name="losses")
    mean, n = float(values.mean()), values.size
    bounds = (HoeffdingBound(mean, n, 1.0, "upper", "confidence"), HoeffdingBound(mean, n, 1.0, "lower", "confidence"))
    return _estimate("hoeffding", values, level, About(quantity, unit, scope), bounds)


@bound
def bentkus(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] from their sum alone: the tightest of these where losses are few and rare.

    Bentkus (2004), "On Hoeffding's inequalities", Ann. Probab. 32(2); see ``BentkusBound``. It depends on no order and
    no seed. Where losses spread much less than coins of the same mean, and there are many, ``betting`` is tighter.
    """
    values = validate.unit_vector(losses, where="bentkus", name="losses")
    mean, n = float(values.mean()), values.size
    bounds = (BentkusBound(mean, n, "upper", "confidence"), BentkusBound(mean, n, "lower", "confidence"))
    return _estimate("bentkus", values, level, About(quantity, unit, scope), bounds)


@bound(step="loss_bound")
def empirical_bernstein(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Bound of the mean of losses in [0, 1] that narrows where they spread little.

    Maurer and Pontil (2009), Theorem 4: mean + sqrt(2 V log(2/alpha) / n) + 7 log(2/alpha) / (3 (n-1))
    with V the sample variance.
    """
    values = _at_least_two(validate.unit_vector(losses, where="empirical_bernstein", name="losses"))
    mean, variance, n = float(values.mean()), float(values.var(ddof=1)), values.size
    bounds = (
        EmpiricalBernsteinBound(mean, variance, n, 1.0, "upper", "confidence"),
        EmpiricalBernsteinBound(mean, variance, n, 1.0, "lower", "confidence"),
    )
    return _estimate("empirical_bernstein", values, level, About(quantity, unit, scope), bounds)


@bound(step="loss_bound")
def normal_approximation(
    losses: ArrayLike,
    *,
    level: float,
    quantity: str = EXPECTED_LOSS,
    unit: str = PER_DEMAND,
    scope: str = "",
) -> Estimate:
    """Mean plus a normal quantile times its standard error (central limit theorem).

    The usual textbook interval. It has no guarantee and is badly wrong for rare failures: without
    one seen failure it claims a risk of 0.
    """
    values = _at_least_two(validate.unit_vector(losses, where="normal_approximation", name="losses"))
    mean, error, n = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size), values.size
    bounds = (
        CentralLimitBound(mean, error, n, "upper", "heuristic"),
        CentralLimitBound(mean, error, n, "lower", "heuristic"),
    )
    caveat = approximate("The normal approximation", "Use betting where the level must hold.")
    return _estimate("normal_approximation", values, level, About(quantity, unit, scope), bounds, [caveat])


def _estimate(
    method: str,
    losses: FloatArray,
    level: float,
    about: About,
    bounds: Iterable[BoundFamily],
    caveats: Iterable[Diagnostic] = (),
) -> Estimate:
    params = {"level": validate.level(level, where=method)}
    return state(
        about,
        float(losses.mean()),
        bounds,
        assumptions=(INDEPENDENT_LOSSES, FIXED_SIZE, REPRESENTATIVE),
        caveats=caveats,
        details={**params, "trials": losses.size},
        provenance=Provenance(f"bounds.{method}", params, data={"losses": array_digest(losses)}),
    )


def _at_least_two(values: FloatArray) -> FloatArray:
    if values.size < 2:
        raise InvalidInput(
            "a variance needs at least two losses", where="losses", found="1", remedy="Use hoeffding or betting."
        )
    return values
