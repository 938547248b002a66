"""Basic events of Galileo files: a probability, or a rate over the mission time."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from surefoot.documents import Refused, did_you_mean, shown
from surefoot.faulttree.formats.building import Parts
from surefoot.faulttree.formats.galileo_words import Word

if TYPE_CHECKING:
    from surefoot.faulttree.quantities import Quantity

WITHOUT_EFFECT = {"dorm": None, "cov": 1.0, "res": 0.0, "repl": 1.0, "phases": 1.0, "repair": 0.0}
"""Attributes that a static tree does not use, with the value at which they change nothing; dormancy never does."""
AGEING = ("shape", "rate", "scale", "mean", "stddev", "interval")
KNOWN = ("prob", "lambda", *WITHOUT_EFFECT, *AGEING)


def read_event(name: str, words: list[Word], parts: Parts) -> None:
    """Take over a basic event; what is not used stays as an attribute."""
    said = _attributes(name, words)
    parts.events[name] = None
    for key, value in said.items():
        _refuse_dynamic(name, key, value)
    parts.events[name] = _quantity(name, said, parts)
    unused = {key: value for key, value in said.items() if key in WITHOUT_EFFECT}
    if unused:
        parts.attributes[name] = unused


def _attributes(name: str, words: list[Word]) -> dict[str, str]:
    said: dict[str, str] = {}
    for word in words:
        key, equals, value = word.text.partition("=")
        key = key.lower()
        if word.quoted or not equals:
            raise Refused("tree-syntax", f"{shown(word.text)} of the event {shown(name)} is not key=value.")
        if key not in KNOWN:
            raise Refused("tree-syntax", f"the event {shown(name)} has an unknown {key!r}.", did_you_mean(key, KNOWN))
        if key in said:
            raise Refused("tree-duplicate", f"the event {shown(name)} has {key!r} twice.", "Remove one of them.")
        said[key] = value
    return said


def _refuse_dynamic(name: str, key: str, value: str) -> None:
    number = _number(name, key, value)
    if key in AGEING or (key in WITHOUT_EFFECT and WITHOUT_EFFECT[key] not in (None, number)):
        problem = f"the event {shown(name)} has {key}={value}, which is not read from Galileo files."
        raise Refused("tree-unsupported", problem, "Give its probability over the mission as prob=.")


def _quantity(name: str, said: dict[str, str], parts: Parts) -> Quantity:
    from surefoot.faulttree.quantities import MISSION_TIME, Exponential, Fixed, Parameter

    if ("prob" in said) == ("lambda" in said):
        found = "both" if "prob" in said else "neither"
        raise Refused("tree-probability", f"the event {shown(name)} needs prob= or lambda=, found {found}.")
    if "prob" in said:
        return Fixed(_number(name, "prob", said["prob"]))
    rate = Fixed(_number(name, "lambda", said["lambda"]))
    if MISSION_TIME not in parts.parameters:
        problem = f"the event {shown(name)} has a rate, and the file has no mission time."
        raise Refused(
            "tree-probability", problem, "Give mission_time (--mission-time at the prompt), in the unit of the rates."
        )
    return Exponential(rate, Parameter(MISSION_TIME))


def _number(name: str, key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Refused("tree-probability", f"{key} of the event {shown(name)} is not a number: {shown(value)}.")
    return number
