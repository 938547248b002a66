"""Public data sets for examples, benchmarks and tests; none of them is part of this package.

``locate`` finds a set on disk; a loader reads it into arrays. May import ``surefoot.core`` and numpy, and Pillow where
a picture is read or soundfile where a sound is; nothing else of Surefoot.
"""

from surefoot.datasets.breast_cancer import BreastCancer, breast_cancer_wisconsin
from surefoot.datasets.catalogue import DataSet, RemoteFile, catalogue, known
from surefoot.datasets.cifar10 import Photographs, cifar10
from surefoot.datasets.fsdd import SpokenDigits, fsdd
from surefoot.datasets.gtsrb import TrafficSigns, gtsrb
from surefoot.datasets.location import cache_folder, locate
from surefoot.datasets.misspellings import misspellings
from surefoot.datasets.mnist import Digits, mnist
from surefoot.datasets.siemens_2d import RunningExample, siemens_2d
from surefoot.datasets.surprise_mnist import SurpriseTraces, surprise_mnist
from surefoot.datasets.transfer import check_digest, fetch, file_digest
from surefoot.datasets.udacity_driving import Drive, udacity_driving

__all__ = [
    "BreastCancer",
    "DataSet",
    "Digits",
    "Drive",
    "Photographs",
    "RemoteFile",
    "RunningExample",
    "SpokenDigits",
    "SurpriseTraces",
    "TrafficSigns",
    "breast_cancer_wisconsin",
    "cache_folder",
    "catalogue",
    "check_digest",
    "cifar10",
    "fetch",
    "file_digest",
    "fsdd",
    "gtsrb",
    "known",
    "locate",
    "misspellings",
    "mnist",
    "siemens_2d",
    "surprise_mnist",
    "udacity_driving",
]
