"""Corruptions by name; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate

PACKAGE = "surefoot.corruptions"
CATALOGUE: dict[str, dict[str, str]] = {
    "image": {"brightness": "brightness:brightness"},
    "audio": {},
    "text": {},
}
"""For each domain, the function of each name: ``f(x, severity, rng)``, severity from 1 to 5."""
SEVERITIES = (1, 2, 3, 4, 5)


def names(domain: str) -> tuple[str, ...]:
    """What ``corrupt`` knows of a domain: ``image``, ``audio`` or ``text``."""
    validate.choice(domain, CATALOGUE, where="corruptions", name="domain")
    return tuple(sorted(CATALOGUE[domain]))


def corrupt(x: ArrayLike, name: str, severity: int, *, seed: int = 0) -> NDArray[Any]:
    """Inputs made worse by severity 1 (slight) to 5; the same seed gives the same answer.

    Images are one (h x w x c) or many (n x h x w x c), bytes or floats in [0, 1], and stay so.
    """
    known = {each: home for domain in CATALOGUE.values() for each, home in domain.items()}
    validate.choice(name, known, where="corrupt", name="corruption")
    if isinstance(severity, bool) or severity not in SEVERITIES:
        remedy = "1 is slight, 5 is the worst."
        raise InvalidInput(
            "severity must be a whole number from 1 to 5", where=name, found=repr(severity), remedy=remedy
        )
    rng = np.random.default_rng(validate.seed(seed, where=name))
    module, _, function = known[name].partition(":")
    return getattr(import_module(f"{PACKAGE}.{module}"), function)(x, int(severity), rng)
