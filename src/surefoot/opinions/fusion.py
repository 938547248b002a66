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
from itertools import product
from math import prod
from typing import Any, Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from surefoot.core import validate
from surefoot.core.errors import InvalidInput, Undefined
from surefoot.core.validate import FloatArray
from surefoot.opinions import checks
from surefoot.opinions.checks import MassFunction, base_rate_of, ratio
from surefoot.opinions.multinomial import HyperOpinion, MultinomialOpinion
from surefoot.opinions.opinion import Opinion

Fusion = Literal["cumulative", "averaging", "weighted", "consensus", "constraint"]
Multivalued = MultinomialOpinion | HyperOpinion
Sources = Sequence[MassFunction]
Shares = list[FloatArray]


@overload
def fuse(*opinions: Opinion, how: Fusion = ..., weights: ArrayLike | None = ...) -> Opinion: ...
@overload
def fuse(*opinions: Multivalued, how: Fusion = ..., weights: ArrayLike | None = ...) -> Multivalued: ...
def fuse(*opinions: Any, how: Fusion = "cumulative", weights: ArrayLike | None = None) -> Any:
    """Fuse the opinions of all sources, elementwise where they are arrays.

    Where sources are dogmatic (u = 0) cumulative, averaging and weighted fusion have a limit: the
    dogmatic sources alone count, with relative ``weights``, one a source and equal unless given. Where no
    source is dogmatic weights would change nothing, and are refused.
    Consensus fusion of multinomial opinions returns a ``HyperOpinion``, because a compromise between
    values is belief in their union.

    Parameters
    ----------
    opinions
        Of one kind, about one proposition or variable.
    how
        ``"cumulative"``: independent observations; ``"averaging"``: sources that saw the same; ``"weighted"``: experts,
        by their confidence; ``"consensus"``: what all share is kept; ``"constraint"``: only what no source excludes
        survives.
    weights
        Relative weights of dogmatic sources, one a source.

    Returns
    -------
    Opinion, MultinomialOpinion or HyperOpinion
        The fused opinion.

    Raises
    ------
    Undefined
        Where sources are in total conflict, for constraint fusion.

    References
    ----------
    Jøsang (2016), chapter 12; Jøsang, Wang and Zhang (2017); van der Heijden, Kopp and Kargl (2018).

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.opinions.fuse(sf.Opinion.from_counts(3, 1), sf.Opinion.from_counts(4, 0))
    Opinion(belief=0.7, disbelief=0.1, uncertainty=0.2, base_rate=0.5)

    """
    validate.choice(how, get_args(Fusion), where="fuse", name="how")
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


# Fusions that look at which sets of values the sources believe in: constraint and consensus.

Masses = dict[int, FloatArray]
MAX_COMBINATIONS = 1_000_000
NOTHING: FloatArray = np.zeros(())


def constraint(sources: Sequence[MassFunction]) -> MassFunction:
    """Belief constraint fusion, Dempster's rule (Jøsang 2016, section 12.2).

    The base rate is the mean weighted by confidence 1 - u, and the plain mean where all are vacuous;
    it is taken over all sources at once, so that their order does not matter.
    """
    fused = reduce(_intersected, [source.all_masses() for source in sources])
    everything = sources[0].everything
    belief = {mask: mass for mask, mass in fused.items() if mask != everything}
    return MassFunction(sources[0].values, belief, fused[everything], mean_base_rate(sources))


def consensus(sources: Sequence[MassFunction]) -> MassFunction:
    """Consensus and compromise fusion (Jøsang 2016, section 12.6) in the form for many sources.

    Van der Heijden, Kopp & Kargl 2018, definition 5: the belief that all sources share is kept; what each
    believes beyond it is shared out by the compromise, and compromise on the whole domain is
    uncertainty. Where no compromise exists (no source believes more than the others) the rest stays
    uncertain, which makes the fusion of equal opinions the identity. The base rate is that of
    constraint fusion.
    """
    base_rate = mean_base_rate(sources)
    masks = sorted({mask for source in sources for mask in source.belief})
    beliefs = [{mask: source.belief.get(mask, NOTHING) for mask in masks} for source in sources]
    shared = {mask: reduce(np.minimum, [belief[mask] for belief in beliefs]) for mask in masks}
    residues = [{mask: belief[mask] - shared[mask] for mask in masks} for belief in beliefs]
    uncertainties = [source.uncertainty for source in sources]
    others = [_product(uncertainties[:i] + uncertainties[i + 1 :]) for i in range(len(sources))]
    compromise = _plus(_alone(residues, others), _together(residues, base_rate))
    # The same as 1 - shared - doubt, from the first source's masses, where nothing cancels.
    rest = _sum(residues[0]) + uncertainties[0] * (1.0 - others[0])
    everything, whole = sources[0].everything, _sum(compromise)
    scale = ratio(rest, whole, 0.0)
    belief = {mask: shared.get(mask, NOTHING) + scale * mass for mask, mass in compromise.items() if mask != everything}
    undecided = np.where(whole == 0.0, rest, scale * compromise.get(everything, NOTHING))
    return MassFunction(sources[0].values, belief, _product(uncertainties) + undecided, base_rate)


def mean_base_rate(sources: Sequence[MassFunction]) -> tuple[FloatArray, ...]:
    """Base rates weighted by confidence 1 - u, and their mean where all sources are vacuous."""
    confidence = [1.0 - source.uncertainty for source in sources]
    return confidence_weighted([source.base_rate for source in sources], confidence, reduce(np.add, confidence))


def confidence_weighted(
    base_rates: Sequence[tuple[FloatArray, ...]], shares: Sequence[FloatArray], whole: FloatArray
) -> tuple[FloatArray, ...]:
    """Means of each base rate with the shares as weights, plain means where all shares are 0."""
    columns = list(zip(*base_rates, strict=True))
    sums = [reduce(np.add, [s * a for s, a in zip(shares, column, strict=True)]) for column in columns]
    vacuous = whole == 0.0
    if not np.any(vacuous):
        return tuple(total / whole for total in sums)
    plain = [reduce(np.add, column) / len(column) for column in columns]
    divisor = np.where(vacuous, 1.0, whole)
    return tuple(np.where(vacuous, mean, total / divisor) for mean, total in zip(plain, sums, strict=True))


def _intersected(one: Masses, other: Masses) -> Masses:
    fused: Masses = {}
    for (a, mass_a), (b, mass_b) in product(one.items(), other.items()):
        if a & b:
            fused[a & b] = fused.get(a & b, NOTHING) + mass_a * mass_b
    harmony = _sum(fused)
    if np.any(harmony <= 0.0):
        raise Undefined(
            "the sources are in total conflict: each excludes what the other believes",
            where="constraint fusion",
            found=checks.first_place(harmony <= 0.0, "conflict 1"),
            remedy="Keep some uncertainty in each opinion, or use averaging or consensus fusion.",
        )
    return {mask: mass / harmony for mask, mass in fused.items()}


def _alone(residues: Sequence[Masses], others: Sequence[FloatArray]) -> Masses:
    """What one source believes beyond the shared part while all others are uncertain."""
    weighted = [{mask: mass * other for mask, mass in r.items()} for r, other in zip(residues, others, strict=True)]
    return reduce(_plus, weighted)


def _together(residues: Sequence[Masses], base_rate: tuple[FloatArray, ...]) -> Masses:
    """What all sources believe beyond the shared part, on intersections and unions."""
    if all(mask.bit_count() == 1 for residue in residues for mask in residue):
        return reduce(_united, residues)
    believed = [[mask for mask, mass in residue.items() if np.any(mass > 0.0)] for residue in residues]
    if prod(len(masks) for masks in believed) > MAX_COMBINATIONS:
        raise InvalidInput(
            "too many combinations of believed sets",
            where="consensus fusion",
            found=" x ".join(str(len(masks)) for masks in believed),
            remedy=f"Fuse fewer sources or sets; up to {MAX_COMBINATIONS:,} combinations are tried.",
        )
    together: Masses = {}
    for masks in product(*believed):
        mass = _product([residue[mask] for residue, mask in zip(residues, masks, strict=True)])
        for mask, part in _split(masks, mass, base_rate).items():
            together[mask] = together.get(mask, NOTHING) + part
    return together


def _united(one: Masses, other: Masses) -> Masses:
    """Single values: equal ones meet in themselves, different ones in their union."""
    fused: Masses = {}
    for (a, mass_a), (b, mass_b) in product(one.items(), other.items()):
        fused[a | b] = fused.get(a | b, NOTHING) + mass_a * mass_b
    return fused


def _split(masks: tuple[int, ...], mass: FloatArray, base_rate: tuple[FloatArray, ...]) -> Masses:
    """The share of the intersection is the product of the relative base rates a(y_i | all others)."""
    common, union = reduce(int.__and__, masks), reduce(int.__or__, masks)
    if not common or common == union:
        return {union: mass}
    without = [reduce(int.__and__, masks[:i] + masks[i + 1 :]) for i in range(len(masks))]
    a_common = base_rate_of(common, base_rate)
    share = _product([ratio(a_common, base_rate_of(mask, base_rate), 1.0) for mask in without])
    return {common: share * mass, union: (1.0 - share) * mass}


def _plus(one: Masses, other: Masses) -> Masses:
    return {mask: one.get(mask, NOTHING) + other.get(mask, NOTHING) for mask in sorted({*one, *other})}


def _sum(masses: Masses) -> FloatArray:
    return reduce(np.add, masses.values())


def _product(factors: Sequence[FloatArray]) -> FloatArray:
    return reduce(np.multiply, factors, np.ones(()))
