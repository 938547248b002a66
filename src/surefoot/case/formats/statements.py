"""Numbers and opinions of a case as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from surefoot.case.formats.fields import CONDITIONALS, MASSES, RATES
from surefoot.case.number import Number, Stated
from surefoot.core.errors import SurefootError
from surefoot.core.target import DEFAULT_KINDS, Target
from surefoot.opinions import Opinion
from surefoot.opinions.judgement import CONFIDENCES, LIKELIHOODS, judgement

_USUAL = {"base_rate": 0.5, "prior_weight": 2.0}
_LIKELY = {number: word for word, number in LIKELIHOODS.items()}
_SURE = {number: word for word, number in CONFIDENCES.items()}


def opinion_to_dict(opinion: Opinion) -> dict[str, Any]:
    """In words where it is exactly a verbal judgement, otherwise its masses.

    >>> opinion_to_dict(judgement("likely", "high confidence"))
    {'likelihood': 'likely', 'confidence': 'high confidence'}
    """
    rates = {key: float(getattr(opinion, name)) for key, name in RATES.items()}
    rates = {key: value for key, value in rates.items() if value != _USUAL[RATES[key]]}
    return (_in_words(opinion) or {name: float(getattr(opinion, name)) for name in MASSES}) | rates


def stated_to_dict(stated: Stated) -> dict[str, Any]:
    """The opinion, the conditionals of a deduction, and who answers for them."""
    found = {} if stated.opinion is None else opinion_to_dict(stated.opinion)
    for key, name in CONDITIONALS.items():
        if (given := getattr(stated, name)) is not None:
            found[key] = opinion_to_dict(given)
    return found | {name: text for name in ("by", "why") if (text := getattr(stated, name))}


def stated_words(stated: Stated) -> Iterator[str]:
    """The same for people: who answers for what, and why.

    >>> list(stated_words(Stated(judgement("likely", "high confidence"), by="A. Tester", why="Seen before.")))
    ['stated by A. Tester: likely, high confidence (Seen before.)']
    """
    opinions = {"": stated.opinion} | {key: getattr(stated, name) for key, name in CONDITIONALS.items()}
    said = [f"{key} {_opinion_words(given)}".strip() for key, given in opinions.items() if given is not None]
    who, why = f" by {stated.by}" if stated.by else "", f" ({stated.why})" if stated.why else ""
    if said or who or why:
        yield f"stated{who}: {'; '.join(said) or 'no opinion'}{why}"


def _opinion_words(opinion: Opinion) -> str:
    data = opinion_to_dict(opinion)
    return ", ".join(value if isinstance(value, str) else f"{key} {value:.4g}" for key, value in data.items())


def number_to_dict(number: Number) -> dict[str, Any]:
    """What the claim says of its quantity."""
    target = number.target
    usual = Target(at_most=0.0)
    found: dict[str, Any] = {"quantity": number.quantity, target.relation: target.limit}
    for name in ("per", "level", "source"):
        if (value := getattr(target, name)) != getattr(usual, name):
            found[name] = value
    if number.strict_level is not None:
        found["strict level"] = number.strict_level
    if target.uncertainty is not None:
        found["uncertainty"] = target.uncertainty.to_dict()
    if target.kinds != DEFAULT_KINDS:
        found["kinds"] = list(target.kinds)
    return found


def _in_words(opinion: Opinion) -> dict[str, Any] | None:
    likelihood = _LIKELY.get(float(opinion.probability))
    confidence = _SURE.get(float(opinion.uncertainty))
    if likelihood is None or confidence is None:
        return None
    try:
        judged = judgement(likelihood, confidence, base_rate=float(opinion.base_rate))
    except SurefootError:
        return None
    same = all(getattr(judged, name) == getattr(opinion, name) for name in MASSES)
    return {"likelihood": likelihood, "confidence": confidence} if same else None
