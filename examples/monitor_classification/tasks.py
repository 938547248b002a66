"""What the monitors are tried on: usual images, and as many that are a threat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import attacks
import numpy as np
import photographs
from numpy.typing import NDArray
from torch import nn

from surefoot.corruptions import shift_brightness

UNSEEN = -1
"""The label of an image whose class no network knows: every answer is wrong."""


@dataclass(frozen=True, eq=False)
class Task:
    """Images in two equal halves: usual ones, and threats."""

    name: str
    usual: photographs.Some
    threats: photographs.Some
    paired: bool = True
    """Whether each threat was made of the usual image in the same place; both are then one draw, not two."""

    @property
    def pixels(self) -> photographs.Bytes:
        """All images, threats last."""
        return np.concatenate([self.usual[0], self.threats[0]])

    @property
    def labels(self) -> photographs.Labels:
        """Their true classes."""
        return np.concatenate([self.usual[1], self.threats[1]])

    @property
    def is_threat(self) -> NDArray[np.bool_]:
        """Which of them are threats."""
        return np.repeat([False, True], [len(self.usual[0]), len(self.threats[0])])

    @property
    def rows(self) -> dict[str, Any]:
        """What rows stand for, in the words of ``monitors.returns``."""
        return {"units": np.tile(np.arange(len(self.usual[0])), 2), "unit": "image"} if self.paired else {}


def brightness(some: photographs.Some, strength: float) -> Task:
    """Every image, and the same image brighter, or darker where the strength is negative."""
    return Task(f"brightness {strength:+.2f}", some, (shift_brightness(some[0], strength), some[1]))


def adversarial(some: photographs.Some, network: nn.Module, attack: str, steps_of_a_byte: int) -> Task:
    """Every image, and the same image made to deceive the classifier."""
    made = {"FGSM": attacks.fgsm, "PGD": attacks.pgd}[attack](network, *some, steps_of_a_byte / 255)
    return Task(f"{attack} {steps_of_a_byte}/255", some, (made, some[1]))


def novelty(images: photographs.Images, *, count: int, seed: int = 0) -> Task:
    """Images of the class that was left out, at most ``count``, and as many test images of the others."""
    count = min(count, len(images.unseen), len(images.test[0]))
    rng = np.random.default_rng(seed)
    unseen = images.unseen[np.sort(rng.choice(len(images.unseen), count, replace=False))]
    chosen = np.sort(rng.choice(len(images.test[0]), count, replace=False))
    usual = images.test[0][chosen], images.test[1][chosen]
    return Task("novelty", usual, (unseen, np.full(count, UNSEEN)), paired=False)
