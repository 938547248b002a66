"""Binomial opinions, one or millions at once, as frozen objects, and their algebra.

An opinion about a proposition x is belief, disbelief, uncertainty (they sum to 1) and a base rate. It
stands for a Beta distribution: the belief that evidence of r positive and s negative observations
leaves under a prior of weight W with mean equal to the base rate (Jøsang, Subjective Logic, 2016,
section 3.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import validate
from surefoot.core.assumption import Assumption, union
from surefoot.core.bound import QuantileBound
from surefoot.core.canonical import reading
from surefoot.core.distributions import Beta, beta_quantile
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.estimate import PER_DEMAND, Estimate, Provenance
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.checks import Kind, MassFunction, OpinionBase, ratio

if TYPE_CHECKING:
    from surefoot.opinions.multinomial import HyperOpinion, MultinomialOpinion

DEFAULT_PRIOR_WEIGHT = 2.0
COMPONENTS = ("belief", "disbelief", "uncertainty", "base_rate")
EstimateKind = Literal["credible", "heuristic"]


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Opinion(OpinionBase):
    """Binomial opinions; components are numbers, or read-only arrays of one shape.

    ``~x``, ``x & y`` and ``x | y`` are the complement, the conjunction and the disjunction of independent propositions.

    Parameters
    ----------
    belief, disbelief, uncertainty
        Masses in [0, 1] that sum to 1.
    base_rate
        Probability without any evidence.
    prior_weight
        What turns uncertainty into an amount of evidence. It travels with the opinion, so that ``beta`` and
        ``interval`` give back the evidence that went in.

    References
    ----------
    Jøsang (2016), "Subjective Logic", section 3.4.

    Examples
    --------
    >>> import surefoot as sf
    >>> x = sf.Opinion.from_counts(8, 0)
    >>> x
    Opinion(belief=0.8, disbelief=0, uncertainty=0.2, base_rate=0.5)
    >>> round(float(x.probability), 3), round(float((~x).probability), 3)
    (0.9, 0.1)

    """

    belief: FloatArray
    disbelief: FloatArray
    uncertainty: FloatArray
    base_rate: FloatArray
    prior_weight: float

    kind: ClassVar[Kind] = "binomial"

    def __init__(
        self,
        belief: ArrayLike,
        disbelief: ArrayLike,
        uncertainty: ArrayLike,
        base_rate: ArrayLike = 0.5,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
    ) -> None:
        given = zip(COMPONENTS, (belief, disbelief, uncertainty, base_rate), strict=True)
        arrays = {name: checks.unit_interval(values, where="Opinion", name=name) for name, values in given}
        shape = checks.common_shape("Opinion", **arrays)
        checks.sums_to_one(arrays["belief"] + arrays["disbelief"] + arrays["uncertainty"], where="Opinion")
        weight = validate.positive(prior_weight, where="Opinion", name="prior_weight")
        self._store(list(arrays.values()), shape, weight)

    def _store(self, components: Sequence[FloatArray], shape: tuple[int, ...], prior_weight: float) -> None:
        object.__setattr__(self, "prior_weight", prior_weight)
        for name, values in zip(COMPONENTS, components, strict=True):
            object.__setattr__(self, name, checks.frozen(values, shape))

    @classmethod
    def _trusted(
        cls, belief: FloatArray, disbelief: FloatArray, uncertainty: FloatArray, base_rate: FloatArray, weight: float
    ) -> Self:
        """Results of operators, which are opinions by construction and are not checked again."""
        opinion = cls.__new__(cls)
        components = (belief, disbelief, uncertainty, base_rate)
        opinion._store(components, np.broadcast_shapes(*map(np.shape, components)), weight)
        return opinion

    @classmethod
    def from_counts(
        cls,
        positive: ArrayLike,
        negative: ArrayLike,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
        base_rate: ArrayLike = 0.5,
    ) -> Self:
        """Opinion from r positive and s negative observations, which may be fractional.

        b = r / (r + s + W), d = s / (r + s + W), u = W / (r + s + W).

        Parameters
        ----------
        positive, negative
            What was observed.
        prior_weight
            W; 0 takes the counts as the whole truth: the opinion is dogmatic.
        base_rate
            Mean of the prior.

        Returns
        -------
        Opinion
            One, or an array of them.

        References
        ----------
        Herd and Burton (2024), Eqns. (6) to (8); Jøsang (2016), definition 3.3.

        """
        where = "Opinion.from_counts"
        r = checks.counts(positive, where=where, name="positive")
        s = checks.counts(negative, where=where, name="negative")
        a = checks.unit_interval(base_rate, where=where, name="base_rate")
        checks.common_shape(where, positive=r, negative=s, base_rate=a)
        observed = checks.total(r, s, where=where)
        weight = checks.prior_weight(prior_weight, observed, where=where)
        total = checks.total(observed, weight, where=where)
        return cls._trusted(r / total, s / total, weight / total, a, weight or DEFAULT_PRIOR_WEIGHT)

    @classmethod
    def from_beta(
        cls,
        alpha: ArrayLike,
        beta: ArrayLike,
        *,
        prior_weight: float = DEFAULT_PRIOR_WEIGHT,
        base_rate: ArrayLike = 0.5,
    ) -> Self:
        """Opinion whose Beta distribution has these parameters: the inverse of ``beta``.

        r = alpha - a W and s = beta - (1 - a) W must not be negative (Jøsang 2016, definition 3.3).

        Parameters
        ----------
        alpha, beta
            Parameters of the Beta distribution.
        prior_weight, base_rate
            The prior that they contain.

        Returns
        -------
        Opinion
            One, or an array of them.

        """
        where = "Opinion.from_beta"
        a = checks.unit_interval(base_rate, where=where, name="base_rate")
        weight = validate.positive(prior_weight, where=where, name="prior_weight")
        r = checks.beyond_prior(alpha, a * weight, where=where, name="alpha")
        s = checks.beyond_prior(beta, (1.0 - a) * weight, where=where, name="beta")
        return cls.from_counts(r, s, prior_weight=weight, base_rate=a)

    @classmethod
    def vacuous(cls, base_rate: ArrayLike = 0.5, *, prior_weight: float = DEFAULT_PRIOR_WEIGHT) -> Self:
        """No evidence at all: u = 1."""
        return cls(0.0, 0.0, 1.0, base_rate, prior_weight=prior_weight)

    @property
    def probability(self) -> FloatArray:
        """Projected probability P = b + a u (Jøsang 2016, section 3.4.1)."""
        return self.belief + self.base_rate * self.uncertainty

    @property
    def dogmatic(self) -> NDArray[np.bool_]:
        """Where uncertainty is 0, so that the opinion is a plain probability."""
        return np.equal(self.uncertainty, 0.0)

    def counts(self) -> tuple[FloatArray, FloatArray]:
        """Positive and negative evidence r = W b / u and s = W d / u; a dogmatic opinion has no such number."""
        if np.any(self.dogmatic):
            raise Undefined(
                "a dogmatic opinion (uncertainty 0) stands for no finite amount of evidence",
                where="Opinion.counts",
                found=checks.first_place(self.dogmatic, "uncertainty 0"),
                remedy="Form the opinion from counts, or use its probability.",
            )
        scale = self.prior_weight / self.uncertainty
        return self.belief * scale, self.disbelief * scale

    def beta(self) -> tuple[FloatArray, FloatArray]:
        """Parameters alpha = r + a W and beta = s + (1 - a) W (Herd & Burton 2024, eq. (9))."""
        r, s = self.counts()
        return r + self.base_rate * self.prior_weight, s + (1.0 - self.base_rate) * self.prior_weight

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Central credible interval of the Beta distribution, a tail of ``(1 - level) / 2`` on each side.

        Where the distribution has shrunk to a point (u = 0, or no mass left beside a base rate of 0 or
        1) both ends are that point.

        Parameters
        ----------
        level
            Probability of the interval.

        Returns
        -------
        low, high
            Its ends.

        """
        tail = (1.0 - validate.level(level, where="Opinion.interval")) / 2
        against = self.disbelief + (1.0 - self.base_rate) * self.uncertainty
        shrunk = self.dogmatic | (self.probability <= 0.0) | (against <= 0.0)
        spread = self.prior_weight / np.where(shrunk, 1.0, self.uncertainty)
        alpha, beta = (np.where(shrunk, 1.0, share * spread) for share in (self.probability, against))
        low = np.where(shrunk, self.probability, beta_quantile(alpha, beta, tail))
        high = np.where(shrunk, self.probability, beta_quantile(alpha, beta, 1.0 - tail))
        return low[()], high[()]

    def __invert__(self) -> Self:
        """Opinion about the complement (Jøsang 2016, definition 6.3): belief and disbelief change places."""
        return self._trusted(self.disbelief, self.belief, self.uncertainty, 1.0 - self.base_rate, self.prior_weight)

    def __and__(self, other: Opinion) -> Opinion:
        return conjunction(self, other) if isinstance(other, Opinion) else NotImplemented

    def __or__(self, other: Opinion) -> Opinion:
        return disjunction(self, other) if isinstance(other, Opinion) else NotImplemented

    def discounted_by(self, trust: Opinion, how: Discounting = "uncertainty") -> Opinion:
        """Opinion of somebody who trusts the holder of this one to the degree ``trust`` (see ``discount``).

        Parameters
        ----------
        trust
            Opinion about the trustworthiness of the holder.
        how
            The factor that belief shrinks by: ``"uncertainty"`` (belief in the holder), ``"base_rate"`` or
            ``"probability"``; or ``"opposite"``, which takes distrust as a sign that the contrary is true.

        Returns
        -------
        Opinion
            With the base rate and the prior weight of this one.

        """
        return discount(self, trust, how=how)

    def with_prior_weight(self, prior_weight: float) -> Self:
        """The same evidence under another prior weight; a dogmatic opinion has no such form."""
        r, s = self.counts()
        return self.from_counts(r, s, prior_weight=prior_weight, base_rate=self.base_rate)

    def to_estimate(
        self,
        *,
        quantity: str = "probability",
        unit: str = PER_DEMAND,
        scope: str = "",
        assumptions: Iterable[Assumption] = (),
        kind: EstimateKind = "heuristic",
        provenance: Provenance | None = None,
    ) -> Estimate:
        """One opinion as an ``Estimate``: its Beta distribution, with bounds at every level.

        A dogmatic opinion has no Beta distribution and is refused: a value that is known, not measured, is
        ``Estimate.known``, which asks for its source. No opinion is a certain or a confidence statement.

        Parameters
        ----------
        quantity, unit, scope
            What the estimate is about, in your words.
        assumptions
            What it rests on, beside the Beta distribution.
        kind
            ``"heuristic"``, or ``"credible"`` where the opinion is a posterior: counts of independent trials, or a
            cumulative fusion of such. A discounted opinion is none.
        provenance
            Where it comes from; the components without.

        Returns
        -------
        Estimate
            The projected probability with its bounds.

        """
        where = "Opinion.to_estimate"
        validate.choice(kind, get_args(EstimateKind), where=where, name="kind")
        if self.shape:
            raise InvalidInput(
                "only a single opinion becomes an estimate",
                where=where,
                found=f"shape {self.shape}",
                remedy="Index the opinions and convert each.",
            )
        alpha, beta = map(float, self.beta())
        if min(alpha, beta) <= 0.0:
            raise Undefined(
                "a base rate of 0 or 1 without evidence against it leaves no distribution",
                where=where,
                found=self,
                remedy="Choose a base rate inside (0, 1), or state the value with Estimate.known.",
            )
        a, w = float(self.base_rate), self.prior_weight
        text = (
            f"belief is Beta distributed with prior Beta({a * w:g}, {(1 - a) * w:g}); exact for counts of independent "
            "trials, a stated model for opinions that operators combined"
        )
        dist = Beta(alpha, beta)
        return Estimate(
            quantity,
            float(self.probability),
            unit,
            scope,
            bounds=(QuantileBound(dist, "upper", kind), QuantileBound(dist, "lower", kind)),
            dist=dist,
            assumptions=union([Assumption("opinion-is-beta", text)], assumptions),
            details={name: float(getattr(self, name)) for name in COMPONENTS},
            provenance=provenance or Provenance("opinions.Opinion", self.to_dict()),
        )

    def _mass_function(self) -> MassFunction:
        return MassFunction(2, {1: self.belief, 2: self.disbelief}, self.uncertainty, (self.base_rate,))

    def _fused(self, masses: MassFunction) -> Self:
        belief, disbelief = masses.belief[1], masses.belief[2]
        return self._trusted(belief, disbelief, masses.uncertainty, masses.base_rate[0], self.prior_weight)

    def _item(self, index: Any) -> Self:
        b, d, u, a = (getattr(self, name)[index] for name in COMPONENTS)
        return self._trusted(b, d, u, a, self.prior_weight)

    def isclose(self, other: Opinion, *, tolerance: float = 1e-9) -> NDArray[np.bool_]:
        """Where all four components differ by at most ``tolerance``."""
        checks.fitting("isclose", self, other, kind="binomial")
        gaps = [np.abs(getattr(self, name) - getattr(other, name)) for name in COMPONENTS]
        return np.max(np.broadcast_arrays(*gaps), axis=0) <= tolerance

    def __repr__(self) -> str:
        weight = "" if self.prior_weight == DEFAULT_PRIOR_WEIGHT else f", prior_weight={self.prior_weight:g}"
        if self.shape:
            return f"Opinion(shape={self.shape}, mean probability={np.mean(self.probability):.6g}{weight})"
        return f"Opinion({', '.join(f'{name}={getattr(self, name):.6g}' for name in COMPONENTS)}{weight})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        masses = {name: np.asarray(getattr(self, name)).tolist() for name in COMPONENTS}
        return masses | {"prior_weight": self.prior_weight}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read back what ``to_dict`` wrote."""
        fields = checks.fields(data, (*COMPONENTS, "prior_weight"), where="Opinion.from_dict")
        with reading("opinion"):
            return cls(**fields)


# The algebra of opinions about independent or disjoint propositions.
#
# Conjunction and disjunction of independent propositions, their inverses, addition and subtraction of
# disjoint ones, and uncertainty maximisation. The inverses exist for some pairs of opinions only and
# raise ``Undefined`` for the others.


def conjunction(x: Opinion, y: Opinion) -> Opinion:
    """Opinion about x AND y for independent x and y: binomial multiplication (Jøsang 2016, definition 7.1).

    The projected probability is the product. Two base rates of 1 leave the split between belief and
    uncertainty open; the limit along equal base rates is taken.

    Parameters
    ----------
    x, y
        Opinions of one prior weight about independent propositions; ``x & y`` is the same.

    Returns
    -------
    Opinion
        About both being true.

    Examples
    --------
    >>> import surefoot as sf
    >>> x, y = sf.Opinion(0.5, 0.25, 0.25), sf.Opinion(0.75, 0.25, 0)
    >>> float((x & y).probability) == float(x.probability * y.probability)
    True

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
    """Opinion about x OR y for independent x and y: comultiplication (Jøsang 2016, definition 7.2), by De Morgan.

    Parameters
    ----------
    x, y
        Opinions of one prior weight about independent propositions; ``x | y`` is the same.

    Returns
    -------
    Opinion
        About at least one being true.

    Examples
    --------
    >>> import surefoot as sf
    >>> float((sf.Opinion(0.5, 0.5, 0) | sf.Opinion(0.5, 0.5, 0)).belief)
    0.75

    """
    checks.combinable("disjunction", x, y, kind="binomial")
    return ~conjunction(~x, ~y)


def divide(whole: Opinion, part: Opinion) -> Opinion:
    """The opinion that, in conjunction with ``part``, gives ``whole`` (Jøsang 2016, definition 7.3).

    It has probability P(whole) / P(part), 1 - d equal to the ratio of the two 1 - d, and base rate
    a(whole) / a(part), which must be below 1.

    Parameters
    ----------
    whole, part
        Opinions of one prior weight.

    Returns
    -------
    Opinion
        About the other part.

    Raises
    ------
    Undefined
        Where the whole is no conjunction of this part with an independent proposition.

    Examples
    --------
    >>> import surefoot as sf
    >>> x, y = sf.Opinion(0.5, 0.25, 0.25), sf.Opinion(0.75, 0.25, 0)
    >>> bool(sf.opinions.divide(x & y, y).isclose(x))
    True

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
    """The opinion that, in disjunction with ``part``, gives ``whole`` (Jøsang 2016, definition 7.4), by De Morgan.

    Parameters
    ----------
    whole, part
        Opinions of one prior weight.

    Returns
    -------
    Opinion
        About the other part.

    Examples
    --------
    >>> import surefoot as sf
    >>> x, y = sf.Opinion(0.5, 0.25, 0.25), sf.Opinion(0.75, 0.25, 0)
    >>> bool(sf.opinions.codivide(x | y, y).isclose(x))
    True

    """
    checks.combinable("codivide", whole, part, kind="binomial")
    return ~divide(~whole, ~part)


def add(x: Opinion, y: Opinion) -> Opinion:
    """Opinion about x OR y for disjoint x and y of one variable (Jøsang 2016, definition 6.1).

    The projected probability is the sum. Opinions that no single variable can have are ``Undefined``.

    Parameters
    ----------
    x, y
        Opinions of one prior weight about disjoint values of one variable.

    Returns
    -------
    Opinion
        About one of them being true.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.add(sf.Opinion(0.25, 0.5, 0.25, 0.25), sf.Opinion(0.25, 0.5, 0.25, 0.25))
    Opinion(belief=0.5, disbelief=0.25, uncertainty=0.25, base_rate=0.5)

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
    """Opinion about ``whole`` without its ``part`` (Jøsang 2016, definition 6.2): undoes ``add``.

    Parameters
    ----------
    whole, part
        Opinions of one prior weight, the second about a part of what the first is about.

    Returns
    -------
    Opinion
        About the rest.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.subtract(sf.Opinion(0.5, 0.25, 0.25), sf.Opinion(0.25, 0.5, 0.25, 0.25))
    Opinion(belief=0.25, disbelief=0.5, uncertainty=0.25, base_rate=0.25)

    """
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

    Parameters
    ----------
    x
        An opinion of any kind; a hyper-opinion is projected to a multinomial one first.

    Returns
    -------
    Opinion or MultinomialOpinion
        With as little belief as the probability allows.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.maximise_uncertainty(sf.Opinion(0.75, 0.25, 0))
    Opinion(belief=0.5, disbelief=0, uncertainty=0.5, base_rate=0.5)

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


def _require(holds: NDArray[np.bool_], where: str, condition: str) -> None:
    if not np.all(holds):
        raise Undefined(
            f"the result does not exist: {condition}",
            where=where,
            found=checks.first_place(np.logical_not(holds), "the contrary"),
            remedy="Check which opinion is the whole and which the part.",
        )


# Trust discounting: what A's opinion is worth to B, who trusts A to a degree.
#
# Three ways shrink belief and disbelief by one factor, the degree of trust: the belief b (uncertainty favouring; Jøsang
# 2001; Herd & Burton 2024, eqs. (11) to (14)), the expectation b + a u (base rate sensitive; Jøsang, Marsh & Pope 2006)
# and the projected probability (Jøsang 2016, definition 14.6), which coincide for binomial trust but for the first. The
# fourth takes distrust as a sign that the contrary is true: belief b b' + d d' (opposite belief favouring; 2006).

Discounting = Literal["uncertainty", "opposite", "base_rate", "probability"]
DEGREE_OF_TRUST: dict[str, Callable[[Opinion], FloatArray]] = {
    "uncertainty": lambda trust: trust.belief,
    "base_rate": lambda trust: trust.belief + trust.base_rate * trust.uncertainty,
    "probability": lambda trust: trust.probability,
}


def discount(opinion: Opinion, trust: Opinion, *, how: Discounting = "uncertainty") -> Opinion:
    """``opinion`` discounted by ``trust`` in its holder; the base rate stays that of ``opinion``.

    Trust enters as a share of the masses, so its prior weight may differ from that of ``opinion``.
    """
    checks.fitting("discount", opinion, trust, kind="binomial")
    validate.choice(how, get_args(Discounting), where="discount", name="how")
    return _opposite(opinion, trust) if how == "opposite" else _shrunk(opinion, degree_of_trust(trust, how))


def degree_of_trust(trust: Opinion, how: Discounting) -> FloatArray:
    """The factor that belief shrinks by; ``opposite`` has none."""
    checks.fitting("discount", trust, kind="binomial")
    validate.choice(how, get_args(Discounting), where="discount", name="how")
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
