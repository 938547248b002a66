"""One element of gsn2x as the plain fields of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefoot.case.formats import values
from surefoot.case.formats.fields import FIELDS, TEXTS, VALUE
from surefoot.case.formats.gsn2x_words import ATTRIBUTES, KIND_OF, KNOWN, LAYOUT, OURS, RELATION, type_by_prefix
from surefoot.case.node import KINDS
from surefoot.documents import Refused, did_you_mean, flow, shown
from surefoot.documents.yaml import is_nothing

_LISTS = ("supportedBy", "inContextOf", "challenges")
_KIND = f"{OURS}kind"


def plain_of(identity: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """What gsn2x itself says, without attributes of ours; references as they are written."""
    plain: dict[str, Any] = {KIND_OF[_type(identity, fields)]: fields.get("text", "")}
    for attribute, key in ATTRIBUTES.items():
        if attribute in fields and not is_nothing(fields[attribute]):
            given = fields[attribute]
            plain[key] = list(values.texts(given)) if attribute in _LISTS else given
    relations = [each for each in plain.get("challenges", ()) if RELATION in each]
    if relations:
        # What doubts a step of the argument must not go unheard, so it challenges what that step leads to.
        plain["challenges"] = [each.split(RELATION)[0].strip() for each in plain["challenges"]]
    note = [f"challenges: {each}" for each in relations] + [
        f"{key}: {_shown(given)}" for key, given in fields.items() if _is_aside(key)
    ]
    return plain | ({"note": "\n".join(note)} if note else {})


def with_ours(plain: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields with what attributes of ours say instead; one that says nothing stands for a field left out."""
    found = dict(plain)
    if _KIND in fields:
        found = _as_kind(found, fields[_KIND])
    for attribute, given in fields.items():
        if not attribute.startswith(OURS) or attribute == _KIND:
            continue
        key = key_of(attribute)
        if key not in FIELDS:
            hint = did_you_mean(attribute, [f"{OURS}{each.replace(' ', '-')}" for each in FIELDS])
            raise Refused("unknown-key", f"{shown(attribute)} is not known here.", hint)
        found.pop(key, None)
        if not is_nothing(given) and not (key in TEXTS and given == ""):
            found[key] = given
    return found


def ours(derived: Mapping[str, Any], wanted: Mapping[str, Any], keys: Mapping[str, bool]) -> dict[str, Any]:
    """Attributes of ours: what is wanted where gsn2x alone would say something else; ``keys`` says which are texts."""
    return {
        f"{OURS}{key.replace(' ', '-')}": wanted.get(key, "" if is_text else None)
        for key, is_text in keys.items()
        if derived.get(key) != wanted.get(key)
    }


def key_of(attribute: str) -> str:
    """The field that an attribute of ours is for."""
    return attribute.removeprefix(OURS).replace("-", " ")


def left_out(fields: Mapping[str, Any]) -> list[str]:
    """Attributes that say how gsn2x draws, and nothing of the argument."""
    return [key for key in fields if key in LAYOUT]


def _type(identity: str, fields: Mapping[str, Any]) -> str:
    given = fields.get("nodeType")
    found = type_by_prefix(identity) if given is None or is_nothing(given) else values.text(given)
    if found is None:
        hint = "Begin ids with G, S, Sn, C, A, J, CG or CSn, or give a nodeType."
        raise Refused(VALUE, f"{shown(identity)} has no known type.", hint)
    if found not in KIND_OF:
        raise Refused(VALUE, f"{shown(found)} is no nodeType.", did_you_mean(found, KIND_OF))
    return found


def _as_kind(plain: dict[str, Any], given: Any) -> dict[str, Any]:
    kind = values.said(given)
    if kind not in KINDS:
        raise Refused(VALUE, f"{shown(kind)} is no kind of node.", did_you_mean(kind, KINDS))
    (_, text), *rest = plain.items()
    return {kind: text, **dict(rest)}


def _is_aside(key: str) -> bool:
    """What people added for themselves, such as layers, and what we have no field for."""
    return key in ("acp", "defeatedRelation") or (key not in KNOWN and not key.startswith(OURS))


def _shown(given: Any) -> str:
    return values.text(given) if isinstance(given, str) else flow(given)
