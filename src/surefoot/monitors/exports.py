"""The detectors that this package shows, for type checkers; written by ``make generated``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from surefoot.monitors.detectors.autoencoder import Autoencoder
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
