"""Numbers, opinions and choices of a case from plain data; what does not fit is refused with its reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from surefoot.case.formats.fields import (
    CHOICE_KEYS,
    CONDITIONALS,
    CONVENTIONS,
    MASSES,
    NUMBER_KEYS,
    OPINION_KEYS,
    POLICY_KEYS,
    RATES,
    STATED_KEYS,
    VALUE,
    VERBAL,
)
from surefoot.case.formats.values import made, mapping, number, resolved, said, text, texts, whole
from surefoot.case.node import Choice
from surefoot.case.number import Number, Stated
from surefoot.case.policy import Discounting, Policy
from surefoot.core import Target, validate
from surefoot.core.bound import KINDS
from surefoot.core.distributions import Distribution
from surefoot.documents import Refused, did_you_mean, shown
from surefoot.opinions import Opinion
from surefoot.opinions.judgement import CONFIDENCES, LIKELIHOODS, judgement


def opinion(given: Any) -> Opinion:
    """An opinion, in words or as its masses."""
    fields = mapping(given, OPINION_KEYS, what="an opinion")
    rates = {RATES[key]: number(value) for key, value in fields.items() if key in RATES}
    if any(key in fields for key in VERBAL):
        return _verbal(fields, rates)
    missing = [name for name in MASSES if name not in fields]
    if missing:
        hint = "Give belief, disbelief and uncertainty, or likelihood and confidence."
        raise Refused("missing-key", f"an opinion needs {' and '.join(missing)}.", hint)
    masses = [number(fields[name]) for name in MASSES]
    return made(lambda: Opinion(*masses, **rates), "this is no opinion")


def stated(given: Any) -> Stated:
    """What somebody answers for."""
    fields = mapping(given, STATED_KEYS, what="an opinion")
    own = {key: value for key, value in fields.items() if key in OPINION_KEYS}
    taken: dict[str, Any] = {name: opinion(fields[key]) for key, name in CONDITIONALS.items() if key in fields}
    taken |= {name: text(fields[name]) for name in ("by", "why") if name in fields}
    held = opinion(own) if own else None
    return made(lambda: Stated(held, **taken), "this cannot be stated")


def claimed(given: Any) -> Number:
    """The number that a claim states."""
    fields = mapping(given, NUMBER_KEYS, what="a number with its quantity")
    if "quantity" not in fields:
        raise Refused("missing-key", "a number needs its quantity.", "Write quantity: and what is counted or measured.")
    taken = {name: take(fields[key]) for key, (name, take) in _TARGET.items() if key in fields}
    target = made(lambda: Target(**taken), "this is no target")
    strict = number(fields["strict level"]) if "strict level" in fields else None
    if strict is not None:
        made(lambda: validate.level(strict, where=""), "strict level")
    return Number(said(fields["quantity"]), target, strict)


def policy(given: Any) -> Policy:
    """How confidence is computed, where that differs from the usual."""
    fields = mapping(given, POLICY_KEYS, what="conventions")
    taken: dict[str, Any] = {name: opinion(fields[name]) for name in CONVENTIONS if name in fields}
    if "discounting" in fields:
        taken["discounting"] = _one_of(fields["discounting"], get_args(Discounting), "discounting")
    if "disagreement" in fields:
        share = number(fields["disagreement"])
        taken["disagreement"] = made(lambda: validate.probability(share, where="", name="disagreement"), "disagreement")
    return Policy(**taken)


def choices(given: Any) -> tuple[Choice, ...]:
    """Which of the nodes below are to be chosen among."""
    return tuple(map(_choice, given if isinstance(given, list | tuple) else [given]))


def _choice(given: Any) -> Choice:
    fields = mapping(given, CHOICE_KEYS, what="a choice")
    amounts = {name: whole(fields[name]) for name in ("least", "most") if name in fields}
    among = texts(fields.get("among", ()))
    hint = "Write for example {among: [C2, C3], least: 1, most: 1}."
    return made(lambda: Choice(among, **amounts), "this is no choice", hint)


def _verbal(fields: Mapping[str, Any], rates: Mapping[str, float]) -> Opinion:
    if any(name in fields for name in MASSES):
        raise Refused(VALUE, "an opinion is given in words and in numbers.", "Keep one of them.")
    missing = next((key for key in VERBAL if key not in fields), None)
    if missing is not None:
        raise Refused("missing-key", f"a verbal judgement needs its {missing}.", "Give likelihood and confidence.")
    likely = _one_of(fields["likelihood"], LIKELIHOODS, "likelihood")
    sure = _one_of(fields["confidence"], CONFIDENCES, "confidence")
    base = {"base_rate": rates["base_rate"]} if "base_rate" in rates else {}
    judged = made(lambda: judgement(likely, sure, **base), "this judgement does not exist")
    if "prior_weight" not in rates:
        return judged
    return made(lambda: Opinion(*(getattr(judged, name) for name in MASSES), **rates), "this is no opinion")


def _kinds(given: Any) -> tuple[str, ...]:
    return tuple(_one_of(each, KINDS, "kind of bound") for each in texts(given))


def _one_of(given: Any, known: Collection[str], what: str) -> str:
    found = said(given)
    if found not in known:
        raise Refused(VALUE, f"{shown(found)} is no {what}.", did_you_mean(found, known))
    return found


def _distribution(given: Any) -> Distribution:
    return made(lambda: Distribution.from_dict(resolved(given)), "this is no distribution")


_TARGET: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "at most": ("at_most", number),
    "at least": ("at_least", number),
    "level": ("level", number),
    "per": ("per", text),
    "source": ("source", text),
    "kinds": ("kinds", _kinds),
    "uncertainty": ("uncertainty", _distribution),
}
