"""Runtime monitors: detectors, uncertainty, and what a monitor is really worth.

Here live detectors (``detectors``) on features of a model (``features``), uncertainty from repeated passes
(``uncertainty``), a ``Monitor`` for streams and its ``files``, return functions (``returns``), Safety Gain, Residual
Hazard and Availability Cost with their intervals (``evaluation``), thresholds under a risk budget (``thresholds``), and
monitor and model in a fault tree (``tree``). Implements paper MON (Guerin, Ferreira, Delmas, Guiochet 2022, "Unifying
Evaluation of Machine Learning Safety Monitors") and sections 2.1, 2.2 and 3.2 of paper SYS (Wang et al. 2022). May
import ``core``, ``metrics``, ``drawing``, ``adapters``, ``bounds``, ``profile`` and ``faulttree``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefoot.monitors import detectors, evaluation, features, returns, thresholds, tree, uncertainty
    from surefoot.monitors.dependence import common_cause, dependence_factor
    from surefoot.monitors.detectors.autoencoder import Autoencoder
    from surefoot.monitors.detectors.base import Detector
    from surefoot.monitors.detectors.box import FeatureBox
    from surefoot.monitors.detectors.confidence import Doctor, Energy, MaxLogit, MaxSoftmax
    from surefoot.monitors.detectors.density import KernelDensity
    from surefoot.monitors.detectors.ensemble import Ensemble
    from surefoot.monitors.detectors.images import Brightness, Contrast
    from surefoot.monitors.detectors.isolation import IsolationForest
    from surefoot.monitors.detectors.mahalanobis import Mahalanobis
    from surefoot.monitors.detectors.neighbours import KNN
    from surefoot.monitors.detectors.odin import ODIN
    from surefoot.monitors.detectors.react import ReAct
    from surefoot.monitors.detectors.reconstruction import Reconstruction
    from surefoot.monitors.detectors.support_vectors import OneClassSVM
    from surefoot.monitors.detectors.surprise import DSA, LSA
    from surefoot.monitors.evaluation.comparison import Comparison, compare
    from surefoot.monitors.evaluation.curves import curve
    from surefoot.monitors.evaluation.detection import Detection, detection
    from surefoot.monitors.evaluation.evaluate import evaluate
    from surefoot.monitors.evaluation.operating_curve import Curve
    from surefoot.monitors.evaluation.report import MonitorReport
    from surefoot.monitors.features import OnnxFeatures, TorchFeatures
    from surefoot.monitors.monitor import Monitor, Observation
    from surefoot.monitors.plausibility import BoxPlausibility
    from surefoot.monitors.returns import Returns, Stakes, Sweep
    from surefoot.monitors.thresholds import Choice, by_availability, by_hazard, by_utility, grid_of
    from surefoot.monitors.tree import monitored_tree
    from surefoot.monitors.uncertainty import (
        augmented_passes,
        deep_gini,
        ensemble_passes,
        entropy,
        expected_entropy,
        mc_dropout,
        mode_variation_ratio,
        mutual_information,
        pcs,
        predictive_entropy,
        variation_ratio,
        variation_ratio_original,
    )

__all__ = [
    "DSA",
    "KNN",
    "LSA",
    "ODIN",
    "Autoencoder",
    "BoxPlausibility",
    "Brightness",
    "Choice",
    "Comparison",
    "Contrast",
    "Curve",
    "Detection",
    "Detector",
    "Doctor",
    "Energy",
    "Ensemble",
    "FeatureBox",
    "IsolationForest",
    "KernelDensity",
    "Mahalanobis",
    "MaxLogit",
    "MaxSoftmax",
    "Monitor",
    "MonitorReport",
    "Observation",
    "OneClassSVM",
    "OnnxFeatures",
    "ReAct",
    "Reconstruction",
    "Returns",
    "Stakes",
    "Sweep",
    "TorchFeatures",
    "augmented_passes",
    "by_availability",
    "by_hazard",
    "by_utility",
    "common_cause",
    "compare",
    "curve",
    "deep_gini",
    "dependence_factor",
    "detection",
    "detectors",
    "ensemble_passes",
    "entropy",
    "evaluate",
    "evaluation",
    "expected_entropy",
    "features",
    "grid_of",
    "mc_dropout",
    "mode_variation_ratio",
    "monitored_tree",
    "mutual_information",
    "pcs",
    "predictive_entropy",
    "returns",
    "thresholds",
    "tree",
    "uncertainty",
    "variation_ratio",
    "variation_ratio_original",
]
_PACKAGES = ("detectors", "evaluation", "features", "returns", "thresholds", "tree", "uncertainty")
_NAMES = {
    "detectors.autoencoder": ("Autoencoder",),
    "detectors.base": ("Detector",),
    "detectors.box": ("FeatureBox",),
    "detectors.confidence": ("Doctor", "Energy", "MaxLogit", "MaxSoftmax"),
    "detectors.density": ("KernelDensity",),
    "detectors.ensemble": ("Ensemble",),
    "detectors.images": ("Brightness", "Contrast"),
    "detectors.isolation": ("IsolationForest",),
    "detectors.mahalanobis": ("Mahalanobis",),
    "detectors.neighbours": ("KNN",),
    "detectors.odin": ("ODIN",),
    "detectors.react": ("ReAct",),
    "detectors.reconstruction": ("Reconstruction",),
    "detectors.support_vectors": ("OneClassSVM",),
    "detectors.surprise": ("DSA", "LSA"),
    "evaluation": ("Comparison", "Curve", "Detection", "MonitorReport", "compare", "curve", "detection", "evaluate"),
    "features": ("OnnxFeatures", "TorchFeatures"),
    "monitor": ("Monitor", "Observation"),
    "plausibility": ("BoxPlausibility",),
    "returns": ("Returns", "Stakes", "Sweep"),
    "thresholds": ("Choice", "by_availability", "by_hazard", "by_utility", "grid_of"),
    "dependence": ("common_cause", "dependence_factor"),
    "tree": ("monitored_tree",),
    "uncertainty": (
        "augmented_passes",
        "deep_gini",
        "ensemble_passes",
        "entropy",
        "expected_entropy",
        "mc_dropout",
        "mode_variation_ratio",
        "mutual_information",
        "pcs",
        "predictive_entropy",
        "variation_ratio",
        "variation_ratio_original",
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"surefoot.monitors.{name}")
    if name in _HOMES:
        return getattr(import_module(f"surefoot.monitors.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'surefoot.monitors' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
