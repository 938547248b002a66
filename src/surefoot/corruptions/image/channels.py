"""Faults of the colours: channels that change places, or fade.

Paper MON (Guerin et al. 2022, section III-B) names these threats and prints no parameters: the numbers are ours. Images
of one channel are refused, for neither fault can show there.
"""

from __future__ import annotations

import numpy as np

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.image.items import Generators, Images

SHARES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""How far each severity goes towards the full fault."""
ORDERS = np.array([(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
"""All orders of three channels but their own."""


@corruption(domain="image")
def channel_shuffle(images: Images, severity: int, rngs: Generators) -> Images:
    """Red, green and blue change places, in one of the five other orders.

    The image is mixed with the shuffled one in shares of 0.2, 0.4, 0.6, 0.8, 1: cross-talk first, the full exchange at
    severity 5. Grey pixels, whose channels are equal, stay as they are.
    """
    _require_colour(images, "channel_shuffle")
    order = ORDERS[[rng.integers(len(ORDERS)) for rng in rngs]]
    shuffled = np.take_along_axis(images, order[:, None, None, :], axis=-1)
    return images + SHARES[severity - 1] * (shuffled - images)


@corruption(domain="image")
def channel_dropout(images: Images, severity: int, rngs: Generators) -> Images:
    """One of the three channels loses 0.2, 0.4, 0.6, 0.8, 1 of its light: at severity 5 it is black."""
    _require_colour(images, "channel_dropout")
    lost = np.array([rng.integers(images.shape[-1]) for rng in rngs])
    fade = np.where(np.arange(images.shape[-1]) == lost[:, None], 1 - SHARES[severity - 1], 1).astype(images.dtype)
    return images * fade[:, None, None, :]


def _require_colour(images: Images, where: str) -> None:
    if images.shape[-1] == 1:
        raise InvalidInput(
            "images must have colours",
            where=where,
            found="one channel",
            remedy="Give images of 3 channels; grey ones have no colours to change.",
        )
