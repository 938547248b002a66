"""Corruptions of sounds: rooms, noise, levels, time, and the channel they come through.

Each is a function ``f(sounds, severity, rngs, *, rate)`` of a list of sounds (1-D floats, full scale 1), one generator
a sound; ``changed`` checks what comes in, makes 16-bit integers shares of 1, and gives all back as it came. Parameters
of paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5. May import ``core``; scipy where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate

FULL = 32_768
"""A 16-bit integer of full scale."""
LEAST_RATE, MOST_RATE = 4_000, 192_000
Sound = NDArray[np.float64]
Sounds = list[Sound]
Generators = Sequence[np.random.Generator]
Change = Callable[[Sounds, Generators], Sounds]
"""A change of sounds with samples in [-1, 1]; what leaves that range is cut off."""


def changed(x: Any, change: Change, generator: Callable[[int], np.random.Generator], *, where: str) -> Any:
    """One sound, many, or a list, changed one after another, in the container, type and range in which they came."""
    if isinstance(x, list | tuple):
        arrays = [_checked(sound, where, f" of sound {i}", dimensions=(1,)) for i, sound in enumerate(x)]
        return type(x)([_one(each, change, generator(i)) for i, each in enumerate(arrays)])
    sounds = _checked(x, where, "", dimensions=(1, 2))
    if sounds.ndim == 1:
        return _one(sounds, change, generator(0))
    if not len(sounds):
        # What comes out may be longer or shorter than what went in, as a silent sound shows.
        return _one(np.zeros(sounds.shape[1], sounds.dtype), change, generator(0))[None][:0]
    return _stacked(sounds, change, generator)


def checked_rate(rate: object, *, where: str) -> int:
    """Samples a second, in the range of speech and music."""
    number = validate.count(rate, where=where, name="rate")
    if not LEAST_RATE <= number <= MOST_RATE:
        raise InvalidInput(
            f"rate must lie between {LEAST_RATE:,} and {MOST_RATE:,} samples a second",
            where=where,
            found=f"{number:,}",
            remedy="Give the sample rate of the sounds, such as 16000, or resample them.",
        )
    return number


def fitted(sound: Sound) -> Sound:
    """A sound scaled down as a whole where its peak would be cut off."""
    return sound / max(1.0, float(np.abs(sound).max()))


def _stacked(sounds: NDArray[Any], change: Change, generator: Callable[[int], np.random.Generator]) -> NDArray[Any]:
    first = _one(sounds[0], change, generator(0))
    answer = np.empty((len(sounds), len(first)), sounds.dtype)
    answer[0] = first
    for i in range(1, len(sounds)):
        answer[i] = _one(sounds[i], change, generator(i))
    return answer


def _one(sound: NDArray[Any], change: Change, rng: np.random.Generator) -> NDArray[Any]:
    scale = FULL if sound.dtype.kind == "i" else 1
    answer = change([sound.astype(np.float64) / scale], [rng])[0]
    if scale == 1:
        return np.clip(answer, -1, 1).astype(sound.dtype)
    return np.clip(np.rint(answer * FULL), -FULL, FULL - 1).astype(sound.dtype)


def _checked(x: ArrayLike, where: str, which: str, *, dimensions: tuple[int, ...]) -> NDArray[Any]:
    try:
        sounds = np.asarray(x)
    except ValueError:
        sounds = np.asarray(x, dtype=object)
    if sounds.dtype.kind != "f" and not (sounds.dtype.kind == "i" and sounds.dtype.itemsize == 2):
        raise InvalidInput(
            f"samples{which} must be 16-bit integers or floats in [-1, 1]",
            where=where,
            found=f"an array of {sounds.dtype}",
            remedy="Divide other integers by their full scale.",
        )
    if sounds.ndim not in dimensions:
        raise InvalidInput(
            "sounds must be one (samples), many of one length (n x samples), or a list of one-dimensional arrays",
            where=where,
            found=f"shape {sounds.shape}{which}",
            remedy="Give one channel: average the channels of stereo, and give one sound as an array.",
        )
    if not sounds.shape[-1]:
        raise InvalidInput(f"sounds must have samples{which}", where=where, found=f"shape {sounds.shape}")
    if sounds.dtype.kind == "f":
        _require_full_scale(sounds, where, which)
    return sounds


def _require_full_scale(sounds: NDArray[Any], where: str, which: str) -> None:
    # A NaN is not at most 1.
    inside = np.abs(sounds) <= 1
    if not inside.all():
        at = tuple(int(i) for i in np.argwhere(~inside)[0])
        raise InvalidInput(
            "floats must lie in [-1, 1]",
            where=where,
            found=f"{sounds[at]} at index {at if len(at) > 1 else at[0]}{which} ({int((~inside).sum())} such in all)",
            remedy=f"Divide samples of 16 bits by {FULL}; scale down what is louder than full scale.",
        )
