"""Corruptions by name; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from numbers import Real
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, validate
from surefoot.core.registry import Registry

PACKAGE = "surefoot.corruptions"
DOMAINS = ("image", "audio", "text")
"""Packages beside this file; ``changed`` of each reads items of that kind and gives them back as they came."""
THEMES = (
    *(f"image.{theme}" for theme in ("sensor", "blur", "weather", "digital")),
    *(f"audio.{theme}" for theme in ("channel", "tempo")),
    *(f"text.{theme}" for theme in ("spelling", "characters")),
)
"""The order of lists: that of Hendrycks and Dietterich, and of the papers that add to them; other modules follow."""
corruption: Registry[Callable[..., Any]] = Registry(
    "corruption", *(f"{PACKAGE}.{domain}" for domain in DOMAINS), facts=("domain",), first=THEMES
)
"""Registers ``f(items, severity, rngs, **options)``, by its own name, for the items of one domain."""
SEVERITIES = (1, 2, 3, 4, 5)
LEVELS: Mapping[str, int] = {"low": 1, "medium": 3, "high": 5}
"""The three levels of paper SYS (Table 1) among the five severities."""
Apply = Callable[[Any, Sequence[np.random.Generator]], Any]
"""A corruption of a few items of one domain, each with its own random numbers."""


def names(domain: str) -> tuple[str, ...]:
    """What ``corrupt`` knows of a domain: ``image``, ``audio`` or ``text``.

    Parameters
    ----------
    domain
        ``"image"``, ``"audio"`` or ``"text"``.

    Returns
    -------
    tuple of str
        In alphabetical order.

    Examples
    --------
    >>> import surefoot as sf
    >>> "fog" in sf.corruptions.names("image")
    True

    """
    return tuple(sorted(listed(domain)))


def listed(domain: str) -> tuple[str, ...]:
    """The same in the order of lists, by theme."""
    return corruption.names(domain=validate.choice(domain, DOMAINS, where="corruptions", name="domain"))


@validate.arguments
def domain_of(name: str) -> str:
    """The domain of a corruption; a misspelling gets a suggestion.

    Parameters
    ----------
    name
        Of a corruption.

    Returns
    -------
    str
        ``"image"``, ``"audio"`` or ``"text"``.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.corruptions.domain_of("fog")
    'image'

    """
    entry = corruption.find(name, where="corrupt")
    return validate.choice(corruption.facts_of(entry).get("domain", ""), DOMAINS, where=name, name="domain")


def severity_of(severity: int | str) -> int:
    """A severity from 1 to 5, or the one of a level: ``low`` is 1, ``medium`` 3, ``high`` 5."""
    if isinstance(severity, str):
        return LEVELS[validate.choice(severity, LEVELS, where="corrupt", name="level")]
    if isinstance(severity, bool) or not isinstance(severity, Real) or severity not in SEVERITIES:
        remedy = "1 is slight, 5 is the worst; or say low, medium or high."
        raise InvalidInput(
            "severity must be a whole number from 1 to 5", where="corrupt", found=repr(severity), remedy=remedy
        )
    return int(severity)


@validate.arguments
def corrupt(
    x: Any,
    name: str,
    severity: int | str,
    *,
    seed: int = 0,
    first: int = 0,
    channels: str | None = None,
    **options: Any,
) -> Any:
    """Inputs made worse by severity 1 (slight) to 5, or by a level: low (1), medium (3), high (5).

    All stay what they were. Item i of many draws from the seed and the number ``first`` + i alone, so that many items
    are corrupted as each would be by itself.

    Parameters
    ----------
    x
        Images: one (h x w x c, or h x w where it is grey) or many (n x h x w x c), whole numbers of 8 or 16 bits or
        floats in [0, 1], with 1, 3 or 4 channels, of which a fourth is the opacity and stays as it is; tensors of torch
        come back as tensors. Sounds: one (samples), many (n x samples) or a list of sounds, 16-bit integers or floats
        in [-1, 1]. Texts: one or a list.
    name
        One of ``names`` of a domain.
    severity
        From 1 to 5, or a level.
    seed, first
        What is drawn, and the number of the first item.
    channels
        Of images: ``"last"`` (h x w x c), as arrays mostly are; ``"first"`` (c x h x w), which tensors are taken for
        where nothing is said; ``"none"`` for grey images (n x h x w).
    options
        Of the corruption, such as ``rate`` of sounds: samples a second.

    Returns
    -------
    Any
        In the shape, type and range of ``x``; some sounds become longer or shorter.

    References
    ----------
    Hendrycks and Dietterich (2019); SYS, Table 1; MON, section III.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.corruptions.corrupt("Call 112 at once", "digits_to_words", "high")
    'Call one hundred twelve at once'

    """
    domain = domain_of(name)
    worse = severity_of(severity)
    root = validate.seed(seed, where=name)
    start = validate.count(first, where=name, name="first")
    function = function_of(name)
    arranged: dict[str, Any] = {} if channels is None else {"channels": channels}
    require_options(name, {**options, **arranged})

    def apply(items: Any, rngs: Sequence[np.random.Generator]) -> Any:
        return function(items, worse, rngs, **options)

    changed = import_module(f"{PACKAGE}.{domain}").changed
    return changed(x, apply, lambda i: np.random.default_rng((root, start + i)), where=name, **arranged)


@cache
def options_of(name: str) -> tuple[str, ...]:
    """The options that a corruption takes."""
    return tuple(signature(function_of(name)).parameters)[3:]


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """The corruption takes these options."""
    known = (*options_of(name), *(("channels",) if domain_of(name) == "image" else ()))
    unknown = sorted(set(options) - set(known))
    if unknown:
        takes = ", ".join(known) or "none"
        raise InvalidInput("unknown option", where=name, found=", ".join(unknown), remedy=f"Its options: {takes}.")


def function_of(name: str) -> Callable[..., Any]:
    """The function of a corruption: ``f(items, severity, rngs, **options)``."""
    return corruption.find(name, where="corrupt").load()
