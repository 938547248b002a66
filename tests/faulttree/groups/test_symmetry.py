"""Cochran's Q against its published example and McNemar's test."""

import numpy as np
import pytest
from scipy import stats

from surefoot.faulttree import SharedTraining


def cochran_q(failures, counts):
    """The check of channels that share their training data: whether they fail alike."""
    members = tuple(f"c{i}" for i in range(len(failures)))
    _, alike, _ = SharedTraining("S", members, counts, failures=failures).assumptions()
    return alike.check


def test_the_interview_example_of_siegel():
    """Siegel, Nonparametric Statistics (1956), section 7: 18 housewives, three kinds of interview, Q = 16.7."""
    check = cochran_q((13, 13, 3), (3, 4, 8, 3))
    assert check.figures["statistic"] == pytest.approx(16.67, abs=0.01)
    assert check.figures["p_value"] < 0.001
    assert check.status == "contradicted"


def test_two_channels_give_mcnemar():
    check = cochran_q((40 + 5, 25 + 5), (100, 65, 5))
    assert check.figures["statistic"] == pytest.approx((40 - 25) ** 2 / 65)
    assert check.figures["p_value"] == pytest.approx(stats.chi2.sf((40 - 25) ** 2 / 65, 1))


def test_a_difference_that_is_significant_and_tiny_contradicts_nothing():
    check = cochran_q((505_000, 495_000), (1_000_000, 1_000_000, 0))
    assert check.figures["p_value"] < 1e-6
    assert check.status == "supported"
    assert check.effect == pytest.approx(0.01)


def test_few_telling_inputs_say_nothing():
    assert cochran_q((3, 0), (500, 3, 0)).status == "unchecked"
    assert cochran_q((0, 0, 0), (500, 0, 0, 0)).status == "unchecked"


def test_alike_channels_are_contradicted_at_most_as_often_as_stated():
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(400):
        failed = rng.random((400, 3)) < 0.1
        counts = np.bincount(failed.sum(axis=1), minlength=4).tolist()
        wrong += cochran_q(failed.sum(axis=0).tolist(), counts).status == "contradicted"
    assert wrong <= stats.binom.ppf(0.999, 400, 0.05)
