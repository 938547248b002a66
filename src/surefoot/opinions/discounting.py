"""Trust discounting: what A's opinion is worth to B, who trusts A to a degree.

Four ways are in use. Three shrink belief and disbelief by one factor, the degree of trust:

- ``uncertainty``: the belief b (uncertainty favouring; Jøsang 2001; Herd & Burton 2024, eqs. (11) to (14)).
- ``base_rate``: the expectation b + a u (base rate sensitive; Jøsang, Marsh & Pope 2006).
- ``probability``: the projected probability P (probability sensitive; Jøsang 2016, definition 14.6).

For binomial trust P is b + a u, so ``base_rate`` and ``probability`` coincide. The fourth, ``opposite``
(opposite belief favouring; Jøsang, Marsh & Pope 2006), takes distrust as a sign that the contrary
is true: belief b b' + d d'.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, get_args

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.opinions import checks

if TYPE_CHECKING:
    from surefoot.core.validate import FloatArray
    from surefoot.opinions.opinion import Opinion

How = Literal["uncertainty", "opposite", "base_rate", "probability"]

DEGREE_OF_TRUST: dict[str, Callable[[Opinion], FloatArray]] = {
    "uncertainty": lambda trust: trust.belief,
    "base_rate": lambda trust: trust.belief + trust.base_rate * trust.uncertainty,
    "probability": lambda trust: trust.probability,
}


def discount(opinion: Opinion, trust: Opinion, *, how: How = "uncertainty") -> Opinion:
    """``opinion`` discounted by ``trust`` in its holder; the base rate stays that of ``opinion``.

    Trust enters as a share of the masses, so its prior weight may differ from that of ``opinion``.
    """
    checks.fitting("discount", opinion, trust, kind="binomial")
    validate.choice(how, get_args(How), where="discount", name="how")
    return _opposite(opinion, trust) if how == "opposite" else _shrunk(opinion, degree_of_trust(trust, how))


def degree_of_trust(trust: Opinion, how: How) -> FloatArray:
    """The factor that belief shrinks by; ``opposite`` has none."""
    checks.fitting("discount", trust, kind="binomial")
    validate.choice(how, get_args(How), where="discount", name="how")
    if how == "opposite":
        raise InvalidInput(
            "the opposite of one value among several is not one value",
            where="discount",
            found="how='opposite' for a multinomial opinion",
            remedy="Use 'uncertainty' or 'probability', or coarsen the opinion to two values.",
        )
    return DEGREE_OF_TRUST[how](trust)


def _shrunk(opinion: Opinion, degree: FloatArray) -> Opinion:
    belief, disbelief = degree * opinion.belief, degree * opinion.disbelief
    uncertainty = (1.0 - degree) + degree * opinion.uncertainty
    return opinion._trusted(belief, disbelief, uncertainty, opinion.base_rate, opinion.prior_weight)


def _opposite(opinion: Opinion, trust: Opinion) -> Opinion:
    belief = trust.belief * opinion.belief + trust.disbelief * opinion.disbelief
    disbelief = trust.belief * opinion.disbelief + trust.disbelief * opinion.belief
    uncertainty = trust.uncertainty + (trust.belief + trust.disbelief) * opinion.uncertainty
    return opinion._trusted(belief, disbelief, uncertainty, opinion.base_rate, opinion.prior_weight)
