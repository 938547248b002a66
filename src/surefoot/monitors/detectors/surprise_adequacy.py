"""``LSA`` and ``DSA``: surprise adequacy by likelihood and by distance.

Kim, Feldt and Yoo (2019), "Guiding deep learning system testing using surprise adequacy", ICSE.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput, validate
from surefoot.core.validate import FloatArray
from surefoot.monitors.detectors.base import (
    Detector,
    Learned,
    grouped,
    in_units,
    parts,
    ratio,
    scored_by_class,
    unit_of,
)
from surefoot.monitors.detectors.density import (
    WhiteDensity,
    Whitening,
    centre_of,
    kernel_whitening,
    scott,
    shrunk,
    shrunk_class,
)
from surefoot.monitors.detectors.nearest_neighbours import Nearest


@dataclass(eq=False)
class LSA(Detector, name="lsa"):
    """Minus the logarithm of the density of the predicted class (Kim, Feldt and Yoo 2019).

    A Gaussian kernel with the covariance of the class and the factor of Scott (1992), as ``scipy.stats.gaussian_kde``.
    A class whose covariance is singular takes one shrunk towards that of all classes.

    Parameters
    ----------
    variance_floor
        Features whose variance over all fitted rows does not exceed it are left out, the same for all classes, so
        that their densities can be compared.

    References
    ----------
    Kim, Feldt and Yoo (2019), "Guiding deep learning system testing using surprise adequacy", section III.

    Examples
    --------
    >>> import numpy as np
    >>> import surefoot as sf
    >>> rng = np.random.default_rng(0)
    >>> rows, labels = rng.normal(size=(400, 2)), np.repeat([0, 1], 200)
    >>> rows[labels == 1] += 5
    >>> detector = sf.monitors.LSA().fit(rows, labels)
    >>> detector.decision_function([[0, 0], [0, 0]], [0, 1]).round(1)
    array([ 2.1, 69.4])

    """

    variance_floor: float = 1e-5
    by_class = True

    def __post_init__(self) -> None:
        self.variance_floor = validate.at_least_zero(self.variance_floor, where=self.name, name="variance_floor")

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        unit = unit_of(rows)
        values = in_units(rows, unit)
        kept = self._kept(values, unit)
        ordered, ends = grouped(values[:, kept], classes)
        whitenings = _class_whitenings(parts(ordered, ends))
        return {
            "unit": np.array(unit),
            "kept": kept,
            "rows": ordered,
            "ends": ends,
            "centres": np.array([each.centre for each in whitenings]),
            "matrices": np.array([each.matrix for each in whitenings]),
            "log_dets": np.array([each.log_det for each in whitenings]),
        }

    def _kept(self, values: FloatArray, unit: float) -> NDArray[np.int64]:
        spreads = unit * np.sqrt(np.mean((values - centre_of(values)) ** 2, axis=0))
        kept = np.flatnonzero(spreads > math.sqrt(self.variance_floor))
        if not kept.size:
            raise InvalidInput(
                "no feature varies more than variance_floor",
                where=self.name,
                found=f"largest standard deviation {spreads.max(initial=0.0):g}",
                remedy="Lower variance_floor, or give features that vary.",
            )
        return kept

    def _prepared(self, learned: Learned) -> list[WhiteDensity]:
        maps = zip(learned["centres"], learned["matrices"], learned["log_dets"], strict=True)
        whitenings = [Whitening(centre, matrix, float(log_det)) for centre, matrix, log_det in maps]
        groups = parts(learned["rows"], learned["ends"])
        return [WhiteDensity.of(*pair) for pair in zip(whitenings, groups, strict=True)]

    def _score(self, rows: NDArray[Any], classes: NDArray[np.int64], ready: list[WhiteDensity]) -> FloatArray:
        unit, kept = float(self.learned["unit"]), self.learned["kept"]

        def log_density(number: int, some: NDArray[Any]) -> FloatArray:
            return ready[number].log_density(in_units(some[:, kept], unit))

        return len(kept) * math.log(unit) - scored_by_class(rows, classes, log_density)


@dataclass(eq=False)
class DSA(Detector, name="dsa"):
    """Distance to the nearest row of the predicted class, over the distance of that row to any other class.

    With ``a`` the nearest fitted row of the predicted class and ``b`` the nearest to ``a`` of any other, the score is
    ``|x - a| / |a - b|``. Where ``b`` equals ``a``, the smallest ``|a - b|`` above 0 over all fitted rows takes its
    place, or 1 where there is none: scores stay finite.

    References
    ----------
    Kim, Feldt and Yoo (2019), "Guiding deep learning system testing using surprise adequacy", section III.

    Examples
    --------
    >>> import surefoot as sf
    >>> detector = sf.monitors.DSA().fit([[0, 0], [0, 1], [4, 0]], labels=["cat", "cat", "dog"])
    >>> detector.decision_function([[1, 0], [3, 0]], ["cat", "cat"])
    array([0.25, 0.75])

    """

    by_class = True

    def _fit(self, rows: NDArray[Any], classes: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        if classes.max() == 0:
            raise InvalidInput(
                "needs rows of at least two classes",
                where=self.name,
                found="labels of one class",
                remedy="Use KNN, which measures within a class.",
            )
        unit = unit_of(rows)
        ordered, ends = grouped(in_units(rows, unit), classes)
        return {"unit": np.array(unit), "rows": ordered, "ends": ends, "apart": _apart(parts(ordered, ends))}

    def _prepared(self, learned: Learned) -> list[tuple[Nearest, FloatArray]]:
        groups, apart = (parts(learned[name], learned["ends"]) for name in ("rows", "apart"))
        return [(Nearest.among(group), distances) for group, distances in zip(groups, apart, strict=True)]

    def _score(
        self, rows: NDArray[Any], classes: NDArray[np.int64], ready: list[tuple[Nearest, FloatArray]]
    ) -> FloatArray:
        unit = float(self.learned["unit"])

        def adequacy(number: int, some: NDArray[Any]) -> FloatArray:
            nearest, apart = ready[number]
            found = nearest.nth(in_units(some, unit))
            return ratio(found.distances, apart[found.places])

        return scored_by_class(rows, classes, adequacy)


def _class_whitenings(groups: list[FloatArray]) -> list[Whitening]:
    centres = [centre_of(group) for group in groups]
    centred = [group - centre for group, centre in zip(groups, centres, strict=True)]
    pooled = shrunk(np.concatenate(centred))
    return [
        kernel_whitening(centre, group, shrunk_class(rest, pooled), scott(*group.shape))
        for centre, group, rest in zip(centres, groups, centred, strict=True)
    ]


def _apart(groups: list[FloatArray]) -> FloatArray:
    """Distance of each row to the nearest of another class; positive."""
    distances = np.concatenate(
        [
            Nearest.among(np.concatenate(groups[:k] + groups[k + 1 :])).nth(group).distances
            for k, group in enumerate(groups)
        ]
    )
    above = distances[distances > 0]
    return np.where(distances > 0, distances, above.min() if above.size else 1.0)
