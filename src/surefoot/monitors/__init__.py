"""Runtime monitors: detectors, uncertainty, and what a monitor is really worth.

Here live detectors (``detectors``) on features of a model (``features``), uncertainty from repeated passes
(``uncertainty``), a ``Monitor`` for streams, return functions (``returns``), Safety Gain, Residual
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
    from surefoot.monitors.detectors.base import DETECTORS, Detector, ForwardPass
    from surefoot.monitors.detectors.plausibility import BoxPlausibility
    from surefoot.monitors.evaluation.comparison import Comparison, Ranking, compare
    from surefoot.monitors.evaluation.detection_metrics import Detection, detection
    from surefoot.monitors.evaluation.operating_curve import Curve, curve
    from surefoot.monitors.evaluation.report import MonitorReport, evaluate
    from surefoot.monitors.features import OnnxFeatures, TorchFeatures
    from surefoot.monitors.monitor import Monitor, Observation
    from surefoot.monitors.returns import Returns, Stakes, Sweep
    from surefoot.monitors.thresholds import Choice, by_availability, by_hazard, by_utility, grid_of
    from surefoot.monitors.tree import Outcomes, common_cause, dependence_factor, monitored_tree
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
    "DETECTORS",
    "BoxPlausibility",
    "Choice",
    "Comparison",
    "Curve",
    "Detection",
    "Detector",
    "ForwardPass",
    "Monitor",
    "MonitorReport",
    "Observation",
    "OnnxFeatures",
    "Outcomes",
    "Ranking",
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
# What is registered; written by `make generated`.
if TYPE_CHECKING:
    from surefoot.monitors.detectors.boundary import FeatureBox, IsolationForest, OneClassSVM
    from surefoot.monitors.detectors.confidence import ODIN, Doctor, Energy, MaxLogit, MaxSoftmax, ReAct
    from surefoot.monitors.detectors.density import KernelDensity, Mahalanobis
    from surefoot.monitors.detectors.ensemble import Ensemble
    from surefoot.monitors.detectors.nearest_neighbours import KNN
    from surefoot.monitors.detectors.plausibility import Brightness, Contrast
    from surefoot.monitors.detectors.reconstruction import Autoencoder, Reconstruction
    from surefoot.monitors.detectors.surprise_adequacy import DSA, LSA
__all__ += [
    "DSA",
    "KNN",
    "LSA",
    "ODIN",
    "Autoencoder",
    "Brightness",
    "Contrast",
    "Doctor",
    "Energy",
    "Ensemble",
    "FeatureBox",
    "IsolationForest",
    "KernelDensity",
    "Mahalanobis",
    "MaxLogit",
    "MaxSoftmax",
    "OneClassSVM",
    "ReAct",
    "Reconstruction",
]
# End of what `make generated` writes.
_PACKAGES = ("detectors", "evaluation", "features", "returns", "thresholds", "tree", "uncertainty")
_NAMES = {
    "detectors.base": ("DETECTORS", "Detector", "ForwardPass"),
    "evaluation": (
        "Comparison",
        "Curve",
        "Detection",
        "MonitorReport",
        "Ranking",
        "compare",
        "curve",
        "detection",
        "evaluate",
    ),
    "features": ("OnnxFeatures", "TorchFeatures"),
    "monitor": ("Monitor", "Observation"),
    "tree": ("Outcomes", "common_cause", "dependence_factor", "monitored_tree"),
    "detectors.plausibility": ("BoxPlausibility",),
    "returns": ("Returns", "Stakes", "Sweep"),
    "thresholds": ("Choice", "by_availability", "by_hazard", "by_utility", "grid_of"),
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
    return __getattr__("DETECTORS").exported(name, __name__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *__getattr__("DETECTORS").exports()})
