"""Landing zones: how safe an area is to land on, by the classes of its pixels (MON, Eqn. 18)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefoot.bounds.plain import plain_array
from surefoot.core import InvalidInput, validate
from surefoot.documents import listed

WHERE = "landing"


def zone_safety(
    pixels: ArrayLike, *, forbidden: Collection[Any], hazards: Mapping[Any, float], kappa: float = 0.5
) -> float:
    """Safety score of a zone whose pixels have these true classes (MON, Eqn. 18).

    0 where a class is forbidden; else ``kappa`` + (1 - ``kappa``) x mean of 1 - hazard over the pixels. Hazards lie in
    [0, 1], and ``kappa`` sets zones that are forbidden apart from all others.

    >>> zone_safety(["grass", "tree"], forbidden={"road"}, hazards={"grass": 0.0, "tree": 0.5}, kappa=0.2)
    0.8
    """
    gap = validate.probability(kappa, where=WHERE, name="kappa")
    classes, counts = np.unique(plain_array(pixels, where=WHERE, name="pixels"), return_counts=True)
    if any(known in forbidden for known in classes.tolist()):
        return 0.0
    mean = np.average(_hazards(classes, hazards), weights=counts)
    return float(gap + (1 - gap) * (1 - mean))


def zone_hazard(pixels: ArrayLike, *, hazards: Mapping[Any, float]) -> float:
    """Hazard score of a zone by the classes a model predicts for its pixels: the model lands where it is lowest."""
    classes, counts = np.unique(plain_array(pixels, where=WHERE, name="pixels"), return_counts=True)
    return float(_hazards(classes, hazards) @ counts)


def disc(image: ArrayLike, centre: tuple[float, float], radius: float) -> NDArray[Any]:
    """The pixels of an image (rows x columns) within ``radius`` of a ``centre`` (row, column)."""
    pixels = plain_array(image, where=WHERE, name="image")
    if pixels.ndim != 2:
        raise InvalidInput("image must be rows x columns", where=WHERE, found=f"shape {pixels.shape}")
    reach = validate.positive(radius, where=WHERE, name="radius")
    place = validate.vector(centre, where=WHERE, name="centre")
    if place.size != 2:
        raise InvalidInput("centre must be a row and a column", where=WHERE, found=repr(centre))
    row, column = place.tolist()
    if min(row, column) < reach or row + reach > len(pixels) - 1 or column + reach > pixels.shape[1] - 1:
        found = f"centre {row:g}, {column:g} and radius {reach:g} in {pixels.shape[0]} x {pixels.shape[1]} pixels"
        raise InvalidInput("a zone must lie inside the image", where=WHERE, found=found)
    rows, columns = np.ogrid[: len(pixels), : pixels.shape[1]]
    return pixels[(rows - row) ** 2 + (columns - column) ** 2 <= reach**2]


def _hazards(classes: NDArray[Any], hazards: Mapping[Any, float]) -> NDArray[np.float64]:
    known = {name: validate.probability(h, where=WHERE, name=f"hazard of {name}") for name, h in hazards.items()}
    missing = [str(name) for name in classes.tolist() if name not in known]
    if missing:
        raise InvalidInput(
            "every class of a pixel must be forbidden or have a hazard",
            where=WHERE,
            found=f"none for {listed(missing)}",
        )
    return np.array([known[name] for name in classes.tolist()])
