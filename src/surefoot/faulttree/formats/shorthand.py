"""Quantities and common-cause groups as people write them, and the recorded form of ``to_dict`` behind it.

A written quantity is a number, the name of a parameter, or a mapping whose keys are fields, with spaces for
underscores. ``type`` says which quantity it is; common ones are known by their keys. Fields that have their default
may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any

from surefoot.core.tagged import Tagged
from surefoot.documents import Refused, did_you_mean, shown

Family = type[Tagged]


@dataclass(frozen=True)
class Form:
    """How a type is written.

    The keys by which it is known without being named, fields under another name, and fields that are like another one
    where they are left out.
    """

    known_by: frozenset[str]
    renamed: Mapping[str, str] = field(default_factory=dict)
    like: Mapping[str, str] = field(default_factory=dict)


FORMS: dict[str, Form] = {
    "periodic-test": Form(
        frozenset({"rate", "tested every"}), {"interval": "tested every"}, like={"first_test": "interval"}
    ),
    "fixed": Form(frozenset({"probability"}), {"value": "probability"}),
    "parameter": Form(frozenset({"parameter"}), {"name": "parameter"}),
    "counts": Form(frozenset({"failures", "trials"})),
    "measured": Form(frozenset({"estimate"})),
    "distribution": Form(frozenset({"distribution"})),
    "operation": Form(frozenset({"operation"}), {"name": "operation", "operands": "of"}),
    "lognormal-deviate": Form(frozenset({"mean", "error factor"})),
    "exponential": Form(frozenset({"rate", "time"})),
}
NO_FORM = Form(frozenset())


@dataclass(frozen=True)
class Slot:
    """A field of a type: its name, the key it is written under, whether it takes quantities, and its default."""

    name: str
    key: str
    takes_quantities: bool
    default: Any

    @property
    def needed(self) -> bool:
        """Whether it must be written."""
        return self.default is MISSING


@cache
def slots(member: type[Any]) -> tuple[Slot, ...]:
    """The fields of a type."""
    renamed = FORMS.get(member.tag, NO_FORM).renamed
    return tuple(
        Slot(f.name, renamed.get(f.name, f.name.replace("_", " ")), "Quantity" in str(f.type), _plain(f.default))
        for f in fields(member)
    )


def recorded(said: Mapping[str, Any], family: Family, *, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What ``from_dict`` reads, from a written mapping; ``given`` are fields known from elsewhere."""
    given = given or {}
    tag = _tag(said, family)
    known = [slot for slot in slots(_member(family, tag)) if slot.name not in given]
    _refuse_unknown(set(said) - {"type"}, [slot.key for slot in known], tag)
    like = FORMS.get(tag, NO_FORM).like
    data: dict[str, Any] = {"type": tag, **given}
    for slot in known:
        if slot.key in said:
            data[slot.name] = recorded_value(said[slot.key]) if slot.takes_quantities else said[slot.key]
        elif _is_simple(data.get(like.get(slot.name, ""))):
            data[slot.name] = data[like[slot.name]]
        elif slot.needed:
            raise Refused("missing-key", f"{shown(slot.key)} is missing for the type {tag!r}.")
        else:
            data[slot.name] = slot.default
    return data


def recorded_value(said: Any) -> Any:
    """A quantity that stands inside another one or inside a group."""
    from surefoot.faulttree.quantities import Quantity

    if isinstance(said, bool):
        raise Refused("wrong-value", f"a number or quantity is needed, found {shown(said)}.")
    if isinstance(said, str):
        return {"type": "parameter", "name": said}
    if isinstance(said, Mapping):
        return recorded(said, Quantity)
    return [recorded_value(item) for item in said] if isinstance(said, list) else said


def written(data: Mapping[str, Any], family: Family, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
    """A mapping for people from what ``to_dict`` gave."""
    tag = data["type"]
    like = {name: data[other] for name, other in FORMS.get(tag, NO_FORM).like.items() if _is_simple(data[other])}
    said = {
        slot.key: written_value(data[slot.name]) if slot.takes_quantities else data[slot.name]
        for slot in slots(_member(family, tag))
        if slot.name not in without and data[slot.name] != like.get(slot.name, slot.default)
    }
    return said if _known_by_keys(said) == tag else {"type": tag} | said


def written_value(data: Any) -> Any:
    """A quantity inside another one, or a list of them."""
    from surefoot.faulttree.quantities import Quantity

    if isinstance(data, list):
        return [written_value(item) for item in data]
    if not isinstance(data, Mapping):
        return data
    if data["type"] == "fixed":
        return data["value"]
    return data["name"] if data["type"] == "parameter" else written(data, Quantity)


def _member(family: Family, tag: str) -> Any:
    return family._members[tag]


def _tag(said: Mapping[str, Any], family: Family) -> str:
    tag = said["type"] if "type" in said else _known_by_keys(said)
    known = family._members
    if tag is None:
        keys = ", ".join(map(shown, said)) or "(none)"
        raise Refused("missing-key", f"the keys {keys} say of no known type what it needs.", _typo(said, known))
    if not isinstance(tag, str) or tag not in known:
        hint = did_you_mean(tag, known) if isinstance(tag, str) else ""
        raise Refused("wrong-value", f"there is no type {shown(tag)}.", hint)
    return tag


def _typo(said: Mapping[str, Any], known: Mapping[str, object]) -> str:
    """What was probably meant by a key that no common type has, else which types there are."""
    common = sorted({key for form in FORMS.values() for key in form.known_by})
    hints = [did_you_mean(key, common) for key in said if key not in common]
    close = next((hint for hint in hints if hint.startswith("Did")), None)
    return close or f"Complete them, or give its type, one of {', '.join(known)}."


def _known_by_keys(said: Mapping[str, Any]) -> str | None:
    return next((tag for tag, form in FORMS.items() if form.known_by <= set(said)), None)


def _refuse_unknown(found: set[str], known: list[str], tag: str) -> None:
    for key in sorted(found - set(known)):
        raise Refused("unknown-key", f"{shown(key)} says nothing for the type {tag!r}.", did_you_mean(key, known))


def _is_simple(value: Any) -> bool:
    """Whether a value means the same wherever it stands: a number or the name of a parameter, nothing drawn."""
    if isinstance(value, Mapping):
        return value.get("type") == "parameter"
    return isinstance(value, int | float)


def _plain(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default
