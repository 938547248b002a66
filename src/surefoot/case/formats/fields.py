"""Fields of a case in files: their words, their values as plain data and back; what does not fit is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar, get_args

from surefoot.case.extensions import Choice, ClaimPoint, frozen
from surefoot.case.model import KINDS, Discounting, Number, Policy, Stated
from surefoot.core import validate
from surefoot.core.bound import KINDS as BOUND_KINDS
from surefoot.core.distributions import Distribution
from surefoot.core.errors import SurefootError
from surefoot.core.target import DEFAULT_KINDS, Target
from surefoot.documents import Kind, Refused, did_you_mean, shown
from surefoot.documents.yaml import WORDS, Word, is_nothing, resolve
from surefoot.opinions import Opinion
from surefoot.opinions.metrics import CONFIDENCES, LIKELIHOODS, judgement

# The words of a file: which keys there are, in the order they are written, and which field of a node each is.

MARK, VERSION = "surefoot-case", 1
SYNTAX, VALUE = "case-syntax", "case-value"
CASE = Kind(
    SYNTAX,
    beginning=f"The first line of a case is '{MARK}: {VERSION}'.",
    flatter="Write inner nodes by themselves and name their ids.",
)
SECTIONS = (MARK, "name", "description", "notation", "confidence", "modules", "nodes")
LINKS = {"supported by": "supported_by", "in context of": "in_context_of", "challenges": "challenges"}
ATTACH = "attach"
"""Fragments that a project brings, each where its kind belongs: another way to write them in ``LINKS``."""
FRAGMENT, BELOW = "@", ("@target ", "@component ")
"""What names of fragments begin with, and those of what holds something up."""
FIELDS = {
    **LINKS,
    "block": "block",
    "combining": "combining",
    "undeveloped": "undeveloped",
    "by contract": "by_contract",
    "module": "module",
    "of": "of",
    "public": "public",
    "number": "number",
    "rests on": "rests_on",
    "assumption": "assumption",
    "digest": "digest",
    "stated": "stated",
    "defeated": "defeated",
    "defeated relations": "defeated_relations",
    "claim points": "claim_points",
    "multiplicity": "multiplicity",
    "choice": "choice",
    "uninstantiated": "uninstantiated",
    "tags": "tags",
    "note": "note",
    "url": "url",
    "attributes": "attributes",
}
"""What a node may say besides its kind and text: the key in a file and the name in ``Node``."""
TEXTS = ("block", "combining", "module", "of", "rests on", "assumption", "digest", "note", "url")
TRUTHS = ("undeveloped", "by contract", "public", "defeated", "uninstantiated")
LISTS = (*LINKS, "defeated relations", "tags")
NODE_KEYS = (*KINDS, *FIELDS, ATTACH)
MODULE_KEYS = ("name", "brief", "extends", "develops", "attributes", "file")
MASSES = ("belief", "disbelief", "uncertainty")
RATES = {"base rate": "base_rate", "prior weight": "prior_weight"}
VERBAL = ("likelihood", "confidence")
OPINION_KEYS = (*VERBAL, *MASSES, *RATES)
CONDITIONALS = {"given true": "given_true", "given false": "given_false"}
STATED_KEYS = (*OPINION_KEYS, *CONDITIONALS, "by", "why")
NUMBER_KEYS = (
    "quantity",
    "at most",
    "at least",
    "per",
    "unit",
    "level",
    "strict level",
    "source",
    "uncertainty",
    "kinds",
)
CONVENTIONS = ("checked", "unchecked", "contradicted", "undeveloped")
POLICY_KEYS = (*CONVENTIONS, "discounting")
CHOICE_KEYS = ("among", "least", "most")
POINT_KEYS = ("on", "argued by")


# Values of YAML and JSON as the fields of a case take them; what does not fit is refused with its reason.

Made = TypeVar("Made")


def text(given: Any) -> str:
    """A text; a number without quotes in YAML is one too."""
    if type(given) is str:
        return given
    if is_nothing(given):
        return ""
    if not isinstance(given, str):
        raise unfit(given, "a text", "Put it in quotes.")
    return str(given)


def said(given: Any) -> str:
    """A text that is there."""
    if type(given) is not str and is_nothing(given):
        raise unfit(None, "a text", 'Write "" for an empty one.')
    return text(given)


def texts(given: Any) -> tuple[str, ...]:
    """A list of texts; a single text is a list of one."""
    if isinstance(given, list | tuple):
        return tuple(map(said, given))
    return () if is_nothing(given) else (text(given),)


def truth(given: Any) -> bool:
    """True or false."""
    meant = WORDS.get(given) if isinstance(given, Word) else given
    if not isinstance(meant, bool):
        raise unfit(given, "true or false", "Write true, or leave it out.")
    return meant


def number(given: Any) -> float:
    """A finite number."""
    meant = resolve(given) if isinstance(given, Word) else given
    if isinstance(meant, bool) or not isinstance(meant, int | float):
        raise unfit(given, "a number", "Write for example 0.001.")
    try:
        found = float(meant)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise unfit(given, "a finite number", "Write for example 0.001.")
    return found


def whole(given: Any) -> int:
    """A whole number of at least 0."""
    found = number(given)
    if found < 0 or not found.is_integer():
        raise unfit(given, "a whole number of at least 0", "Write for example 1.")
    return int(found)


def mapping(given: Any, known: Collection[str] | None = None, *, what: str = "a mapping") -> Mapping[str, Any]:
    """A mapping from texts; where the keys are known, no other."""
    if is_nothing(given):
        return {}
    if not isinstance(given, Mapping):
        raise unfit(given, what, "Write key: value.")
    other = next((key for key in given if not isinstance(key, str)), None)
    if other is not None:
        raise unfit(other, "a text as key", "Put it in quotes.")
    strange = next((key for key in given if known is not None and key not in known), None)
    if strange is not None and known is not None:
        raise Refused("unknown-key", f"{shown(strange)} is not known here.", did_you_mean(strange, known))
    return given


def texts_by_name(given: Any) -> dict[str, str]:
    """A text for each name."""
    return {name: said(each) for name, each in mapping(given).items()}


def lists_by_name(given: Any) -> dict[str, tuple[str, ...]]:
    """A list of texts for each name."""
    return {name: texts(each) for name, each in mapping(given).items()}


def attributes(given: Any) -> dict[str, Any]:
    """Nested data of another tool, as they are."""
    return made(lambda: dict(frozen(resolved(mapping(given)))), "this cannot be kept")


def resolved(given: Any) -> Any:
    """Nested data of YAML with its numbers, truth values and nothings."""
    if isinstance(given, Word):
        return resolve(given)
    if isinstance(given, list | tuple):
        return [resolved(item) for item in given]
    return {key: resolved(item) for key, item in given.items()} if isinstance(given, Mapping) else given


def made(make: Callable[[], Made], what: str, hint: str = "") -> Made:
    """What ``make`` gives; whatever does not fit becomes a reason in the words of this file, with what to do."""
    try:
        return make()
    except SurefootError as error:
        found = "" if error.found is None else f"; found {error.found}"
        raise Refused(VALUE, f"{what}: {error.problem}{found}.", error.remedy or hint) from error
    except RecursionError as error:
        raise Refused(VALUE, f"{what} is nested too deep.") from error


def unfit(given: Any, wanted: str, hint: str) -> Refused:
    """Why a value is not taken."""
    return Refused(VALUE, f"expected {wanted}, found {shown(given)}.", hint)


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
    return Policy(**taken)


def claim_points(given: Any) -> dict[str, ClaimPoint]:
    """Assurance claim points by name; a list of ids says what one is on."""
    return {name: _claim_point(each) for name, each in mapping(given).items()}


def _claim_point(given: Any) -> ClaimPoint:
    if not isinstance(given, Mapping):
        return ClaimPoint(texts(given))
    fields = mapping(given, POINT_KEYS, what="a claim point")
    return ClaimPoint(texts(fields.get("on", ())), text(fields.get("argued by", "")))


def claim_points_to_dict(points: Mapping[str, ClaimPoint]) -> dict[str, Any]:
    """The same as plain data.

    >>> claim_points_to_dict({"ACP1": ClaimPoint(("Sn1",), argued_by="G9"), "ACP2": ClaimPoint(("G1",))})
    {'ACP1': {'on': ['Sn1'], 'argued by': 'G9'}, 'ACP2': ['G1']}
    """
    return {
        name: {"on": list(each.on), "argued by": each.argued_by} if each.argued_by else list(each.on)
        for name, each in points.items()
    }


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
    return tuple(_one_of(each, BOUND_KINDS, "kind of bound") for each in texts(given))


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
    "unit": ("unit", text),
    "source": ("source", text),
    "kinds": ("kinds", _kinds),
    "uncertainty": ("uncertainty", _distribution),
}


# Numbers and opinions of a case as plain data.

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
    for name in ("per", "unit", "level", "source"):
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
