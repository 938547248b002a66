"""Public data sets for examples, benchmarks and tests; none of them is part of this package.

``locate`` finds a set on disk; a loader reads it into arrays. May import ``surefoot.core`` and numpy, and Pillow where
a picture is read; nothing else of Surefoot.
"""

from surefoot.datasets.breast_cancer import BreastCancer, breast_cancer_wisconsin
from surefoot.datasets.catalogue import DataSet, RemoteFile, catalogue, known
from surefoot.datasets.cifar10 import Photographs, cifar10
from surefoot.datasets.gtsrb import TrafficSigns, gtsrb
from surefoot.datasets.location import cache_folder, locate
from surefoot.datasets.mnist import Digits, mnist
from surefoot.datasets.siemens_2d import RunningExample, siemens_2d
from surefoot.datasets.surprise_mnist import SurpriseTraces, surprise_mnist
from surefoot.datasets.transfer import check_digest, fetch, file_digest

__all__ = [
    "BreastCancer",
    "DataSet",
    "Digits",
    "Photographs",
    "RemoteFile",
    "RunningExample",
    "SurpriseTraces",
    "TrafficSigns",
    "breast_cancer_wisconsin",
    "cache_folder",
    "catalogue",
    "check_digest",
    "cifar10",
    "fetch",
    "file_digest",
    "gtsrb",
    "known",
    "locate",
    "mnist",
    "siemens_2d",
    "surprise_mnist",
]
