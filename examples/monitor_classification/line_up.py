"""Every detector of the catalogue, and what it looks at here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import photographs
import views
from numpy.typing import NDArray
from table_one import forest

from surefoot import monitors
from surefoot.monitors import Detector

IMAGES, INPUTS = "images", "inputs"
ON_FEATURES: dict[str, Callable[[], Detector]] = {
    "Mahalanobis by class": lambda: monitors.Mahalanobis(kind="class"),
    "Mahalanobis tied": lambda: monitors.Mahalanobis(kind="tied"),
    "Mahalanobis relative": lambda: monitors.Mahalanobis(kind="relative"),
    "kernel density": lambda: monitors.KernelDensity(),
    "LSA": lambda: monitors.LSA(),
    "DSA": lambda: monitors.DSA(),
    "nearest neighbours": lambda: monitors.KNN(),
    "isolation forest": forest,
    "one-class SVM": lambda: monitors.OneClassSVM(),
    "feature box": lambda: monitors.FeatureBox(),
    "dense autoencoder": lambda: monitors.Autoencoder(epochs=10),
    "ensemble of three": lambda: monitors.Ensemble([monitors.Mahalanobis(), monitors.KNN(), forest()]),
}
ON_LOGITS: dict[str, Callable[[], Detector]] = {
    "max softmax": lambda: monitors.MaxSoftmax(),
    "max logit": lambda: monitors.MaxLogit(),
    "energy": lambda: monitors.Energy(),
    "Doctor": lambda: monitors.Doctor(),
}
ON_IMAGES: dict[str, Callable[[], Detector]] = {
    "brightness": lambda: monitors.Brightness(),
    "contrast": lambda: monitors.Contrast(),
}
LOOKED_AT = (views.HIDDEN, views.ENCODER)
"""The features that every detector on features is tried on."""


@dataclass(frozen=True, eq=False)
class Entry:
    """A detector, and which view it looks at."""

    name: str
    view: str
    detector: Detector

    def fit(self, rows: views.Seen, labels: photographs.Labels) -> None:
        """Learn what is usual."""
        self.detector.fit(looked_at(rows, self.view), labels)

    def scores(self, rows: views.Seen) -> NDArray[np.float64]:
        """How strange each image looks."""
        return self.detector.decision_function(looked_at(rows, self.view), rows.predictions)


def entries(pair: views.Pair) -> Iterator[Entry]:
    """All of them, beside a pair of networks."""
    for view in LOOKED_AT:
        yield from (Entry(f"{name} on {view}", view, make()) for name, make in ON_FEATURES.items())
    yield Entry(f"isolation forest on {views.THIRD}", views.THIRD, forest())
    yield Entry("ReAct", views.HIDDEN, monitors.ReAct.of(pair.classifier.head[-1]))
    yield from (Entry(name, views.LOGITS, make()) for name, make in ON_LOGITS.items())
    yield Entry("ODIN", INPUTS, monitors.ODIN(pair.classifier))
    yield Entry("reconstruction", INPUTS, monitors.Reconstruction(pair.autoencoder))
    yield from (Entry(name, IMAGES, make()) for name, make in ON_IMAGES.items())


def looked_at(rows: views.Seen, view: str) -> NDArray[Any]:
    """What a detector takes."""
    if view == IMAGES:
        return rows.pixels
    return photographs.as_input(rows.pixels) if view == INPUTS else rows.features[view]
