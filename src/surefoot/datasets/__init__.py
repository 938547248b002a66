"""Public data sets for examples, benchmarks and tests; none of them is part of this package.

``catalogue`` lists the sets, ``locate`` finds one on disk, and a loader of its name reads it into arrays. May import
``surefoot.core`` and numpy, and Pillow where a picture is read or soundfile where a sound is; nothing else of Surefoot.
"""

from surefoot.datasets.images import (
    Digits,
    Drive,
    Photographs,
    SurpriseTraces,
    TrafficSigns,
    cifar10,
    gtsrb,
    mnist,
    surprise_mnist,
    udacity_driving,
)
from surefoot.datasets.storage import (
    DataSet,
    RemoteFile,
    cache_folder,
    catalogue,
    check_digest,
    fetch,
    file_digest,
    known,
    locate,
)
from surefoot.datasets.tabular import (
    BreastCancer,
    RunningExample,
    SpokenDigits,
    breast_cancer_wisconsin,
    fsdd,
    misspellings,
    siemens_2d,
)

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
