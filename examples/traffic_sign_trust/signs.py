"""Road-work signs of the GTSRB: train a network, and chain its recall, calibration and coverage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from domain import ImageDomain, image_domain
from network import Training, class_probabilities, train
from numpy.typing import NDArray
from tracks import TRACK_LENGTH, effective_count, intraclass_correlation

from surefoot.datasets import TrafficSigns
from surefoot.opinions import (
    CombinationCoverage,
    Link,
    Opinion,
    brier,
    chain_steps,
    expected_calibration_error,
    fuse,
    precision,
    recall,
    t_way_coverage,
)

ROAD_WORK = 25
HOLD_EVERY = 5


@dataclass(frozen=True, eq=False)
class Answers:
    """Class probabilities of the test images, and of training tracks that the network never saw."""

    test: NDArray[np.float64]
    held: NDArray[np.bool_]
    """Which training images were held out."""
    held_out: NDArray[np.float64]
    track: NDArray[np.int64]
    """The track of each held-out image, numbered over all classes."""


@dataclass(frozen=True)
class Signs:
    """What was measured on the signs of one class."""

    images: int
    found: int
    false_alarms: int
    accuracy: float
    squared_errors: float
    calibration: Opinion
    class_calibration: Opinion
    train_coverage: CombinationCoverage
    test_coverage: CombinationCoverage
    correlation: float
    held_out: tuple[int, int]

    @property
    def recall(self) -> Opinion:
        """Recall as if all test images were independent."""
        return recall(self.found, self.images - self.found)

    @property
    def effective_images(self) -> float:
        """What the test images are worth, given that they come in tracks."""
        return effective_count(self.images, self.correlation)

    @property
    def effective_recall(self) -> Opinion:
        """Recall with the evidence scaled down to independent images."""
        share = self.effective_images / self.images
        return recall(self.found * share, (self.images - self.found) * share)

    @property
    def held_out_recall(self) -> Opinion:
        """Recall on training tracks that the network never saw, scaled down in the same way."""
        found, images = self.held_out
        share = effective_count(images, self.correlation, track_length=TRACK_LENGTH // 3) / images
        return recall(found * share, (images - found) * share)

    @property
    def precision(self) -> Opinion:
        """Precision, from false alarms on all other classes."""
        return precision(self.found, self.false_alarms)

    def steps(self, primary: Opinion) -> dict[str, Opinion]:
        """A primary opinion and what is left of it after calibration and after coverage."""
        links = (
            Link("calibration", "model", self.class_calibration),
            Link("coverage", "data", self.test_coverage.opinion(prior_weight=0)),
        )
        names = ("recall", "discounted by calibration", "and by coverage")
        return dict(zip(names, chain_steps(primary, *links), strict=True))

    def strengthened(self) -> Opinion:
        """Test and held-out evidence together: both are independent observations of one recall."""
        return fuse(self.effective_recall, self.held_out_recall)


def answer(signs: TrafficSigns, settings: Training) -> Answers:
    """Train on four fifths of the tracks, then ask about the test images and the tracks held out."""
    held = signs.train_track % HOLD_EVERY == HOLD_EVERY - 1
    network = train(signs.train_images[~held], signs.train_labels[~held], settings)
    return Answers(
        test=class_probabilities(network, signs.test_images),
        held=held,
        held_out=class_probabilities(network, signs.train_images[held]),
        track=signs.train_labels[held] * 10_000 + signs.train_track[held],
    )


def measure(signs: TrafficSigns, answers: Answers, domain: ImageDomain, *, target: int = ROAD_WORK) -> Signs:
    """Measure on the test images and on the tracks held out."""
    answered, truth = answers.test.argmax(axis=1), signs.test_labels
    ours = truth == target
    held_truth = signs.train_labels[answers.held]
    held_right = answers.held_out.argmax(axis=1) == held_truth
    certain = answers.test[ours, target]
    return Signs(
        images=int(ours.sum()),
        found=int((answered[ours] == target).sum()),
        false_alarms=int((answered[~ours] == target).sum()),
        accuracy=float((answered == truth).mean()),
        squared_errors=float(((1 - certain) ** 2).sum()),
        calibration=expected_calibration_error(answers.test.max(axis=1), answered == truth),
        class_calibration=brier(certain, np.ones(len(certain))),
        train_coverage=_coverage(domain, signs.train_images, signs.train_box, signs.train_labels == target),
        test_coverage=_coverage(domain, signs.test_images, signs.test_box, ours),
        correlation=intraclass_correlation(~held_right, answers.track),
        held_out=(int(held_right[held_truth == target].sum()), int((held_truth == target).sum())),
    )


def domain_of(signs: TrafficSigns) -> ImageDomain:
    """The operating domain that all images of the benchmark span."""
    images = np.concatenate([signs.train_images, signs.test_images])
    return image_domain(images, np.concatenate([signs.train_box, signs.test_box]))


def _coverage(
    domain: ImageDomain, images: NDArray[np.uint8], boxes: NDArray[np.int64], ours: NDArray[np.bool_]
) -> CombinationCoverage:
    return t_way_coverage(domain.rows(images[ours], boxes[ours]), domain.table, forbidden=domain.unseen)


def thinned(signs: TrafficSigns, *, train_every: int, test_every: int, target: int = ROAD_WORK) -> TrafficSigns:
    """Fewer images for a quick run: whole tracks stay apart, all images of the class are kept."""
    train_kept = (signs.train_frame % train_every == 0) | (signs.train_labels == target)
    test_kept = (np.arange(len(signs.test_labels)) % test_every == 0) | (signs.test_labels == target)
    kept = {"train": train_kept, "test": test_kept}
    return TrafficSigns(**{name: values[kept[name.split("_")[0]]] for name, values in vars(signs).items()})
