"""Conditional reasoning: from x to y by deduction, from y back to x by abduction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.checks import ratio
from surefoot.opinions.opinion import Opinion, maximise_uncertainty


class Conditionals(NamedTuple):
    """Opinions about a consequent, given that the antecedent is true and given that it is false.

    See Also
    --------
    invert : Gives them, with an example.

    """

    given_true: Opinion
    given_false: Opinion


def deduce(x: Opinion, given_true: Opinion, given_false: Opinion) -> Opinion:
    """Opinion about y from an opinion about x and the conditionals y|x and y|not x.

    The probability obeys P(y) = P(x) P(y|x) + P(not x) P(y|not x). The base rate of y is that of the conditionals,
    which must share one.

    The nine cases of the definition reduce to one expression. With b_I the mixture of beliefs, b_I - b(y|not x) is
    P(x) (b(y|x) - b(y|not x)), and alike for disbelief; so the sub-cases 1 and 2 give the same K, the sub-cases A
    and B choose the smaller of two limits, and in case I (one conditional has both more belief and
    more disbelief) one limit is negative and K is 0.

    Parameters
    ----------
    x
        Opinion about the antecedent.
    given_true, given_false
        Opinions about y, given that x is true and given that it is false.

    Returns
    -------
    Opinion
        About the consequent.

    References
    ----------
    Jøsang (2016), definition 9.1.

    Examples
    --------
    >>> import surefoot as sf
    >>> x = sf.Opinion(0.5, 0.5, 0)
    >>> sf.opinions.deduce(x, sf.Opinion(1, 0, 0), sf.Opinion(0.5, 0.5, 0))
    Opinion(belief=0.75, disbelief=0.25, uncertainty=0, base_rate=0.5)

    """
    where = "deduce"
    checks.combinable(where, x, given_true, given_false, kind="binomial")
    base_rate = _common_base_rate(where, given_true, given_false)
    lifted = x.uncertainty * _lift(x.base_rate, given_true, given_false, base_rate)
    belief = _mixture(x, given_true.belief, given_false.belief) - base_rate * lifted
    disbelief = _mixture(x, given_true.disbelief, given_false.disbelief) - (1.0 - base_rate) * lifted
    uncertainty = _mixture(x, given_true.uncertainty, given_false.uncertainty) + lifted
    return x._trusted(np.maximum(belief, 0.0), np.maximum(disbelief, 0.0), uncertainty, base_rate, x.prior_weight)


def abduce(y: Opinion, given_true: Opinion, given_false: Opinion, base_rate: ArrayLike) -> Opinion:
    """Opinion about x from an opinion about y, the conditionals y|x and y|not x, and the base rate of x.

    The conditionals are inverted (see ``invert``), then y is deduced from. ``y`` counts with its own base rate; a y of
    which nothing is known leaves x at its base rate where that is the ``marginal_base_rate``.

    Parameters
    ----------
    y
        Opinion about the consequent.
    given_true, given_false
        Opinions about y, given that x is true and given that it is false.
    base_rate
        Base rate of x.

    Returns
    -------
    Opinion
        About the antecedent.

    References
    ----------
    Jøsang (2016), definition 10.5.

    Examples
    --------
    >>> import surefoot as sf
    >>> alarm = sf.Opinion(1, 0, 0)
    >>> found = sf.opinions.abduce(alarm, sf.Opinion(0.9, 0.1, 0), sf.Opinion(0.1, 0.9, 0), 0.5)
    >>> round(float(found.probability), 6)
    0.9

    """
    checks.combinable("abduce", y, given_true, given_false, kind="binomial")
    return deduce(y, *invert(given_true, given_false, base_rate))


def invert(given_true: Opinion, given_false: Opinion, base_rate: ArrayLike) -> Conditionals:
    """The conditionals x|y and x|not y: Bayes' theorem of subjective logic.

    The probabilities follow Bayes' theorem with the base rate of x as prior. Their uncertainty is a share of the
    largest they can have: it grows with the uncertainty of the given conditionals and with their irrelevance 1 -
    abs(P(y|x) - P(y|not x)). As in the book the base rate of y is the marginal one, whatever base rate the conditionals
    state.

    Parameters
    ----------
    given_true, given_false
        Opinions about y, given that x is true and given that it is false.
    base_rate
        Base rate of x.

    Returns
    -------
    Conditionals
        Opinions about x, given that y is true and given that it is false.

    References
    ----------
    Jøsang (2016), definition 10.4.

    Examples
    --------
    >>> import surefoot as sf
    >>> given = sf.opinions.invert(sf.Opinion(0.9, 0.1, 0), sf.Opinion(0.1, 0.9, 0), 0.5)
    >>> [round(float(opinion.probability), 6) for opinion in given]
    [0.9, 0.1]

    """
    where = "invert"
    checks.combinable(where, given_true, given_false, kind="binomial")
    prior = _base_rate(where, base_rate, given_true, given_false)
    a_y = marginal_base_rate(given_true, given_false, prior)
    conditionals = [_with_base_rate(opinion, a_y) for opinion in (given_true, given_false)]
    likely, unlikely = (opinion.probability for opinion in conditionals)
    irrelevance = 1.0 - np.abs(likely - unlikely)
    doubt = _relative_uncertainty(conditionals)
    share = doubt + irrelevance - doubt * irrelevance
    posteriors = _bayes(where, prior, likely, unlikely), _bayes(where, prior, 1.0 - likely, 1.0 - unlikely)
    return Conditionals(*(_opinion_with(p, prior, share, given_true.prior_weight) for p in posteriors))


def marginal_base_rate(given_true: Opinion, given_false: Opinion, base_rate: ArrayLike) -> FloatArray:
    """The base rate of y that agrees with the base rate of x and the conditionals (Jøsang 2016, section 9.4).

    Two vacuous conditionals leave it free; then it is the one they state.

    Parameters
    ----------
    given_true, given_false
        Opinions about y, given that x is true and given that it is false.
    base_rate
        Base rate of x.

    Returns
    -------
    ndarray
        Base rate of y.

    Examples
    --------
    >>> import surefoot as sf
    >>> round(float(sf.opinions.marginal_base_rate(sf.Opinion(0.9, 0.1, 0), sf.Opinion(0.2, 0.8, 0), 0.5)), 3)
    0.55

    """
    where = "marginal_base_rate"
    checks.fitting(where, given_true, given_false, kind="binomial")
    stated = _common_base_rate(where, given_true, given_false)
    a = _base_rate(where, base_rate, given_true, given_false)
    believed = a * given_true.belief + (1.0 - a) * given_false.belief
    committed = believed + a * given_true.disbelief + (1.0 - a) * given_false.disbelief
    return np.where(committed == 0.0, stated, ratio(believed, committed, 0.0))[()]


def _mixture(x: Opinion, if_true: FloatArray, if_false: FloatArray) -> FloatArray:
    vacuous = x.base_rate * if_true + (1.0 - x.base_rate) * if_false
    return x.belief * if_true + x.disbelief * if_false + x.uncertainty * vacuous


def _lift(a_x: FloatArray, given_true: Opinion, given_false: Opinion, a_y: FloatArray) -> FloatArray:
    """Uncertainty that ignorance of x adds: K / u(x).

    The image of a vacuous x moves up its projector until its belief or its disbelief reaches the
    smaller one of the two conditionals.
    """
    gain = given_true.belief - given_false.belief
    loss = given_true.disbelief - given_false.disbelief
    reach = np.where(gain > 0.0, a_x, 1.0 - a_x) * np.abs(gain)
    drop = np.where(gain > 0.0, 1.0 - a_x, a_x) * np.abs(loss)
    limit = np.minimum(ratio(reach, a_y, np.inf), ratio(drop, 1.0 - a_y, np.inf))
    return np.where(gain * loss < 0.0, limit, 0.0)


def _common_base_rate(where: str, given_true: Opinion, given_false: Opinion) -> FloatArray:
    differ = np.abs(given_true.base_rate - given_false.base_rate) > checks.TOLERANCE
    if np.any(differ):
        rates = [np.broadcast_to(o.base_rate, np.shape(differ))[differ][0] for o in (given_true, given_false)]
        raise InvalidInput(
            "both conditionals are about one consequent and must have one base rate",
            where=where,
            found=checks.first_place(differ, f"base rates {rates[0]:g} and {rates[1]:g}"),
            remedy="Give both the base rate of the consequent; marginal_base_rate computes a consistent one.",
        )
    return given_true.base_rate


def _base_rate(where: str, base_rate: ArrayLike, given_true: Opinion, given_false: Opinion) -> FloatArray:
    rates = checks.unit_interval(base_rate, where=where, name="base_rate")
    doubts = {"given_true": given_true.uncertainty, "given_false": given_false.uncertainty}
    checks.common_shape(where, base_rate=rates, **doubts)
    return rates


def _with_base_rate(opinion: Opinion, base_rate: FloatArray) -> Opinion:
    masses = opinion.belief, opinion.disbelief, opinion.uncertainty
    return Opinion._trusted(*masses, base_rate, opinion.prior_weight)


def _relative_uncertainty(conditionals: list[Opinion]) -> FloatArray:
    """Uncertainty as a share of the largest possible one, each weighted by itself."""
    total = conditionals[0].uncertainty + conditionals[1].uncertainty
    shares = (
        ratio(o.uncertainty, total, 0.0) * ratio(o.uncertainty, maximise_uncertainty(o).uncertainty, 0.0)
        for o in conditionals
    )
    return np.minimum(sum(shares, np.zeros(())), 1.0)


def _bayes(where: str, prior: FloatArray, likely: FloatArray, unlikely: FloatArray) -> FloatArray:
    joint = prior * likely
    evidence = joint + (1.0 - prior) * unlikely
    if np.any(evidence <= 0.0):
        raise Undefined(
            "what is conditioned on has probability 0 under both conditionals",
            where=where,
            found=checks.first_place(evidence <= 0.0, "probability 0"),
            remedy="Leave some uncertainty or some belief in each direction in the conditionals.",
        )
    return joint / evidence


def _opinion_with(probability: FloatArray, base_rate: FloatArray, share: FloatArray, weight: float) -> Opinion:
    dogmatic = Opinion._trusted(probability, 1.0 - probability, np.zeros(()), base_rate, weight)
    uncertainty = share * maximise_uncertainty(dogmatic).uncertainty
    belief = np.maximum(probability - base_rate * uncertainty, 0.0)
    disbelief = np.maximum((1.0 - probability) - (1.0 - base_rate) * uncertainty, 0.0)
    return Opinion._trusted(belief, disbelief, uncertainty, base_rate, weight)
