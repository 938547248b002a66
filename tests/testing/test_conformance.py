"""The conformance checks of corruptions, metrics and estimators pass what is right and name what is wrong."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from surefoot.corruptions import corruption
from surefoot.metrics import metric_named
from surefoot.reliability import MonteCarlo
from surefoot.testing import ConformanceError, check_cell_estimator, check_corruption, check_metric


@pytest.mark.parametrize("name", ["gaussian_noise", "contrast", "rain", "clipping", "speed", "swap_characters"])
def test_corruptions_of_ours_pass(name):
    check_corruption(name)


def shaken(images, severity, rngs):
    """Random numbers that no seed decides."""
    return images + 0.1 * np.random.default_rng().random(images.shape)


def joined(images, severity, rngs):
    """Every image takes something of the others."""
    return images * 0.5 + images.mean(axis=0) * 0.5


def idle(images, severity, rngs):
    """Nothing."""
    return images


@pytest.mark.parametrize(
    ("function", "problem"), [(shaken, "asked again"), (joined, "otherwise than alone"), (idle, "changes nothing")]
)
def test_a_corruption_that_cannot_be_relied_on_is_found(function, problem, monkeypatch):
    monkeypatch.setattr(corruption, "_here", {})
    corruption(domain="image")(function)
    with pytest.raises(ConformanceError, match=problem):
        check_corruption(function.__name__)


def test_metrics_of_ours_pass():
    rng = np.random.default_rng(1)
    check_metric("rmse", rng.random(20), rng.random(20))
    check_metric("accuracy", list("abcab"), list("abaab"))


def test_a_metric_that_cannot_be_relied_on_is_found():
    outputs, truths = np.array([0.1, 0.5, 0.9]), np.array([0.0, 0.5, 1.0])
    with pytest.raises(ConformanceError, match="truth itself"):
        check_metric(replace(metric_named("mae"), better="higher"), outputs, truths)
    with pytest.raises(ConformanceError, match="not at least 0"):
        check_metric(_signed, outputs, truths)
    with pytest.raises(ConformanceError, match="shape"):
        check_metric(replace(metric_named("mae"), columns=("one",)), outputs, truths)


def _signed(output, truth):
    return output - truth


def test_sampling_passes_and_a_biased_estimator_is_found():
    check_cell_estimator(MonteCarlo(200, allocation="equal"))
    with pytest.raises(ConformanceError, match="where the share is"):
        check_cell_estimator(Certain())


@dataclass(frozen=True)
class Certain:
    """Takes the most frequent answer for the only one."""

    def estimate(self, problem, *, executor, seed, progress=None):
        found = MonteCarlo(200, allocation="equal").estimate(problem, executor=executor, seed=seed)
        return replace(found, shares=np.eye(2)[found.shares.argmax(axis=1)])
