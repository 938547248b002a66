"""Measures of class probabilities, against scipy and plain sums."""

import numpy as np
import pytest
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.monitors import deep_gini, entropy, expected_entropy, mutual_information, pcs, predictive_entropy

STACKED = np.random.default_rng(0).dirichlet([0.3] * 4, size=(7, 50))
ONE_PASS = [entropy, deep_gini, pcs]
SEVERAL = [predictive_entropy, expected_entropy, mutual_information]


def test_entropies_equal_those_of_scipy():
    np.testing.assert_allclose(entropy(STACKED[0]), stats.entropy(STACKED[0], axis=1), atol=1e-13)
    np.testing.assert_allclose(predictive_entropy(STACKED), stats.entropy(STACKED.mean(axis=0), axis=1), atol=1e-13)
    expected = np.mean([stats.entropy(one, axis=1) for one in STACKED], axis=0)
    np.testing.assert_allclose(expected_entropy(STACKED), expected, atol=1e-13)


def test_mutual_information_is_the_mean_divergence_of_passes_from_their_mean():
    divergence = np.mean([stats.entropy(one, STACKED.mean(axis=0), axis=1) for one in STACKED], axis=0)
    np.testing.assert_allclose(mutual_information(STACKED), divergence, atol=1e-12)


def test_hand_cases():
    rows = [[1.0, 0.0, 0.0], [0.5, 0.3, 0.2], [1 / 3, 1 / 3, 1 / 3]]
    np.testing.assert_allclose(deep_gini(rows), [0, 0.62, 2 / 3], atol=1e-12)
    np.testing.assert_allclose(pcs(rows), [0, 0.8, 1], atol=1e-12)
    np.testing.assert_allclose(entropy(rows)[[0, 2]], [0, np.log(3)], atol=1e-12)


def test_passes_that_are_sure_of_different_classes_share_all_their_information():
    sure = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])
    np.testing.assert_allclose(expected_entropy(sure), 0)
    np.testing.assert_allclose(mutual_information(sure), np.log(2))


def test_passes_that_agree_share_none():
    np.testing.assert_array_equal(mutual_information(np.repeat(STACKED[:1], 3, axis=0)) < 1e-15, True)


def test_rows_that_sum_to_one_but_for_rounding_are_made_to():
    for measure in ONE_PASS + SEVERAL:
        usual = STACKED[0] if measure in ONE_PASS else STACKED
        np.testing.assert_allclose(measure(usual * 1.005), measure(usual), atol=1e-12, err_msg=repr(measure))


def test_what_are_no_probabilities_is_refused():
    for measure in ONE_PASS + SEVERAL:
        for change, message in [
            (lambda p: p * 5, "softmax"),
            (lambda p: p - 0.5, "softmax"),
            (lambda p: p * 1e308, "softmax"),
            (lambda p: np.where(p == p.max(), np.nan, p), "finite"),
            (lambda p: p[..., None], "axes"),
            (lambda p: p[..., :0, :], "none empty"),
        ]:
            usual = STACKED[0] if measure in ONE_PASS else STACKED
            with refused((measure, change, message), InvalidInput, match=message):
                measure(change(usual))


def test_one_class_has_no_second_highest():
    with pytest.raises(InvalidInput, match="at least 2 classes"):
        pcs([[1.0]])
    assert entropy([[1.0]]) == 0
