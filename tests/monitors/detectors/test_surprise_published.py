"""Scores equal those that the authors of surprise adequacy published."""

import numpy as np
import pytest

from surefoot import datasets
from surefoot.core import MissingData
from surefoot.monitors import DSA, LSA

EVERY = 10
"""One in so many test images."""


@pytest.fixture(scope="module")
def traces():
    try:
        return datasets.surprise_mnist()
    except MissingData as missing:
        pytest.skip(str(missing))


def test_likelihood_surprise_equals_the_published_scores(traces):
    """Outputs sum to 1 but for rounding, so the published covariances have few digits left: not all scores agree."""
    some = slice(None, None, EVERY)
    found = LSA().fit(traces.train, traces.train_predictions)
    gaps = np.abs(found.decision_function(traces.test[some], traces.test_predictions[some]) - traces.likelihood[some])
    assert np.median(gaps) < 1e-4
    assert np.quantile(gaps, 0.95) < 1e-3


@pytest.mark.parametrize("digit", [5, 9])
def test_distance_surprise_equals_the_published_scores(traces, digit):
    """Of one digit at a time: to it all other classes are one, and most distances need not be computed."""
    detector = DSA().fit(traces.train, traces.train_predictions == digit)
    chosen = traces.test_predictions == digit
    scores = detector.decision_function(traces.test[chosen], np.full(chosen.sum(), True))
    np.testing.assert_allclose(scores, traces.distance[chosen], rtol=0, atol=1e-6)


def test_attacked_images_surprise_more(traces):
    detector = LSA().fit(traces.train, traces.train_predictions)
    usual = detector.decision_function(traces.test[::EVERY], traces.test_predictions[::EVERY])
    attacked = detector.decision_function(traces.attacked[::EVERY], traces.attacked_predictions[::EVERY])
    assert np.mean(attacked > np.quantile(usual, 0.9)) > 0.5
