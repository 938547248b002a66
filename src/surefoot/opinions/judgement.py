"""Verbal judgements as opinions, so that qualitative evidence enters too.

Nine likelihoods and five confidences name the cells of the opinion triangle (Jøsang 2016, section 3.7.2, qualitative
opinion representation). The book leaves the limits of the cells to the application; the numbers here are evenly spaced:
a likelihood is a projected probability in steps of 1/8, a confidence 1 - u in steps of 1/4. They are a convention to
agree on before asking experts, not a measurement.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from surefoot.core import validate
from surefoot.core.errors import Undefined
from surefoot.opinions.opinion import Opinion

LIKELIHOODS: Mapping[str, float] = MappingProxyType(
    {
        "absolutely not": 0.0,
        "very unlikely": 0.125,
        "unlikely": 0.25,
        "somewhat unlikely": 0.375,
        "chances about even": 0.5,
        "somewhat likely": 0.625,
        "likely": 0.75,
        "very likely": 0.875,
        "absolutely": 1.0,
    }
)
CONFIDENCES: Mapping[str, float] = MappingProxyType(
    {
        "no confidence": 1.0,
        "low confidence": 0.75,
        "some confidence": 0.5,
        "high confidence": 0.25,
        "total confidence": 0.0,
    }
)
ROUNDING = 1e-12


def judgement(likelihood: str, confidence: str, *, base_rate: float = 0.5) -> Opinion:
    """The opinion that a verbal judgement stands for.

    Belief is P - a u and disbelief 1 - P - (1 - a) u, for projected probability P, base rate a and uncertainty u. An
    extreme likelihood held without confidence has no opinion: someone who knows nothing expects the base rate.

    >>> opinion = judgement("likely", "high confidence")
    >>> float(opinion.belief), float(opinion.disbelief), float(opinion.uncertainty)
    (0.625, 0.125, 0.25)
    """
    validate.choice(likelihood, LIKELIHOODS, where="judgement", name="likelihood")
    validate.choice(confidence, CONFIDENCES, where="judgement", name="confidence")
    rate = validate.probability(base_rate, where="judgement", name="base_rate")
    if not _exists(likelihood, confidence, rate):
        raise Undefined(
            f"{likelihood!r} cannot be held with {confidence!r} at base rate {rate:g}",
            where="judgement",
            remedy=f"Choose {_least_confidence(likelihood, rate)!r} or more, or a base rate nearer to the likelihood.",
        )
    projected, uncertainty = LIKELIHOODS[likelihood], CONFIDENCES[confidence]
    belief = min(max(projected - rate * uncertainty, 0.0), 1 - uncertainty)
    return Opinion(belief, 1 - uncertainty - belief, uncertainty, rate)


def judgement_table(*, base_rate: float = 0.5) -> dict[tuple[str, str], Opinion]:
    """All judgements that exist at a base rate, by (likelihood, confidence): the table to hand to experts."""
    rate = validate.probability(base_rate, where="judgement_table", name="base_rate")
    return {
        (likelihood, confidence): judgement(likelihood, confidence, base_rate=rate)
        for likelihood in LIKELIHOODS
        for confidence in CONFIDENCES
        if _exists(likelihood, confidence, rate)
    }


def _exists(likelihood: str, confidence: str, base_rate: float) -> bool:
    projected, uncertainty = LIKELIHOODS[likelihood], CONFIDENCES[confidence]
    lowest = base_rate * uncertainty
    return lowest - ROUNDING <= projected <= lowest + 1 - uncertainty + ROUNDING


def _least_confidence(likelihood: str, base_rate: float) -> str:
    return next(word for word in CONFIDENCES if _exists(likelihood, word, base_rate))
