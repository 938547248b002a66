"""The detectors by the name that files and project files call them; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from surefoot.core import validate
from surefoot.monitors.detectors.base import Detector

PACKAGE = "surefoot.monitors.detectors"
CATALOGUE = {
    "autoencoder": "autoencoder:Autoencoder",
    "brightness": "images:Brightness",
    "contrast": "images:Contrast",
    "doctor": "confidence:Doctor",
    "dsa": "surprise:DSA",
    "energy": "confidence:Energy",
    "ensemble": "ensemble:Ensemble",
    "feature_box": "box:FeatureBox",
    "isolation_forest": "isolation:IsolationForest",
    "kernel_density": "density:KernelDensity",
    "knn": "neighbours:KNN",
    "lsa": "surprise:LSA",
    "mahalanobis": "mahalanobis:Mahalanobis",
    "max_logit": "confidence:MaxLogit",
    "max_softmax": "confidence:MaxSoftmax",
    "odin": "odin:ODIN",
    "one_class_svm": "support_vectors:OneClassSVM",
    "react": "react:ReAct",
    "reconstruction": "reconstruction:Reconstruction",
}


def detector_class(name: str) -> type[Detector]:
    """The detector of that name, one of these or a class of yours; a misspelling gets a suggestion."""
    if name not in CATALOGUE and name in Detector._by_name:
        return Detector._by_name[name]
    validate.choice(name, CATALOGUE, where="detector", name="detector")
    module, _, known = CATALOGUE[name].partition(":")
    return getattr(import_module(f"{PACKAGE}.{module}"), known)
