"""The detectors that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.monitors.detectors.boundary import FeatureBox, OneClassSVM
    from surefoot.monitors.detectors.confidence import ODIN, Doctor, Energy, MaxLogit, MaxSoftmax, ReAct
    from surefoot.monitors.detectors.ensemble import Ensemble
    from surefoot.monitors.detectors.isolation_forest import IsolationForest
    from surefoot.monitors.detectors.kernel_density import KernelDensity
    from surefoot.monitors.detectors.mahalanobis import Mahalanobis
    from surefoot.monitors.detectors.nearest_neighbours import KNN
    from surefoot.monitors.detectors.plausibility import Brightness, Contrast
    from surefoot.monitors.detectors.reconstruction import Autoencoder, Reconstruction
    from surefoot.monitors.detectors.surprise_adequacy import DSA, LSA

__all__ = [
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
