"""How often discounted intervals contain the true recall, where the truth is known.

Herd & Burton (2024) leave open how well discounted opinions capture actual statistical uncertainty. Two models with
known truth answer it. In both, n images of a class are tested, k are found, and the recall opinion is discounted as
in section 5 of the paper; what counts is the recall in operation.

Coverage: in operation a share c of the images is like the test set, with recall p, and 1 - c is unlike it, with
recall q. The test set shows the first kind only. Operational recall is c p + (1 - c) q. Probabilities are exact sums
over the binomial distribution of k.

Calibration: an image has a margin z ~ Normal(mu, 1) and is found when z > 0; the network reports the probability
sigmoid(sharpness * z), so a high sharpness is overconfident and a low one timid. In operation the margin is smaller by
a shift. The Brier opinion is formed on the tested images of the class, as in the paper. Probabilities are simulated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from surefoot.opinions import Opinion, chain, coverage, recall, score

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CoverageMap:
    """Probabilities over a grid (rows y, columns x) that an interval, and that its lower end, keeps to the truth.

    ``contained``: the interval contains operational recall. ``not_above``: its lower end, the side that safety needs,
    does not exceed operational recall.
    """

    title: str
    x: FloatArray
    y: FloatArray
    x_name: str
    y_name: str
    contained: FloatArray
    not_above: FloatArray
    width: FloatArray


def operational_recall(loss: ArrayLike, gap: ArrayLike, found: float) -> FloatArray:
    """Recall c p + (1 - c) q, with loss 1 - c and gap p - q."""
    return found - np.asarray(loss) * np.asarray(gap)


def dataset_coverage_map(
    loss: FloatArray,
    gap: FloatArray,
    *,
    images: int = 480,
    found: float = 0.98,
    claimed: float | None = 1.0,
    level: float = 0.95,
    title: str = "",
) -> CoverageMap:
    """Discount by a coverage whose loss is ``claimed`` times the true one; ``claimed=None`` does not discount."""
    hits = np.arange(images + 1)
    weight = stats.binom.pmf(hits, images, found)
    primary = recall(hits, images - hits)
    contained, not_above, width = np.empty((3, gap.size, loss.size))
    for column, missing in enumerate(loss):
        opinion = primary if claimed is None else chain(primary, coverage(1 - claimed * missing, 1.0, prior_weight=0))
        low, high = opinion.interval(level)
        truth = operational_recall(missing, gap, found)[:, None]
        contained[:, column] = ((low <= truth) & (truth <= high)) @ weight
        not_above[:, column] = (low <= truth) @ weight
        width[:, column] = (high - low) @ weight
    return CoverageMap(
        title,
        loss,
        gap,
        "operation outside the test set, 1 − c",
        "recall lost there, p − q",
        contained,
        not_above,
        width,
    )


def calibration_map(
    sharpness: FloatArray,
    shift: FloatArray,
    *,
    images: int = 480,
    found: float = 0.98,
    repetitions: int = 1000,
    discount: bool = True,
    level: float = 0.95,
    seed: int = 0,
    title: str = "",
) -> CoverageMap:
    """Discount by the Brier opinion of networks of one recall and different sharpness."""
    mean = float(special.ndtri(found))
    margins = mean + np.random.default_rng(seed).standard_normal((repetitions, images))
    hits = (margins > 0).sum(axis=1)
    primary = recall(hits, images - hits)
    truth = special.ndtr(mean - shift)[:, None]
    contained, not_above, width = np.empty((3, shift.size, sharpness.size))
    for column, slope in enumerate(sharpness):
        opinion = primary.discounted_by(brier_of_class(margins, slope)) if discount else primary
        low, high = opinion.interval(level)
        contained[:, column] = ((low <= truth) & (truth <= high)).mean(axis=1)
        not_above[:, column] = (low <= truth).mean(axis=1)
        width[:, column] = (high - low).mean()
    return CoverageMap(
        title,
        sharpness,
        shift,
        "sharpness of the forecasts",
        "shift of the margin in operation",
        contained,
        not_above,
        width,
    )


def brier_of_class(margins: FloatArray, sharpness: float) -> Opinion:
    """Brier opinion of each repetition on images of the class alone, as in section 5: every outcome is 1."""
    errors = special.expit(-sharpness * margins) ** 2
    return score(1 - errors.mean(axis=-1), margins.shape[-1])


def calibrated_sharpness(found: float) -> float:
    """The sharpness with the smallest calibration error, given a second class that mirrors the first.

    With margins Normal(mu, 1) for one class and Normal(-mu, 1) for the other in equal numbers, the probability of the
    first class at margin z is sigmoid(2 mu z) exactly.
    """
    return 2 * float(special.ndtri(found))
