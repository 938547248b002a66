"""The assessment of one network: its errors, the separation of its classes, weights, balls, radii and centres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import encode
import images
import numpy as np
import train
from safetensors.torch import load_model
from torch import nn

from surefoot import InvalidInput
from surefoot.core import Table
from surefoot.profile import (
    VAE,
    LatentWeights,
    Separation,
    compare_centres,
    decoded_centres,
    latent_weights,
    separation,
)
from surefoot.reliability import (
    BallReliability,
    MonteCarlo,
    MultilevelSplitting,
    WithReplacement,
    assess_balls,
    assess_radii,
)

LEVEL = 0.975
RADII = (0.25, 0.5, 0.75, 1.0, 1.2)
"""Shares of the paper's radius."""


@dataclass(frozen=True)
class Effort:
    """How much is looked at."""

    balls: int = 1000
    fewer: int = 200
    """For each radius, and for decoded centres."""
    samples: int | None = 1000
    """In each ball; None splits, which reaches the rarest failures and takes a GPU for more than a few balls."""
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Subject:
    """A trained network, the images it was not trained on, and the autoencoder of its images."""

    name: str
    recipe: train.Recipe
    network: nn.Module
    vae: VAE
    inputs: np.ndarray
    labels: np.ndarray

    @property
    def images(self) -> images.ImageSet:
        """What it classifies."""
        return self.recipe.images

    @property
    def failures(self) -> int:
        """Test images that get another class than theirs."""
        device = str(next(self.network.parameters()).device)
        return round(train.error(self.network, self.inputs, self.labels, device=device) * len(self.labels))

    @property
    def test_error(self) -> float:
        """Their share."""
        return self.failures / len(self.labels)


@dataclass(frozen=True, eq=False)
class Found:
    """What the study of a network found."""

    subject: Subject
    weights: LatentWeights
    balls: BallReliability
    """Around test images, weighted by the density of their places."""
    decoded: BallReliability
    """Around what the autoencoder makes of them, fewer."""
    distances: Table
    """From images to what the autoencoder makes of them."""
    radii: Table

    @property
    def flatness(self) -> float:
        """1 where all balls weigh the same, near 0 where a few weigh all."""
        return self.weights.effective_rows / len(self.weights)

    @property
    def heaviest(self) -> tuple[int, float, float]:
        """The class with the largest share of the weights, that share, and its share of the images."""
        labels = self.subject.labels
        weights = np.bincount(labels, self.weights.values) / self.weights.values.sum()
        label = int(weights.argmax())
        return label, float(weights[label]), float((labels == label).mean())


def load(name: str, folder: Path = train.WEIGHTS, *, device: str = "cpu") -> Subject:
    """A network and an autoencoder that were trained before."""
    recipe = train.RECIPES[name]
    network = recipe.build()
    load_model(network, str(_stored(folder / f"{name}.safetensors", f"train.py {name}")))
    _stored(folder / f"vae_{recipe.images.name}.safetensors", f"encode.py {recipe.images.name}")
    return Subject(
        name,
        recipe,
        network.to(device).eval(),
        encode.load(recipe.images, folder, device=device),
        *recipe.images.test(),
    )


def study(subject: Subject, effort: Effort, tell: Callable[[str], Any] = lambda _: None) -> Found:
    """All of it; ``tell`` hears what comes next."""
    tell("weights")
    weights = latent_weights(subject.vae, subject.inputs)
    tell("balls")
    balls = assess(subject, weights, effort, effort.balls)
    tell("decoded centres")
    centres = decoded_centres(subject.vae, subject.inputs)
    decoded = assess(subject, weights, effort, effort.fewer, centres=centres)
    tell("radii")
    return Found(
        subject,
        weights,
        balls,
        decoded,
        compare_centres(subject.vae, subject.inputs, radius=subject.images.radius),
        by_radius(subject, weights, effort),
    )


def assess(
    subject: Subject, weights: LatentWeights, effort: Effort, balls: int, *, centres: np.ndarray | None = None
) -> BallReliability:
    """Balls of the paper's radius, drawn as the paper draws them."""
    return assess_balls(
        subject.network,
        subject.inputs,
        subject.labels,
        radius=subject.images.radius,
        weights=weights,
        estimator=_estimator(effort),
        budget=balls,
        design=WithReplacement(),
        centres=centres,
        checks=centres is None,
        level=LEVEL,
        seed=effort.seed,
    )


def by_radius(subject: Subject, weights: LatentWeights, effort: Effort) -> Table:
    """The same for smaller and larger balls."""
    return assess_radii(
        subject.network,
        subject.inputs,
        subject.labels,
        radii=[share * subject.images.radius for share in RADII],
        weights=weights,
        estimator=_estimator(effort),
        budget=effort.fewer,
        design=WithReplacement(),
        seed=effort.seed,
    )


def separation_of(set_: images.ImageSet) -> Separation:
    """The smallest distance between images of different classes, among all that there are, on the scale of pixels."""
    (train_inputs, train_labels), (test_inputs, test_labels) = set_.train(), set_.test()
    pixels = np.concatenate([train_inputs, test_inputs]).reshape(len(train_inputs) + len(test_inputs), -1)
    found = separation(np.round(pixels * 255).astype(np.uint8), np.concatenate([train_labels, test_labels]))
    return Separation(found / 255, found.pair, found.labels, found.p)


def _estimator(effort: Effort) -> Any:
    return MonteCarlo(effort.samples, allocation="equal") if effort.samples else MultilevelSplitting()


def _stored(path: Path, script: str) -> Path:
    if not path.is_file():
        raise InvalidInput("weights are missing", where=path.name, remedy=f"Train them first: python {script}")
    return path
