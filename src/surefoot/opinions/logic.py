"""The algebra of opinions about independent or disjoint propositions.

Conjunction and disjunction of independent propositions, their inverses, addition and subtraction of
disjoint ones, and uncertainty maximisation. The inverses exist for some pairs of opinions only and
raise ``Undefined`` for the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from surefoot.core.errors import Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks

if TYPE_CHECKING:
    from surefoot.opinions.hyper import HyperOpinion
    from surefoot.opinions.multinomial import MultinomialOpinion
    from surefoot.opinions.opinion import Opinion


def conjunction(x: Opinion, y: Opinion) -> Opinion:
    """Opinion about x AND y for independent x and y: binomial multiplication (Jøsang 2016, definition 7.1).

    The projected probability is the product. Two base rates of 1 leave the split between belief and
    uncertainty open; the limit along equal base rates is taken.
    """
    checks.combinable("conjunction", x, y, kind="binomial")
    product = x.base_rate * y.base_rate
    x_share = ratio((1.0 - x.base_rate) * y.base_rate, 1.0 - product, 0.5)
    y_share = ratio(x.base_rate * (1.0 - y.base_rate), 1.0 - product, 0.5)
    certain_x, certain_y = x.belief * y.uncertainty, x.uncertainty * y.belief
    belief = x.belief * y.belief + x_share * certain_x + y_share * certain_y
    disbelief = x.disbelief + y.disbelief - x.disbelief * y.disbelief
    uncertainty = (
        x.uncertainty * y.uncertainty
        + ratio(1.0 - y.base_rate, 1.0 - product, 0.5) * certain_x
        + ratio(1.0 - x.base_rate, 1.0 - product, 0.5) * certain_y
    )
    return x._trusted(belief, disbelief, uncertainty, product, x.prior_weight)


def disjunction(x: Opinion, y: Opinion) -> Opinion:
    """Opinion about x OR y for independent x and y: comultiplication (Jøsang 2016, definition 7.2), by De Morgan."""
    checks.combinable("disjunction", x, y, kind="binomial")
    return ~conjunction(~x, ~y)


def divide(whole: Opinion, part: Opinion) -> Opinion:
    """The opinion that, in conjunction with ``part``, gives ``whole`` (Jøsang 2016, definition 7.3).

    It has probability P(whole) / P(part), 1 - d equal to the ratio of the two 1 - d, and base rate
    a(whole) / a(part), which must be below 1.
    """
    where = "divide"
    checks.combinable(where, whole, part, kind="binomial")
    _require(part.base_rate > whole.base_rate, where, "the base rate of the whole must be below that of the part")
    _require(part.disbelief < 1.0, where, "the part must not be disbelieved altogether")
    _require(part.probability > 0.0, where, "the part must not have probability 0")
    base_rate = whole.base_rate / part.base_rate
    not_disbelieved = (1.0 - whole.disbelief) / (1.0 - part.disbelief)
    uncertainty = (not_disbelieved - whole.probability / part.probability) / (1.0 - base_rate)
    belief, disbelief, uncertainty = checks.within_unit(
        where,
        "Such a whole is no conjunction of this part with an independent proposition.",
        belief=not_disbelieved - uncertainty,
        disbelief=1.0 - not_disbelieved,
        uncertainty=uncertainty,
    )
    return whole._trusted(belief, disbelief, uncertainty, base_rate, whole.prior_weight)


def codivide(whole: Opinion, part: Opinion) -> Opinion:
    """The opinion that, in disjunction with ``part``, gives ``whole`` (Jøsang 2016, definition 7.4), by De Morgan."""
    checks.combinable("codivide", whole, part, kind="binomial")
    return ~divide(~whole, ~part)


def add(x: Opinion, y: Opinion) -> Opinion:
    """Opinion about x OR y for disjoint x and y of one variable (Jøsang 2016, definition 6.1).

    The projected probability is the sum. Opinions that no single variable can have are ``Undefined``.
    """
    where = "add"
    checks.combinable(where, x, y, kind="binomial")
    base_rate = x.base_rate + y.base_rate
    share = ratio(x.base_rate, base_rate, 0.5)
    return _part_of_domain(
        where,
        x,
        x.belief + y.belief,
        share * x.uncertainty + (1.0 - share) * y.uncertainty,
        base_rate,
    )


def subtract(whole: Opinion, part: Opinion) -> Opinion:
    """Opinion about ``whole`` without its ``part`` (Jøsang 2016, definition 6.2): undoes ``add``."""
    where = "subtract"
    checks.combinable(where, whole, part, kind="binomial")
    base_rate = whole.base_rate - part.base_rate
    _require(base_rate > 0.0, where, "the base rate of the part must be below that of the whole")
    uncertainty = (whole.base_rate * whole.uncertainty - part.base_rate * part.uncertainty) / base_rate
    return _part_of_domain(where, whole, whole.belief - part.belief, uncertainty, base_rate)


@overload
def maximise_uncertainty(x: Opinion) -> Opinion: ...
@overload
def maximise_uncertainty(x: MultinomialOpinion | HyperOpinion) -> MultinomialOpinion: ...
def maximise_uncertainty(x: Any) -> Any:
    """The most uncertain opinion with the same projected probability and base rate (Jøsang 2016, section 3.5.6).

    A hyper-opinion is projected to a multinomial one first.
    """
    checks.fitting("maximise_uncertainty", x)
    return _maximised(x) if x.kind == "binomial" else x.maximise_uncertainty()


def _maximised(x: Opinion) -> Opinion:
    probability = x.probability
    from_belief = ratio(probability, x.base_rate, np.inf)
    from_disbelief = ratio(1.0 - probability, 1.0 - x.base_rate, np.inf)
    uncertainty = np.minimum(np.minimum(from_belief, from_disbelief), 1.0)
    no_belief = from_belief <= from_disbelief
    rest = 1.0 - uncertainty
    belief, disbelief = np.where(no_belief, 0.0, rest), np.where(no_belief, rest, 0.0)
    return x._trusted(belief, disbelief, uncertainty, x.base_rate, x.prior_weight)


def _part_of_domain(
    where: str, like: Opinion, belief: FloatArray, uncertainty: FloatArray, base_rate: FloatArray
) -> Opinion:
    belief, uncertainty, disbelief, base_rate = checks.within_unit(
        where,
        "The two opinions must be about values of one variable, one of them a part or the other beside it.",
        belief=belief,
        uncertainty=uncertainty,
        disbelief=1.0 - belief - uncertainty,
        base_rate=base_rate,
    )
    return like._trusted(belief, disbelief, uncertainty, base_rate, like.prior_weight)


def ratio(numerator: FloatArray, denominator: FloatArray, otherwise: float) -> FloatArray:
    """Quotient, and ``otherwise`` where the denominator is 0."""
    zero = np.equal(denominator, 0.0)
    return np.where(zero, otherwise, numerator / np.where(zero, 1.0, denominator))


def _require(holds: NDArray[np.bool_], where: str, condition: str) -> None:
    if not np.all(holds):
        raise Undefined(
            f"the result does not exist: {condition}",
            where=where,
            found=checks.first_place(np.logical_not(holds), "the contrary"),
            remedy="Check which opinion is the whole and which the part.",
        )
