"""What detectors see of images: features of both networks, logits, and the images themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networks
import numpy as np
import photographs
import train
from numpy.typing import NDArray
from safetensors.torch import load_model

from surefoot import InvalidInput, monitors

THIRD, HIDDEN, LOGITS, ENCODER = "third layer", "dense layer", "logits", "encoder"
LAYERS = {THIRD: "block", HIDDEN: "hidden", LOGITS: "head", ENCODER: "flat"}
"""The module of the classifier, or of the encoder, whose output each view is."""


@dataclass(frozen=True, eq=False)
class Pair:
    """A classifier, and the autoencoder that was trained on the same images."""

    classifier: networks.Classifier
    autoencoder: networks.Autoencoder

    def watch(self, view: str) -> monitors.TorchFeatures:
        """What reads a view, together with an answer."""
        network = self.autoencoder.encoder if view == ENCODER else self.classifier
        return monitors.TorchFeatures(network, LAYERS[view])


@dataclass(frozen=True, eq=False)
class Seen:
    """What both networks make of images, one row an image."""

    pixels: photographs.Bytes
    predictions: photographs.Labels
    features: Mapping[str, NDArray[Any]]

    def followed_by(self, other: Seen) -> Seen:
        """These rows, then the others."""
        features = {name: np.concatenate([rows, other.features[name]]) for name, rows in self.features.items()}
        pixels, predictions = (
            np.concatenate([getattr(rows, part) for rows in (self, other)]) for part in ("pixels", "predictions")
        )
        return Seen(pixels, predictions, features)


def seen(pair: Pair, pixels: photographs.Bytes, *more: str) -> Seen:
    """Predictions, the views of the paper, and more of them."""
    inputs = photographs.as_input(pixels)
    watched = {view: pair.watch(view)(inputs) for view in (THIRD, ENCODER, *more)}
    return Seen(pixels, watched[THIRD][1], {view: features for view, (features, _) in watched.items()})


def load(suffix: str, classes: int, folder: Path = train.WEIGHTS, *, device: str = "cpu") -> Pair:
    """Both networks with their weights; ``suffix`` is empty or ``_novelty``."""
    loaded = []
    for kind in ("classifier", "autoencoder"):
        path = folder / f"{kind}{suffix}.safetensors"
        if not path.is_file():
            remedy = f"Train it: python train.py {path.stem}."
            raise InvalidInput("there are no weights", where=path.stem, found=f"no file {path.name}", remedy=remedy)
        network = train.build(train.RECIPES[path.stem], classes)
        load_model(network, str(path))
        loaded.append(network.to(device).eval())
    return Pair(*loaded)
