"""Corruptions by name; each is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import signature
from typing import Any

import numpy as np

from surefoot.core import InvalidInput, validate

PACKAGE = "surefoot.corruptions"
CATALOGUE: dict[str, dict[str, str]] = {
    "image": {
        "gaussian_noise": "image.noise",
        "shot_noise": "image.noise",
        "impulse_noise": "image.noise",
        "defocus_blur": "image.blur",
        "glass_blur": "image.blur",
        "motion_blur": "image.blur",
        "zoom_blur": "image.blur",
        "snow": "image.weather",
        "frost": "image.weather",
        "fog": "image.weather",
        "brightness": "image.light",
        "contrast": "image.light",
        "elastic_transform": "image.digital",
        "pixelate": "image.digital",
        "jpeg_compression": "image.digital",
        "smoke": "image.scenes",
        "sun_flare": "image.scenes",
        "rain": "image.scenes",
        "row_fault": "image.sensors",
        "column_fault": "image.sensors",
        "shifted_pixels": "image.sensors",
        "pixel_trap": "image.sensors",
        "coarse_dropout": "image.dropout",
        "grid_dropout": "image.dropout",
        "channel_shuffle": "image.channels",
        "channel_dropout": "image.channels",
    },
    "audio": {
        "reverb": "audio.rooms",
        "background_noise": "audio.noise",
        "distortion": "audio.levels",
        "clipping": "audio.levels",
        "speed": "audio.time",
        "pitch_shift": "audio.time",
        "band_limit": "audio.channel",
        "telephone": "audio.channel",
        "dropouts": "audio.channel",
    },
    "text": {
        "digits_to_words": "text.digits",
        "remove_characters": "text.characters",
        "change_characters": "text.characters",
        "swap_characters": "text.characters",
        "misspellings": "text.spelling",
        "ocr_errors": "text.reading",
        "case_errors": "text.reading",
    },
}
"""For each domain, the module that holds the function of each name: ``f(items, severity, rngs, **options)``."""
SEVERITIES = (1, 2, 3, 4, 5)
LEVELS: Mapping[str, int] = {"low": 1, "medium": 3, "high": 5}
"""The three levels of paper SYS (Table 1) among the five severities."""
Apply = Callable[[Any, Sequence[np.random.Generator]], Any]
"""A corruption of a few items of one domain, each with its own random numbers."""


def names(domain: str) -> tuple[str, ...]:
    """What ``corrupt`` knows of a domain: ``image``, ``audio`` or ``text``."""
    validate.choice(domain, CATALOGUE, where="corruptions", name="domain")
    return tuple(sorted(CATALOGUE[domain]))


def domain_of(name: str) -> str:
    """The domain of a corruption; a misspelling gets a suggestion."""
    known = {each: domain for domain, held in CATALOGUE.items() for each in held}
    return known[validate.choice(name, known, where="corrupt", name="corruption")]


def severity_of(severity: int | str) -> int:
    """A severity from 1 to 5, or the one of a level: ``low`` is 1, ``medium`` 3, ``high`` 5."""
    if isinstance(severity, str):
        return LEVELS[validate.choice(severity, LEVELS, where="corrupt", name="level")]
    if isinstance(severity, bool) or severity not in SEVERITIES:
        remedy = "1 is slight, 5 is the worst; or say low, medium or high."
        raise InvalidInput(
            "severity must be a whole number from 1 to 5", where="corrupt", found=repr(severity), remedy=remedy
        )
    return int(severity)


def corrupt(x: Any, name: str, severity: int | str, *, seed: int = 0, first: int = 0, **options: Any) -> Any:
    """Inputs made worse by severity 1 (slight) to 5, or by a level: low (1), medium (3), high (5).

    Images are one (h x w x c) or many (n x h x w x c), bytes or floats in [0, 1]; sounds are one (samples), many (n x
    samples) or a list of sounds, 16-bit integers or floats in [-1, 1], with ``rate`` samples a second; texts are one
    or a list. All stay what they were. Item i of many draws from the seed and the number ``first`` + i alone, so that
    many items are corrupted as each would be by itself.
    """
    domain = domain_of(name)
    worse = severity_of(severity)
    root = validate.seed(seed, where=name)
    start = validate.count(first, where=name, name="first")
    function = function_of(name)
    require_options(name, options)

    def apply(items: Any, rngs: Sequence[np.random.Generator]) -> Any:
        return function(items, worse, rngs, **options)

    changed = import_module(f"{PACKAGE}.{domain}.items").changed
    return changed(x, apply, lambda i: np.random.default_rng((root, start + i)), where=name)


@cache
def options_of(name: str) -> tuple[str, ...]:
    """The options that a corruption takes."""
    return tuple(signature(function_of(name)).parameters)[3:]


def require_options(name: str, options: Mapping[str, Any]) -> None:
    """The corruption takes these options."""
    known = options_of(name)
    unknown = sorted(set(options) - set(known))
    if unknown:
        takes = ", ".join(known) or "none"
        raise InvalidInput("unknown option", where=name, found=", ".join(unknown), remedy=f"Its options: {takes}.")


def function_of(name: str) -> Callable[..., Any]:
    """The function of a corruption: ``f(items, severity, rngs, **options)``."""
    found: Callable[..., Any] = getattr(import_module(f"{PACKAGE}.{CATALOGUE[domain_of(name)][name]}"), name)
    return found
