"""The known data sets: what each is, its licence, its public home, and whether it is on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from surefoot.core import validate
from surefoot.core.canonical import FrozenDict
from surefoot.core.errors import MissingData
from surefoot.datasets import tabular
from surefoot.datasets.images import FOLDER as PHOTOGRAPHS
from surefoot.datasets.images import GTSRB_FOLDER as TRAFFIC_SIGNS
from surefoot.datasets.images import GTSRB_REMEDY as TRAFFIC_SIGNS_REMEDY
from surefoot.datasets.images import HOME as PHOTOGRAPHS_HOME
from surefoot.datasets.images import MNIST_FOLDER as DIGITS
from surefoot.datasets.images import MNIST_HOME as DIGITS_HOME
from surefoot.datasets.images import MNIST_REMEDY as DIGITS_REMEDY
from surefoot.datasets.images import REMEDY as PHOTOGRAPHS_REMEDY
from surefoot.datasets.images import SURPRISE_MNIST_FOLDER as SURPRISE
from surefoot.datasets.images import SURPRISE_MNIST_HOME as SURPRISE_HOME
from surefoot.datasets.images import SURPRISE_MNIST_REMEDY as SURPRISE_REMEDY
from surefoot.datasets.images import UDACITY_DRIVING_FOLDER as DRIVE
from surefoot.datasets.images import UDACITY_DRIVING_HOME as DRIVE_HOME
from surefoot.datasets.images import UDACITY_DRIVING_REMEDY as DRIVE_REMEDY
from surefoot.datasets.language import FOLDER as SPOKEN_DIGITS
from surefoot.datasets.language import HOME as SPOKEN_DIGITS_HOME
from surefoot.datasets.language import MISSPELLINGS_FOLDER as MISSPELLINGS
from surefoot.datasets.language import MISSPELLINGS_HOME, MISSPELLINGS_REMEDY
from surefoot.datasets.language import REMEDY as SPOKEN_DIGITS_REMEDY
from surefoot.datasets.storage import cache_folder, check_digest, fetch, locate
from surefoot.datasets.tabular import FOLDER as RUNNING_EXAMPLE
from surefoot.datasets.tabular import HOME as RUNNING_EXAMPLE_HOME
from surefoot.datasets.tabular import REMEDY as RUNNING_EXAMPLE_REMEDY


@dataclass(frozen=True)
class RemoteFile:
    """A file at its public home."""

    url: str
    sha256: str


@dataclass(frozen=True)
class DataSet:
    """One known set. ``files`` can be fetched; a set without any says in ``remedy`` how it is had."""

    name: str
    what: str
    licence: str
    home: str
    remedy: str = ""
    files: Mapping[str, RemoteFile] = field(default_factory=FrozenDict)

    @property
    def folder(self) -> Path | None:
        """Where the set is on this machine; None where it is not."""
        try:
            return locate(self.name)
        except MissingData:
            return None

    def fetch(self) -> Path:
        """The set's folder, after its files were checked or fetched into the cache."""
        if not self.files:
            return locate(self.name, remedy=self.remedy)
        folder = self.folder or cache_folder() / self.name
        for name, remote in self.files.items():
            if (folder / name).is_file():
                check_digest(folder / name, remote.sha256)
            else:
                fetch(remote.url, folder / name, sha256=remote.sha256)
        return folder


def catalogue() -> tuple[DataSet, ...]:
    """All known sets."""
    return (
        DataSet(
            tabular.FOLDER,
            "Breast cancer Wisconsin (original): 699 rows of 9 cytological features, benign or malignant",
            "CC BY 4.0",
            "https://archive.ics.uci.edu/dataset/15",
            files={tabular.FILE: RemoteFile(tabular.URL, tabular.SHA256)},
        ),
        DataSet(
            TRAFFIC_SIGNS,
            "German Traffic Sign Recognition Benchmark: 25,700 images of 43 signs at 32 x 32 pixels",
            "research use",
            "https://benchmark.ini.rub.de/",
            remedy=TRAFFIC_SIGNS_REMEDY,
        ),
        DataSet(
            DIGITS,
            "MNIST: 70,000 handwritten digits at 28 x 28 pixels",
            "CC BY-SA 3.0",
            DIGITS_HOME,
            remedy=DIGITS_REMEDY,
        ),
        DataSet(
            PHOTOGRAPHS,
            "CIFAR-10: 30,000 of its 60,000 photographs of ten kinds of things at 32 x 32 pixels",
            "none stated (cite Krizhevsky 2009)",
            PHOTOGRAPHS_HOME,
            remedy=PHOTOGRAPHS_REMEDY,
        ),
        DataSet(
            SPOKEN_DIGITS,
            "Free Spoken Digit Dataset: 3,000 spoken English digits by six speakers at 8 kHz",
            "CC BY-SA 4.0",
            SPOKEN_DIGITS_HOME,
            remedy=SPOKEN_DIGITS_REMEDY,
        ),
        DataSet(
            MISSPELLINGS,
            "Misspellings of the codespell project: 64,992 of English words",
            "CC BY-SA 3.0",
            MISSPELLINGS_HOME,
            remedy=MISSPELLINGS_REMEDY,
        ),
        DataSet(
            RUNNING_EXAMPLE,
            "Running example of paper RAM: 5,000 points of the unit square in two classes",
            "none stated (challenge data)",
            RUNNING_EXAMPLE_HOME,
            remedy=RUNNING_EXAMPLE_REMEDY,
        ),
        DataSet(
            SURPRISE,
            "Surprise adequacy on MNIST: activation traces of a network, and published LSA and DSA scores",
            "MIT",
            SURPRISE_HOME,
            remedy=SURPRISE_REMEDY,
        ),
        DataSet(
            DRIVE,
            "A drive in Udacity's simulator: 4,053 frames at 160 x 80 pixels, with steering, throttle, brake and speed",
            "none stated",
            DRIVE_HOME,
            remedy=DRIVE_REMEDY,
        ),
    )


def known(name: str) -> DataSet:
    """The set of that name; a misspelling gets a suggestion."""
    sets = {each.name: each for each in catalogue()}
    return sets[validate.choice(name, sets, where="datasets", name="data set")]
