"""Detection metrics, against scikit-learn, brute force and known worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.monitors import Stakes, detection


def errors(wrong, **basis):
    wrong = np.asarray(wrong, dtype=bool)
    one = np.ones(wrong.size)
    return Stakes((~wrong).astype(float), one, one, one, wrong.astype(float), **basis)


def world(rows, seed=0, share=0.3, shift=1.5, digits=None, **basis):
    rng = np.random.default_rng(seed)
    wrong = rng.random(rows) < share
    scores = rng.normal(size=rows) + shift * wrong
    return errors(wrong, **basis), scores if digits is None else scores.round(digits)


labelled = st.lists(st.tuples(st.booleans(), st.integers(-3, 3), st.floats(0.25, 4, width=16)), min_size=6, max_size=40)


@settings(max_examples=15, deadline=None)
@given(labelled)
def test_figures_equal_scikit_learn(rows):
    rows += [(True, 0, 1.0), (True, 2, 1.0), (False, 1, 1.0), (False, -1, 1.0)]
    wrong, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    for weighted in (None, weights.astype(float)):
        found = detection(errors(wrong, weights=weighted), scores, draws=100)
        false, true, _ = metrics.roc_curve(wrong, scores, sample_weight=weighted, drop_intermediate=False)
        assert found.auroc.value == pytest.approx(metrics.roc_auc_score(wrong, scores, sample_weight=weighted))
        expected = metrics.average_precision_score(wrong, scores, sample_weight=weighted)
        assert found.average_precision.value == pytest.approx(expected)
        assert found.fpr95.value == pytest.approx(false[np.argmax(true >= 0.95 - 1e-12)])


@settings(max_examples=15, deadline=None)
@given(labelled)
def test_rates_equal_scikit_learn(rows):
    rows += [(True, 3, 1.0), (False, 3, 1.0)]
    wrong, scores, weights = (np.array(column) for column in zip(*rows, strict=True))
    said = scores > 0
    for weighted in (None, weights.astype(float)):
        found = detection(errors(wrong, weights=weighted), scores, threshold=0, draws=100)
        options = {"sample_weight": weighted}
        assert found.precision.value == pytest.approx(metrics.precision_score(wrong, said, **options))
        assert found.recall.value == pytest.approx(metrics.recall_score(wrong, said, **options))
        assert found.miss_rate.value == pytest.approx(1 - metrics.recall_score(wrong, said, **options))
        assert found.accuracy.value == pytest.approx(metrics.accuracy_score(wrong, said, **options))
        specificity = metrics.recall_score(~wrong, ~said, **options)
        assert found.false_positive_rate.value == pytest.approx(1 - specificity)


def test_rates_have_exact_limits_on_their_own_denominators():
    stakes, scores = world(300)
    found, said = detection(stakes, scores, threshold=1.0), scores > 1
    wrong = stakes.hazardous
    for estimate, hits, among in (
        (found.precision, wrong & said, said),
        (found.recall, wrong & said, wrong),
        (found.false_positive_rate, ~wrong & said, ~wrong),
    ):
        exact = stats.binomtest(int(hits.sum()), int(among.sum())).proportion_ci(0.95, "exact")
        assert estimate.interval(0.95) == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert estimate.bounds[0].kind == "confidence"


@pytest.mark.parametrize("digits", [None, 0], ids=["no ties", "ties"])
def test_delong_error_equals_the_brute_force_one(digits):
    stakes, scores = world(80, digits=digits)
    high, low = scores[stakes.hazardous], scores[~stakes.hazardous]
    wins = (high[:, None] > low) + (high[:, None] == low) / 2
    area = wins.mean()
    variance = wins.mean(axis=1).var(ddof=1) / high.size + wins.mean(axis=0).var(ddof=1) / low.size
    found = detection(stakes, scores).auroc
    assert found.value == pytest.approx(area)
    assert found.details["standard_error"] == pytest.approx(np.sqrt(variance))


def test_delong_error_is_the_spread_of_areas():
    areas = [detection(*world(400, seed=seed)).auroc.value for seed in range(300)]
    stated = [detection(*world(400, seed=seed)).auroc.details["standard_error"] for seed in range(50)]
    assert np.mean(stated) == pytest.approx(np.std(areas, ddof=1), rel=0.12)


def test_auroc_intervals_cover_the_truth():
    truth = stats.norm.cdf(1.5 / np.sqrt(2))
    limits = [detection(*world(100, seed=seed)).auroc.interval(0.95) for seed in range(400)]
    missed = np.mean([not low <= truth <= high for low, high in limits])
    assert missed < 0.08


def test_auroc_of_units_knows_that_rows_are_copies():
    stakes, scores = world(150)
    copied = errors(np.repeat(stakes.hazardous, 9), units=np.repeat(np.arange(150), 9))
    one, many = detection(stakes, scores).auroc, detection(copied, np.repeat(scores, 9)).auroc
    assert many.value == pytest.approx(one.value)
    assert many.details["standard_error"] == pytest.approx(one.details["standard_error"], rel=0.02)


def test_auroc_with_whole_weights_is_that_of_copies():
    stakes, scores = world(120)
    times = np.random.default_rng(1).integers(1, 5, 120)
    weighted = detection(stakes.weighted(times), scores).auroc
    copied = errors(np.repeat(stakes.hazardous, times), units=np.repeat(np.arange(120), times))
    again = detection(copied, np.repeat(scores, times)).auroc
    assert weighted.value == pytest.approx(again.value)
    assert weighted.details["standard_error"] == pytest.approx(again.details["standard_error"])


def test_perfect_separation_is_not_taken_for_certainty():
    stakes = errors([True] * 8 + [False] * 30)
    found = detection(stakes, stakes.hazardous.astype(float)).auroc
    assert found.value == 1
    assert found.lower(0.95) == pytest.approx(0.05 ** (1 / 8))
    assert found.upper(0.95) == 1


def test_limits_of_perfect_separation_cover():
    rng, truth, rounds = np.random.default_rng(0), stats.norm.cdf(4 / np.sqrt(2)), 300
    missed = 0
    for _ in range(rounds):
        scores = np.concatenate([rng.normal(4, 1, 6), rng.normal(0, 1, 20)])
        low, high = detection(errors([True] * 6 + [False] * 20), scores).auroc.interval(0.9)
        missed += not low <= truth <= high
    assert missed / rounds <= 0.12


@pytest.mark.parametrize("digits", [None, 0], ids=["no ties", "ties"])
def test_fpr95_limits_hold_whatever_the_scores(digits):
    rounds, missed = 150, np.zeros(2)
    truth = stats.norm.sf(stats.norm.ppf(0.05) + 1.5)
    if digits == 0:
        # Rounded scores: the highest whole threshold that 95% of the positives exceed.
        levels = np.arange(-6, 7)
        best = levels[stats.norm.sf(levels + 0.5 - 1.5) >= 0.95].max()
        truth = stats.norm.sf(best + 0.5)
    for seed in range(rounds):
        found = detection(*world(700, seed=seed, digits=digits)).fpr95
        missed += found.upper(0.9) < truth, found.lower(0.9) > truth
    assert (missed / rounds <= 0.14).all()


def test_fpr95_of_few_hazards_says_so_by_its_limit():
    stakes, scores = world(60, share=0.2)
    assert detection(stakes, scores).fpr95.upper(0.975) == 1


def test_resampled_limits_of_units_are_wider_than_of_rows():
    stakes, scores = world(120)
    units = np.repeat(np.arange(120), 6)
    copied = errors(np.repeat(stakes.hazardous, 6), units=units, unit="episode")
    loose = detection(copied, np.repeat(scores, 6), threshold=0.7)
    tight = detection(errors(np.repeat(stakes.hazardous, 6)), np.repeat(scores, 6), threshold=0.7)
    for name in ("precision", "recall", "average_precision"):
        widths = [np.diff(getattr(d, name).interval(0.95))[0] for d in (loose, tight)]
        assert widths[0] > 1.8 * widths[1], name
    assert loose.average_precision.bounds[0].kind == "heuristic"


@pytest.mark.parametrize(
    ("wrong", "alarms", "name", "words"),
    [
        ([0, 0, 0], [1, 0, 1], "recall", "no row is hazardous"),
        ([0, 0, 0], [1, 0, 1], "miss_rate", "no row is hazardous"),
        ([1, 1, 1], [1, 0, 1], "false_positive_rate", "every row is hazardous"),
        ([1, 0, 1], [0, 0, 0], "precision", "no alarm was raised"),
    ],
    ids=["recall", "miss rate", "false positives", "precision"],
)
def test_what_does_not_exist_is_undefined(wrong, alarms, name, words):
    found = detection(errors(wrong), alarms=alarms)
    with pytest.raises(Undefined, match=words):
        getattr(found, name)
    assert f"undefined: {name.replace('_', ' ')} does not exist: {words}" in str(found)


def test_scores_of_one_kind_have_no_roc():
    for name in ["auroc", "average_precision", "fpr95"]:
        for wrong in [[0, 0, 0], [1, 1, 1]]:
            with refused((name, wrong), Undefined, match="at least two rows that are"):
                getattr(detection(errors(wrong), [1.0, 2.0, 3.0]), name)


def test_the_table_and_estimates_hold_what_was_asked_for():
    stakes, scores = world(200)
    assert len(detection(stakes, scores).estimates) == 3
    assert len(detection(stakes, alarms=scores > 0).estimates) == 5
    assert len(detection(stakes, scores, threshold=0.0).table().rows) == 8
    assert {e.scope for e in detection(stakes, scores, scope="night").estimates} == {"night"}


def test_bad_input_is_refused_with_words():
    for options, words in [
        ({}, "needs scores or alarms"),
        ({"alarms": [1, 0], "threshold": 1.0, "scores": [1.0, 2.0]}, "not both"),
        ({"scores": [1.0, 2.0], "threshold": [1.0, 2.0]}, "one number"),
        ({"scores": [1.0, np.inf]}, "finite"),
        ({"alarms": [0.5, 1.0]}, "true or false"),
    ]:
        with refused((options, words), InvalidInput, match=words):
            detection(errors([True, False]), **options)


def test_rates_without_alarms_and_areas_without_scores_say_what_is_missing():
    stakes, scores = world(20)
    with pytest.raises(InvalidInput, match="rates need alarms"):
        _ = detection(stakes, scores).recall
    with pytest.raises(InvalidInput, match="needs scores"):
        _ = detection(stakes, alarms=scores > 0).auroc
