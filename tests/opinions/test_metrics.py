from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, precision_score, recall_score
from tests.opinions.refusals import accepted, refusal

from surefoot.core import Undefined
from surefoot.opinions import (
    accuracy,
    brier,
    coverage,
    expected_calibration_error,
    f1,
    precision,
    recall,
    score,
    specificity,
)

COUNT_METRICS = (recall, precision, specificity, accuracy)
counts = st.integers(0, 100_000)


def masses(opinion):
    return np.array([opinion.belief, opinion.disbelief, opinion.uncertainty])


def test_recall_matches_herd_burton_eqn_25():
    assert masses(recall(470, 10)) == pytest.approx([0.975, 0.021, 0.004], abs=5e-4)


def test_recall_interval_matches_errata_item_3():
    assert recall(470, 10).beta() == pytest.approx((471, 11))
    assert recall(470, 10).interval(0.99) == pytest.approx((0.9560, 0.9910), abs=5e-5)
    assert recall(470, 10).interval(0.95) == pytest.approx((0.9621, 0.9885), abs=5e-5)


def test_brier_uncertainty_matches_errata_item_4():
    for images, uncertainty in ((480, 0.00415), (12_629, 0.000158)):
        opinion = score(1 - 2.148 / images, images)
        assert opinion.uncertainty == pytest.approx(uncertainty, abs=5e-6), images
        assert opinion.disbelief == pytest.approx(2.148 / (images + 2)), images


@pytest.fixture
def predictions():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 400)
    return truth, np.where(rng.random(400) < 0.8, truth, 1 - truth)


def confusion(truth, answer):
    return {
        "tp": int(((truth == 1) & (answer == 1)).sum()),
        "fp": int(((truth == 0) & (answer == 1)).sum()),
        "tn": int(((truth == 0) & (answer == 0)).sum()),
        "fn": int(((truth == 1) & (answer == 0)).sum()),
    }


def test_plain_values_match_scikit_learn(predictions):
    truth, answer = predictions
    c = confusion(truth, answer)
    plain = {"prior_weight": 0}
    assert recall(c["tp"], c["fn"], **plain).probability == pytest.approx(recall_score(truth, answer))
    assert precision(c["tp"], c["fp"], **plain).probability == pytest.approx(precision_score(truth, answer))
    assert specificity(c["tn"], c["fp"], **plain).probability == pytest.approx(recall_score(truth, answer, pos_label=0))
    assert f1(c["tp"], c["fp"], c["fn"], **plain).probability == pytest.approx(f1_score(truth, answer))
    right = c["tp"] + c["tn"]
    assert accuracy(right, 400 - right, **plain).probability == pytest.approx(accuracy_score(truth, answer))


def test_brier_without_prior_matches_scikit_learn():
    rng = np.random.default_rng(5)
    forecast, outcome = rng.random(300), rng.integers(0, 2, 300)
    opinion = brier(forecast, outcome, prior_weight=0)
    assert opinion.disbelief == pytest.approx(brier_score_loss(outcome, forecast))
    assert opinion.uncertainty == 0


def test_brier_matches_herd_burton_eqns_19_to_21():
    forecast, outcome = np.array([0.9, 0.2, 0.6]), np.array([1, 0, 0])
    expected = [1 - 0.41 / 5 - 2 / 5, 0.41 / 5, 2 / 5]
    assert masses(brier(forecast, outcome)) == pytest.approx(expected)


def test_brier_of_class_probabilities_matches_scikit_learn_halved():
    rng = np.random.default_rng(6)
    table, labels = rng.dirichlet(np.ones(5), 200), rng.integers(0, 5, 200)
    expected = brier_score_loss(labels, table, labels=range(5), scale_by_half=True)
    assert brier(table, labels, prior_weight=0).disbelief == pytest.approx(expected)


def test_brier_of_two_class_table_equals_binary_form():
    rng = np.random.default_rng(7)
    forecast, outcome = rng.random(50), rng.integers(0, 2, 50)
    table = np.column_stack([1 - forecast, forecast])
    assert masses(brier(table, outcome)) == pytest.approx(masses(brier(forecast, outcome)))


def test_worst_forecasts_leave_no_belief():
    assert brier([[1.0, 0.0], [0.0, 1.0]], [1, 0]).belief == pytest.approx(0)


def test_expected_calibration_error_matches_scikit_learn_bins():
    rng = np.random.default_rng(8)
    confidence = rng.random(1000)
    correct = rng.random(1000) < confidence**1.5
    for bins in (1, 5, 15):
        share, mean = calibration_curve(correct, confidence, n_bins=bins)
        sizes = np.histogram(confidence, bins=np.linspace(0, 1, bins + 1))[0]
        expected = (sizes[sizes > 0] / 1000 * np.abs(share - mean)).sum()
        opinion = expected_calibration_error(confidence, correct, bins=bins, prior_weight=0)
        assert opinion.disbelief == pytest.approx(expected), bins


def test_expected_calibration_error_of_constant_forecast_is_by_hand():
    opinion = expected_calibration_error([0.8, 0.8, 0.8, 0.8], [1, 1, 0, 0])
    assert masses(opinion) == pytest.approx([2.8 / 6, 1.2 / 6, 2 / 6])


def test_f1_interval_contains_posterior_of_goutte_gaussier_2005():
    rng = np.random.default_rng(9)
    for tp, fp, fn in ((470, 10, 10), (40, 10, 5), (200, 100, 3), (10, 30, 30)):
        opinion = f1(tp, fp, fn)
        hits, errors = 2 * rng.gamma(tp + 1, size=200_000), rng.gamma(fp + fn + 2, size=200_000)
        posterior = hits / (hits + errors)
        alpha, beta = opinion.beta()
        spread = stats.beta(alpha, beta).std() / posterior.std()
        assert opinion.probability == pytest.approx(posterior.mean(), abs=0.003)
        assert 1.0 <= spread <= np.sqrt(2) * 1.01


def test_f1_is_harmonic_mean_of_precision_and_recall():
    plain = {"prior_weight": 0}
    p, r = precision(30, 20, **plain).probability, recall(30, 5, **plain).probability
    assert f1(30, 20, 5, **plain).probability == pytest.approx(2 * p * r / (p + r))


def test_coverage_without_prior_weight_has_no_uncertainty():
    assert masses(coverage(90, 100, prior_weight=0)) == pytest.approx([0.9, 0.1, 0.0], abs=0)


def test_coverage_matches_herd_burton_eqns_22_to_24_corrected():
    assert masses(coverage(90, 100)) == pytest.approx([90 / 102, 10 / 102, 2 / 102])


@settings(deadline=None, max_examples=25)
@given(counts, counts, st.floats(0.01, 10), st.floats(0, 1))
def test_count_metrics_match_scipy_beta(good, bad, weight, base_rate):
    for metric in COUNT_METRICS:
        opinion = metric(good, bad, prior_weight=weight, base_rate=base_rate)
        assert masses(opinion).sum() == pytest.approx(1)
        assert opinion.probability == pytest.approx((good + base_rate * weight) / (good + bad + weight), abs=1e-12)
        if good and bad:
            posterior = stats.beta(good + base_rate * weight, bad + (1 - base_rate) * weight)
            assert opinion.interval(0.9) == pytest.approx(posterior.interval(0.9), rel=1e-6, abs=1e-12)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40))
def test_brier_and_calibration_are_opinions(pairs):
    forecast, outcome = zip(*pairs, strict=True)
    for metric in (brier, expected_calibration_error):
        opinion = metric(forecast, outcome)
        assert masses(opinion).min() >= 0
        assert opinion.uncertainty == pytest.approx(2 / (len(pairs) + 2))


def test_arrays_are_elementwise():
    opinion = recall([470, 5], [[10], [0]])
    assert opinion.shape == (2, 2)
    assert opinion[1, 0].belief == recall(470, 0).belief
    assert f1([1, 2], 3, 4).shape == coverage([1, 2], 4).shape == score([0.1, 0.9], 10).shape == (2,)


def test_interval_of_recall_covers_truth_in_simulation():
    rng = np.random.default_rng(10)
    truth = rng.random(20_000)
    found = rng.binomial(60, truth)
    low, high = recall(found, 60 - found).interval(0.9)
    share = ((low <= truth) & (truth <= high)).mean()
    assert share == pytest.approx(0.9, abs=0.01)


def test_bad_counts_are_refused():
    for metric, bad in product(COUNT_METRICS, (-1, np.nan, np.inf, "many", [], [[1], [-2]])):
        assert refusal(metric, bad, 1), (metric.__name__, bad)
        assert refusal(metric, 1, bad), (metric.__name__, bad)


def test_bad_input_is_refused():
    calls = [
        lambda: recall([1, 2], [1, 2, 3]),
        lambda: f1(1, -1, 1),
        lambda: f1([1, 2], [1, 2, 3], 0),
        lambda: coverage(5, 4),
        lambda: coverage([1, 5], [4, 4]),
        lambda: score(1.1, 10),
        lambda: score(0.5, -1),
        lambda: score([0.5, 0.5], [1, 2, 3]),
        lambda: recall(1, 1, prior_weight=-1),
        lambda: recall(1, 1, prior_weight=np.nan),
        lambda: recall(1, 1, base_rate=1.5),
        lambda: recall(1, 1, prior_weight=[1, 2]),
        lambda: recall(1, 1, prior_weight=None),
        lambda: recall(1, 1, base_rate=np.nan),
        lambda: score([], 10),
        lambda: score(np.nan, 10),
        lambda: brier([[0.5, 0.5]], [np.nan]),
        lambda: brier([[[0.5]]], [0]),
        lambda: brier(np.zeros((0, 3)), []),
        lambda: brier([0.5], [np.nan]),
        lambda: expected_calibration_error([], []),
        lambda: expected_calibration_error([np.nan], [1]),
        lambda: expected_calibration_error([0.5], [1], bins=1.5),
        lambda: expected_calibration_error([0.5], [1], bins=None),
        lambda: brier([], []),
        lambda: brier([0.5], [0.5]),
        lambda: brier([1.5], [1]),
        lambda: brier([np.nan], [1]),
        lambda: brier([0.5, 0.5], [1]),
        lambda: brier(0.5, 1),
        lambda: brier([[0.5, 0.4]], [0]),
        lambda: brier([[0.5, 0.5]], [2]),
        lambda: brier([[0.5, 0.5]], [0.5]),
        lambda: brier([[0.5, 0.5]], [0, 1]),
        lambda: expected_calibration_error([0.5], [2]),
        lambda: expected_calibration_error([-0.1], [1]),
        lambda: expected_calibration_error([0.5], [1], bins=0),
        lambda: expected_calibration_error([0.5, 0.1], [1]),
    ]
    assert accepted(calls) == []


@pytest.mark.parametrize("metric", [recall, coverage])
def test_nothing_known_and_no_prior_has_no_opinion(metric):
    with pytest.raises(Undefined):
        metric(0, 0, prior_weight=0)
