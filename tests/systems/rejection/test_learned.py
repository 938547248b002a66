"""Errors learned from all scores, with cross-fitting."""

import numpy as np
import pytest
from tests.refusals import told

from surefoot.core import InvalidInput
from surefoot.systems import Measurements, MemoryColumns, Score, predicted_errors, rejection, risk_coverage

QUICK = {"draws": 400, "points": 5}


def test_what_is_learned_is_better_than_each_score_and_strategy(speech, scores):
    measured = speech(300)
    found = risk_coverage(measured, **scores, others={"learned": predicted_errors(measured)}, **QUICK)
    assert all(found.excess("learned") < found.excess(name) for name in ("S1", "S2", "S3", "S4", "S5"))


def test_what_only_scores_together_tell_is_learned(measured_of, words_wrong, scores):
    rng = np.random.default_rng(0)
    u, s = rng.normal(size=(2, 600))
    measured = measured_of([words_wrong(5 * (u * s > 0), 5)], [u], [s])
    found = risk_coverage(measured, **scores, others={"learned": predicted_errors(measured)}, **QUICK)
    assert found.curves["learned"].area < 0.25
    assert found.curves["S5"].area > 0.4


def test_noise_teaches_nothing(measured_of, words_wrong):
    """Fitted to its own rows a model would seem to know; cross-fitted predictions do not go with the errors."""
    rng = np.random.default_rng(1)
    wrong = rng.integers(0, 6, 400)
    measured = measured_of([words_wrong(wrong, 5)], [rng.normal(size=400)], [rng.normal(size=400)])
    clean = measured.conditions[0]
    own = rejection.ErrorModel.fit(measured, np.ones(400, dtype=bool)).predict(measured, clean)
    assert np.corrcoef(own, wrong)[0, 1] > 0.4
    assert abs(np.corrcoef(predicted_errors(measured)[clean], wrong)[0, 1]) < 0.15


def test_units_and_the_versions_of_an_item_share_a_fold(speech):
    units = np.repeat(np.arange(10), 6)
    fold = rejection.fold_of(speech(60, units=units), folds=5, seed=3)
    assert all(np.unique(fold[units == unit]).size == 1 for unit in range(10))
    assert np.array_equal(np.bincount(fold), np.full(5, 12))


def test_the_errors_of_a_fold_do_not_reach_its_predictions(speech):
    measured = speech(50)
    fold = rejection.fold_of(measured, folds=5, seed=0)
    kept = MemoryColumns(
        {c: _spoilt(measured.statistics(c), fold == 2) for c in measured.conditions},
        {s: {c: measured.score(s, c) for c in measured.conditions} for s in measured.scores},
    )
    other = Measurements("made", measured.metric, measured.conditions, measured.scores, kept)
    before, after = predicted_errors(measured), predicted_errors(other)
    for condition in measured.conditions:
        assert np.array_equal(before[condition][fold == 2], after[condition][fold == 2])
        assert not np.array_equal(before[condition][fold != 2], after[condition][fold != 2])


def _spoilt(statistics, rows):
    return np.where(rows[:, None], statistics[:, [0, 1, 2, 3]] * [0, 1, 1, 1] + [3, 0, 0, 0], statistics)


def test_missing_and_infinite_scores_and_missing_answers_are_welcome(measured_of, words_wrong):
    rng = np.random.default_rng(2)
    wrong, score = rng.integers(0, 6, 100), rng.normal(size=100)
    statistics = words_wrong(wrong, 5)
    statistics[:5] = np.nan
    score[10:20], score[20] = np.nan, np.inf
    measured = measured_of([statistics], [score], [np.full(100, np.nan)])
    assert np.isfinite(predicted_errors(measured)[measured.conditions[0]]).all()


def test_a_missing_score_can_itself_tell(measured_of, words_wrong):
    rng = np.random.default_rng(3)
    missing = rng.random(300) < 0.2
    measured = measured_of([words_wrong(5 * missing, 5)], [np.where(missing, np.nan, 1.0)], [rng.normal(size=300)])
    predicted = predicted_errors(measured)[measured.conditions[0]]
    assert predicted[missing].min() > predicted[~missing].max()


def test_the_order_of_a_score_is_all_that_counts(speech):
    measured = speech(80)
    bent = MemoryColumns(
        {c: measured.statistics(c) for c in measured.conditions},
        {s: {c: np.arctan(measured.score(s, c)) for c in measured.conditions} for s in measured.scores},
    )
    other = Measurements("made", measured.metric, measured.conditions, measured.scores, bent)
    before, after = predicted_errors(measured), predicted_errors(other)
    for condition in measured.conditions:
        assert before[condition] == pytest.approx(after[condition])


def test_what_cannot_be_learned_from_is_refused(speech):
    for options, words in [
        ({"folds": 1}, "at least 2"),
        ({"folds": 40}, "as many independent units"),
        ({"scores": ()}, "at least one score"),
        ({"scores": (Score("no", "such"),)}, "no score 'no such'"),
    ]:
        with told(options), pytest.raises(InvalidInput, match=words):
            predicted_errors(speech(30), **options)
