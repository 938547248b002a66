"""Every detector passes the public conformance suite, with its defaults and with each of its ways to work."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from surefoot.monitors import DETECTORS
from surefoot.testing import check_detector

RNG = np.random.default_rng(0)
CLASSES, COLUMNS = 3, 8
LABELS = np.repeat(np.arange(CLASSES), 40)
CLEAR = 10 * np.eye(CLASSES, COLUMNS)[LABELS] + RNG.standard_normal((len(LABELS), COLUMNS))
"""Inputs whose first columns are logits of a clear class."""
VAGUE = RNG.standard_normal((60, COLUMNS))


def chosen_columns(columns):
    """A layer that passes on the first inputs."""
    layer = nn.Linear(COLUMNS, columns, bias=False)
    layer.weight.data = torch.eye(columns, COLUMNS)
    return layer


def only_class_columns():
    """An autoencoder that keeps the columns of the classes and sets all others to 0."""
    layer = nn.Linear(COLUMNS, COLUMNS, bias=False)
    layer.weight.data = torch.diag((torch.arange(COLUMNS) < CLASSES).float())
    return layer


@dataclass
class Way:
    """Options of a detector, and what it must be given."""

    options: dict[str, Any] = field(default_factory=dict)
    given: dict[str, Any] = field(default_factory=dict)
    positional: tuple[Any, ...] = ()


LOGITS, PROJECTION = chosen_columns(CLASSES), only_class_columns()
ON_LOGITS = {"features": CLEAR, "labels": LABELS, "strange": VAGUE, "objects": {"model": LOGITS}}
REBUILT = {
    "features": CLEAR,
    "labels": LABELS,
    "strange": 10 * VAGUE,
    "objects": {"autoencoder": PROJECTION},
}
RECTIFIED = {"features": np.maximum(CLEAR, 0), "labels": LABELS, "strange": np.maximum(VAGUE, 0)}
GREY_AND_RGB = {
    shape: {"features": 0.5 + 0.2 * RNG.standard_normal((40, *shape)), "strange": np.full((20, *shape), 0.02)}
    for shape in [(1, 8, 8), (8, 8, 3)]
}


def ensemble_of(*names, **options):
    """A maker of ensembles whose members are fresh each time."""
    return DETECTORS.get("ensemble")([DETECTORS.get(name)() for name in names], **options)


WAYS = {
    "autoencoder": [Way({"hidden": (6, 3), "epochs": 10})],
    "brightness": [Way(), Way({"side": "low"}), *(Way(given=given) for given in GREY_AND_RGB.values())],
    "contrast": [Way(), *(Way(given=given) for given in GREY_AND_RGB.values())],
    "doctor": [Way({"kind": kind, "on": on}) for kind in ("alpha", "beta") for on in ("logits", "probabilities")],
    "energy": [Way(), Way({"temperature": 10.0})],
    "feature_box": [Way(), Way({"margin": 0.1, "clusters": 2, "quantile": 0.05})],
    "isolation_forest": [Way({"trees": 10}), Way({"trees": 10, "contamination": 0.3})],
    "kernel_density": [
        Way(),
        Way({"bandwidth": "silverman"}),
        Way({"bandwidth": 0.5}),
        Way({"bandwidth": [0.5] * COLUMNS, "kernel": "exponential"}),
    ],
    "knn": [Way(), Way({"normalise": True}), Way({"per_class": True}), Way({"k": 1})],
    "mahalanobis": [Way({"kind": kind}) for kind in ("class", "tied", "relative")] + [Way({"shrinkage": 0.0})],
    "max_softmax": [Way(), Way({"on": "probabilities", "temperature": 2.0})],
    "odin": [Way({"epsilon": epsilon}, ON_LOGITS, (LOGITS,)) for epsilon in (0.0014, 0.0)],
    "react": [Way({"percentile": p}, RECTIFIED, (np.eye(CLASSES, COLUMNS),)) for p in (90, 95)],
    "reconstruction": [Way(given=REBUILT, positional=(PROJECTION,))],
}
ENSEMBLES = {
    "features": (("knn", "mahalanobis"), {}),
    "standard": (("dsa", "feature_box"), {"scale": "standard", "how": "max"}),
    "logits": (("energy", "max_softmax"), {"scale": "standard", "weights": [1.0, 2.0]}),
}
CASES = [
    (name, number) for name in DETECTORS.own if name != "ensemble" for number in range(len(WAYS.get(name, [Way()])))
]


@pytest.mark.parametrize(("name", "number"), CASES)
def test_a_detector_is_complete(name, number):
    way = WAYS.get(name, [Way()])[number]
    check_detector(partial(DETECTORS.get(name), *way.positional, **way.options), **way.given)


@pytest.mark.parametrize("which", ENSEMBLES)
def test_an_ensemble_is_complete(which):
    names, options = ENSEMBLES[which]
    check_detector(partial(ensemble_of, *names, **options))


def test_every_detector_has_the_name_it_is_registered_by():
    assert [DETECTORS.get(name).name for name in DETECTORS.own] == list(DETECTORS.own)
