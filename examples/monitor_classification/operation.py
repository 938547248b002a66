"""Rows for the project file: training images, and an operation in which every other image is darker."""

from __future__ import annotations

from typing import Any

import numpy as np
import photographs

from surefoot.corruptions import shift_brightness

STRENGTH = -0.4
"""One of those at which the network fails about as often as the printed one."""
TRAIN, TEST = 20_000, 10_000


def train() -> dict[str, Any]:
    """Images as they are."""
    pixels, labels = (part[:TRAIN] for part in photographs.load().train)
    return {"inputs": photographs.as_input(pixels), "labels": labels}


def in_changing_light() -> dict[str, Any]:
    """Test images, each darker with probability one half; ``darker`` says which."""
    pixels, labels = (part[:TEST] for part in photographs.load().test)
    darker = np.random.default_rng(0).random(len(labels)) < 0.5
    seen = np.where(darker[:, None, None, None], shift_brightness(pixels, STRENGTH), pixels)
    return {"inputs": photographs.as_input(seen), "labels": labels, "darker": darker.astype(np.int64)}
