"""Fusion: one opinion from several sources about the same proposition or variable.

Which fusion fits is a question of the sources, not of taste (Jøsang 2016, section 12.1):

- ``cumulative``: independent observations; the evidence is added up.
- ``averaging``: sources that saw the same; the evidence is averaged.
- ``weighted``: experts, averaged with their confidence as weight; a vacuous source does not count.
- ``consensus``: what all share is kept, conflict becomes vagueness or uncertainty.
- ``constraint``: preferences; only what no source excludes survives. Total conflict has no result.

The forms for many sources are those of Jøsang, Wang & Zhang 2017 with the corrections of van der
Heijden, Kopp & Kargl 2018. Averaging, weighted and consensus fusion are not associative: give all
sources in one call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.hyper import HyperOpinion
from surefoot.opinions.logic import ratio
from surefoot.opinions.masses import MassFunction
from surefoot.opinions.multinomial import MultinomialOpinion
from surefoot.opinions.opinion import Opinion
from surefoot.opinions.set_fusion import confidence_weighted, consensus, constraint

How = Literal["cumulative", "averaging", "weighted", "consensus", "constraint"]
Multivalued = MultinomialOpinion | HyperOpinion
Sources = Sequence[MassFunction]
Shares = list[FloatArray]


@overload
def fuse(*opinions: Opinion, how: How = ..., weights: ArrayLike | None = ...) -> Opinion: ...
@overload
def fuse(*opinions: Multivalued, how: How = ..., weights: ArrayLike | None = ...) -> Multivalued: ...
def fuse(*opinions: Any, how: How = "cumulative", weights: ArrayLike | None = None) -> Any:
    """Fuse the opinions of all sources, elementwise where they are arrays.

    Where sources are dogmatic (u = 0) cumulative, averaging and weighted fusion have a limit: the
    dogmatic sources alone count, with relative ``weights``, one a source and equal unless given. Where no
    source is dogmatic weights would change nothing, and are refused.
    Consensus fusion of multinomial opinions returns a ``HyperOpinion``, because a compromise between
    values is belief in their union.
    """
    validate.choice(how, get_args(How), where="fuse", name="how")
    sources = _of_one_kind(opinions)
    masses = [source._mass_function() for source in sources]
    if how in EVIDENCE_FUSIONS:
        return sources[0]._fused(EVIDENCE_FUSIONS[how](masses, _relative_weights(weights, masses)))
    if weights is not None:
        raise InvalidInput(f"{how} fusion takes no weights", where="fuse", found=repr(weights))
    if how == "constraint":
        return sources[0]._fused(constraint(masses))
    vague = sources[0].to_hyper() if isinstance(sources[0], MultinomialOpinion) else sources[0]
    return vague._fused(consensus(masses))


def cumulative(sources: Sources, weights: Shares) -> MassFunction:
    """Sum of the evidence (Jøsang 2016, section 12.3); base rates weighted by evidence."""
    shares, least = _evidence_shares(sources, weights)
    confident = [share * (1.0 - source.uncertainty) for share, source in zip(shares, sources, strict=True)]
    evidence = _total(confident)
    whole = evidence + least
    return _mixture(sources, shares, whole, least / whole, _base_rates(sources, confident, evidence))


def averaging(sources: Sources, weights: Shares) -> MassFunction:
    """Mean of the evidence (Jøsang 2016, section 12.4); plain mean of the base rates."""
    shares, least = _evidence_shares(sources, weights)
    whole = _total(shares)
    equal = [np.where(least == 0.0, share, 1.0) for share in shares]
    base_rate = _base_rates(sources, equal, _total(equal))
    return _mixture(sources, shares, whole, len(sources) * least / whole, base_rate)


def weighted(sources: Sources, weights: Shares) -> MassFunction:
    """Mean of the evidence weighted by confidence 1 - u (Jøsang 2016, section 12.5)."""
    shares, least = _evidence_shares(sources, weights)
    confidence = [1.0 - source.uncertainty for source in sources]
    confident = [share * weight for share, weight in zip(shares, confidence, strict=True)]
    whole = _total(confident)
    uncertainty = ratio(least * _total(confidence), whole, 1.0)
    counted = [np.where(least == 0.0, share, weight) for share, weight in zip(shares, confidence, strict=True)]
    base_rate = _base_rates(sources, counted, _total(counted))
    return _mixture(sources, confident, np.where(whole == 0.0, 1.0, whole), uncertainty, base_rate)


EVIDENCE_FUSIONS: dict[str, Callable[[Sources, Shares], MassFunction]] = {
    "cumulative": cumulative,
    "averaging": averaging,
    "weighted": weighted,
}


def _evidence_shares(sources: Sources, weights: Shares) -> tuple[Shares, FloatArray]:
    """What one unit of belief of each source counts, and the least uncertainty.

    Belief b stands for evidence W b / u, so a source counts 1 / u; multiplied by the least u nothing
    overflows, and where the least u is 0 the relative weights of the dogmatic sources are the limit.
    """
    uncertainties = [source.uncertainty for source in sources]
    least = reduce(np.minimum, uncertainties)
    if np.all(least > 0.0):
        return [least / u for u in uncertainties], least
    limits = [np.where(u == 0.0, weight, 0.0) for u, weight in zip(uncertainties, weights, strict=True)]
    return [
        np.where(least == 0.0, limit, ratio(least, u, 0.0)) for limit, u in zip(limits, uncertainties, strict=True)
    ], least


def _mixture(
    sources: Sources, shares: Shares, whole: FloatArray, uncertainty: FloatArray, base_rate: tuple[FloatArray, ...]
) -> MassFunction:
    masks = sorted({mask for source in sources for mask in source.belief})
    pairs = list(zip(shares, sources, strict=True))
    belief = {mask: _total([s * m.belief[mask] for s, m in pairs if mask in m.belief]) / whole for mask in masks}
    return MassFunction(sources[0].values, belief, uncertainty, base_rate)


def _base_rates(sources: Sources, shares: Shares, whole: FloatArray) -> tuple[FloatArray, ...]:
    return confidence_weighted([source.base_rate for source in sources], shares, whole)


def _total(terms: Sequence[FloatArray]) -> FloatArray:
    return reduce(np.add, terms)


def _relative_weights(weights: ArrayLike | None, sources: Sources) -> Shares:
    if weights is None:
        return [np.ones(())] * len(sources)
    array = validate.vector(weights, where="fuse", name="weights")
    if array.size != len(sources) or (array <= 0).any():
        raise InvalidInput(
            "weights must be positive, one for each source",
            where="fuse",
            found=f"{array.tolist()} for {len(sources)} sources",
        )
    if not any(np.any(source.uncertainty == 0.0) for source in sources):
        raise InvalidInput(
            "weights are the relative weights of dogmatic sources, and no source is dogmatic",
            where="fuse",
            found=f"weights {array.tolist()}, least uncertainty {min(np.min(s.uncertainty) for s in sources):g}",
            remedy="Leave weights out: evidence weighs by its amount. To trust a source less, use discounted_by.",
        )
    return list(array)


def _of_one_kind(opinions: Sequence[Any]) -> Sequence[Any]:
    if not opinions:
        raise InvalidInput("at least one opinion is needed", where="fuse", found="none")
    checks.combinable("fuse", *opinions)
    if {HyperOpinion, MultinomialOpinion} <= set(map(type, opinions)):
        opinions = [o.to_hyper() if isinstance(o, MultinomialOpinion) else o for o in opinions]
    kinds = {(type(opinion).__name__, getattr(opinion, "values", 2)) for opinion in opinions}
    if len(kinds) > 1:
        raise InvalidInput(
            "opinions must be about one variable",
            where="fuse",
            found=", ".join(f"{name} of {values} values" for name, values in sorted(kinds)),
        )
    return opinions
