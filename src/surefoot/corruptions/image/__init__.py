"""Corruptions of images: noise, blur, weather, light, digital faults, scenes, sensors, dropout and channels.

Each is a function ``f(images, severity, rngs)`` of images (n x h x w x c) with pixels in [0, 1], one generator an
image; ``changed`` checks what comes in, makes whole numbers shares of 1, and gives all back as it came. Sources:
Hendrycks and Dietterich (2019), paper MON (Guerin et al. 2022). May import ``core``; scipy and Pillow where they are
used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.core import InvalidInput, validate

AT_ONCE = 1 << 18
"""Numbers that are worked on at a time, to bound memory and to stay in the cache of a processor."""
COLOURS = (1, 3, 4)
"""Grey, colours, and colours with an opacity, which stays as it is."""
OPACITY = 4
BYTE = np.iinfo(np.uint8).max
FULL = {np.dtype(np.uint8): BYTE, np.dtype(np.uint16): np.iinfo(np.uint16).max}
"""Full scale of the types of whole numbers."""
LAYOUTS = ("last", "first", "none")
Images = NDArray[np.floating[Any]]
Generators = Sequence[np.random.Generator]
Change = Callable[[Images, Generators], Images]
"""A change of images (n x h x w x c) with pixels in [0, 1], to a new array; what leaves that range is cut off."""


def changed(
    x: Any,
    change: Change,
    generator: Callable[[int], np.random.Generator],
    *,
    where: str,
    channels: str | None = None,
) -> Any:
    """One image or many, changed, in the shape, type and range in which they came; tensors of torch as tensors."""
    if hasattr(x, "detach") and hasattr(x, "cpu"):
        array = changed(
            x.detach().cpu().numpy(), change, generator, where=where, channels=_layout(channels, "first", where)
        )
        return x.new_tensor(array)
    layout = _layout(channels, "last", where)
    images = _checked(x, where, layout)
    many = _rows_of_pixels(images, layout)
    answer = np.empty(many.shape, images.dtype)
    step = max(1, AT_ONCE // max(1, many[:1].size))
    for start in range(0, len(many), step):
        part = many[start : start + step]
        rngs = [generator(start + i) for i in range(len(part))]
        if many.shape[-1] == OPACITY:
            answer[start : start + step, ..., -1] = part[..., -1]
            answer[start : start + step, ..., :-1] = _as(images.dtype, change(_shares(part[..., :-1]), rngs))
        else:
            answer[start : start + step] = _as(images.dtype, change(_shares(part), rngs))
    found = (np.moveaxis(answer, -1, 1) if layout == "first" else answer).reshape(images.shape)
    return list(found) if isinstance(x, list) and hasattr(x[0], "shape") else found


def _layout(channels: str | None, usual: str, where: str) -> str:
    return usual if channels is None else validate.choice(channels, LAYOUTS, where=where, name="channels")


def _rows_of_pixels(images: NDArray[Any], layout: str) -> NDArray[Any]:
    """Images as n x h x w x c, whatever they came as."""
    if images.ndim == 2 or layout == "none":
        return images.reshape(-1, *images.shape[-2:], 1)
    many = images if images.ndim == 4 else images[None]
    return np.moveaxis(many, 1, -1) if layout == "first" else many


def _shares(part: NDArray[Any]) -> Images:
    if part.dtype in FULL:
        return part * np.float32(1 / FULL[part.dtype])
    return part.astype(np.float32 if part.dtype.itemsize <= 4 else np.float64)


def _as(dtype: np.dtype[Any], shares: Images) -> NDArray[Any]:
    np.clip(shares, 0, 1, out=shares)
    if dtype not in FULL:
        return shares.astype(dtype, copy=False)
    shares *= FULL[dtype]
    return np.rint(shares, out=shares).astype(dtype)


def _checked(x: ArrayLike, where: str, layout: str) -> NDArray[Any]:
    try:
        images = np.asarray(x)
    except ValueError as error:
        remedy = "Corrupt images of different sizes one by one, with first= the number of each."
        raise InvalidInput("images must have one size", where=where, found=str(error), remedy=remedy) from error
    if images.dtype not in FULL and images.dtype.kind != "f":
        raise InvalidInput(
            "pixels must be whole numbers of 8 or 16 bits (uint8, uint16) or floats in [0, 1]",
            where=where,
            found=f"an array of {images.dtype}",
            remedy="Convert them: bytes as they are, others divided by their full scale.",
        )
    allowed, axis, names = {
        "last": ((2, 3, 4), -1, "height x width x channels"),
        "first": ((2, 3, 4), -3, "channels x height x width"),
        "none": ((2, 3), 0, "height x width"),
    }[layout]
    grey = images.ndim == 2 or layout == "none"
    if images.ndim not in allowed or not (grey or images.shape[axis] in COLOURS):
        channels = "" if layout == "none" else ", with 1, 3 or 4 channels, or one grey image of height x width"
        raise InvalidInput(
            f"images must be {names}, one or many{channels}",
            where=where,
            found=f"shape {images.shape}",
            remedy="Say where channels are: channels='last', 'first', or 'none' for many grey images.",
        )
    if 0 in images.shape[-2 if grey else -3 :]:
        raise InvalidInput("images must have pixels", where=where, found=f"shape {images.shape}")
    if images.dtype.kind == "f":
        _require_shares(images, where)
    return images


def _require_shares(images: NDArray[Any], where: str) -> None:
    # A NaN is neither at least 0 nor at most 1.
    outside = ~((images >= 0) & (images <= 1))
    if outside.any():
        at = tuple(int(i) for i in np.argwhere(outside)[0])
        raise InvalidInput(
            "floats must lie in [0, 1]",
            where=where,
            found=f"{images[at]} at index {at} ({int(outside.sum())} such in all)",
            remedy="Divide pixels from 0 to 255 by 255, and corrupt before pixels are normalised.",
        )
