"""Trust chains: a primary metric discounted by what is known about its calibration, data and input space.

Any statement about a model rests on the data it was tested on, and any statement about the data rests on the
description of the input space (Herd & Burton, SAC 2024, Figure 1 and section 4).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, get_args

from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.discounting import How
from surefoot.opinions.metrics import coverage
from surefoot.opinions.opinion import Opinion

Layer = Literal["model", "data", "input space"]
LAYERS: tuple[str, ...] = get_args(Layer)


@dataclass(frozen=True)
class Link:
    """A secondary opinion with its name and the layer it speaks about."""

    name: str
    layer: Layer
    opinion: Opinion

    def __post_init__(self) -> None:
        where = f"Link {self.name!r}"
        validate.choice(self.layer, LAYERS, where=where, name="layer")
        checks.fitting(where, self.opinion, kind="binomial")


def chain(primary: Opinion, *secondary: Opinion | Link, how: How = "uncertainty") -> Opinion:
    """The primary opinion discounted by each secondary one, innermost first (Herd & Burton 2024, Eqns. 27-28).

    ``how`` is the discounting operator of ``Opinion.discounted_by``. Links must ascend from model to data to input
    space; plain opinions stand where they are put.

    >>> calibration, data = Opinion(0.99, 0.01, 0), Opinion(0.9, 0.1, 0)
    >>> round(float(chain(Opinion(0.97, 0.02, 0.01), calibration, data).uncertainty), 5)
    0.11791
    """
    return chain_steps(primary, *secondary, how=how)[-1]


def chain_steps(primary: Opinion, *secondary: Opinion | Link, how: How = "uncertainty") -> tuple[Opinion, ...]:
    """The primary opinion and what is left of it after each link of the chain."""
    _check_order(secondary)
    trusts = [link.opinion if isinstance(link, Link) else link for link in secondary]
    checks.fitting("chain", primary, *trusts, kind="binomial")
    steps = [primary]
    for trust in trusts:
        steps.append(steps[-1].discounted_by(trust, how=how))
    return tuple(steps)


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """How a discounted opinion's interval moves with the coverage that is missing, in arrays of one length."""

    loss: FloatArray
    lower: FloatArray
    mean: FloatArray
    upper: FloatArray
    level: float


def coverage_sensitivity(opinion: Opinion, loss: ArrayLike, *, level: float = 0.95) -> Sensitivity:
    """Discount ``opinion`` by coverages of 1 - ``loss`` without uncertainty (Herd & Burton 2024, Figure 3)."""
    where = "coverage_sensitivity"
    losses = validate.unit_vector(loss, where=where, name="loss").copy()
    result = chain(opinion, coverage(1 - losses, 1.0, prior_weight=0))
    checked = validate.level(level, where=where)
    lower, upper = result.interval(checked)
    return Sensitivity(losses, lower, result.probability, upper, checked)


def _check_order(secondary: tuple[Opinion | Link, ...]) -> None:
    links = [link for link in secondary if isinstance(link, Link)]
    for inner, outer in pairwise(links):
        if LAYERS.index(inner.layer) > LAYERS.index(outer.layer):
            raise InvalidInput(
                "links must ascend from model to data to input space",
                where="chain",
                found=f"{inner.name!r} ({inner.layer}) before {outer.name!r} ({outer.layer})",
                remedy="Give the innermost link first.",
            )
