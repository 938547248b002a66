"""A threshold with a guarantee on the error of accepted answers."""

import numpy as np
import pytest
from scipy import stats
from tests.refusals import told

from surefoot.core import InvalidInput, Undefined
from surefoot.systems import accept_below, accept_below_predicted
from surefoot.systems.rejection.acceptance import Trials

GRID = np.linspace(0.15, 1, 18)
TARGET, DELTA = 0.1, 0.1


def rows(size, rng):
    """Scores even in [0, 1]; an answer of score s fails with probability s^2 / 2, so those below t with t^2 / 6."""
    scores = rng.random(size)
    return scores, (rng.random(size) < scores**2 / 2).astype(float)


def threshold(scores, losses, **options):
    """The threshold, or none where nothing is shown: then nothing is accepted, and nothing is wrong."""
    try:
        return accept_below(scores, losses, target=TARGET, delta=DELTA, **options).threshold
    except Undefined:
        return 0.0


def test_the_target_is_missed_in_no_more_than_delta_of_1000_redraws():
    rng = np.random.default_rng(0)
    chosen = np.array([threshold(*rows(300, rng), grid=GRID) for _ in range(1000)])
    missed = (chosen**2 / 6 > TARGET).mean()
    assert missed <= DELTA
    assert missed > 0.02, "a test that is never near its limit shows nothing"
    assert (chosen > 0.4).mean() > 0.9


def test_a_grid_from_rows_set_aside_keeps_it_as_well():
    rng = np.random.default_rng(1)
    chosen = np.array([threshold(*rows(400, rng), seed=int(seed)) for seed in range(400)])
    assert (chosen**2 / 6 > TARGET).mean() <= DELTA
    assert (chosen > 0.4).mean() > 0.8


def test_few_rows_and_a_strict_target_show_something_more_often():
    """One walk from the threshold for which rows set aside spoke most showed something in 0.33 of these redraws."""
    rng, target = np.random.default_rng(3), 0.03
    shown = []
    for seed in range(200):
        try:
            shown.append(accept_below(*rows(1000, rng), target=target, delta=0.05, seed=seed).threshold)
        except Undefined:
            shown.append(0.0)
    assert (np.array(shown) > 0).mean() > 0.42
    assert (np.array(shown) ** 2 / 6 > target).mean() <= 0.05


def test_where_the_error_is_the_target_everywhere_delta_is_kept():
    rng = np.random.default_rng(4)
    shown = 0
    for seed in range(400):
        scores, failed = rng.random(600), (rng.random(600) < TARGET).astype(float)
        shown += threshold(scores, failed, seed=seed) > 0
    assert 0.02 < shown / 400 <= DELTA + 0.03


def test_losses_between_0_and_1_keep_it_by_betting():
    rng = np.random.default_rng(2)

    def drawn():
        scores, failed = rows(300, rng)
        return scores, failed * rng.choice([0.5, 1.0], 300)

    chosen = np.array([threshold(*drawn(), grid=GRID) for _ in range(300)])
    assert (0.75 * chosen**2 / 6 > TARGET).mean() <= DELTA
    assert (chosen > 0.4).mean() > 0.8


def test_rows_in_groups_keep_it_where_rows_taken_as_independent_do_not():
    """Five copies of each row: the honest test sees groups, the other one five times too many rows."""
    rng = np.random.default_rng(3)
    honest, naive = [], []
    for _ in range(300):
        scores, failed = (np.repeat(column, 5) for column in rows(150, rng))
        units = np.repeat(np.arange(150), 5)
        honest.append(threshold(scores, failed, units=units, max_group_size=5, grid=GRID))
        naive.append(threshold(scores, failed, grid=GRID))
    missed = [(np.array(chosen) ** 2 / 6 > TARGET).mean() for chosen in (honest, naive)]
    assert missed[0] <= DELTA
    assert missed[1] > 2 * DELTA


def test_it_is_the_error_among_accepted_answers_that_is_kept():
    """All accepted and failed answers over all answers would keep the target where those over accepted ones do not."""
    rng = np.random.default_rng(4)
    scores = rng.random(20_000)
    failed = (rng.random(20_000) < 0.3 * (scores < 0.5)).astype(float)
    assert (failed * (scores <= 0.25)).mean() < 0.1
    with pytest.raises(Undefined, match=r"error of accepted answers within 0\.1"):
        accept_below(scores, failed, target=0.1, grid=[0.25, 0.5])
    assert (failed * (scores >= 0.2)).mean() < 0.1
    found = accept_below(-scores, failed, target=0.1, grid=[-0.75, -0.5, -0.4, -0.3, -0.2, 0.0])
    assert found.threshold == -0.3
    assert found.error.value == pytest.approx(0.06 / 0.7, abs=0.01)


def test_scores_fitted_to_the_same_rows_break_it():
    """Nearest neighbours know the failures of their own rows; of new ones they know nothing."""
    rng = np.random.default_rng(5)
    missed = {"same": 0, "other": 0}
    for _ in range(100):
        features, failed = rng.normal(size=(400, 20)), (rng.random(400) < 0.3).astype(float)
        fitted = _fitted_scores(features, failed, features[:200])
        missed["same"] += threshold(fitted, failed[:200], grid=GRID) > 0
        apart = _fitted_scores(features[200:], failed[200:], features[:200])
        missed["other"] += threshold(apart, failed[:200], grid=GRID) > 0
    assert missed["same"] == 100, "a rate of 0.3 whatever the score is never within 0.1"
    assert missed["other"] <= 10


def _fitted_scores(features, failed, asked):
    apart = ((asked[:, None] - features[None]) ** 2).sum(axis=2)
    return failed[np.argpartition(apart, 2, axis=1)[:, :2]].mean(axis=1)


def test_the_tests_are_exact_binomial_ones():
    scores, failed = rows(500, np.random.default_rng(6))
    p = Trials(scores, failed, None, 1).p_values(GRID, TARGET, DELTA, 0)
    for at, value in zip(GRID, p, strict=True):
        accepted = scores <= at
        test = stats.binomtest(int(failed[accepted].sum()), int(accepted.sum()), TARGET, alternative="less")
        assert value == pytest.approx(test.pvalue)


def test_the_walk_ends_at_the_first_threshold_that_fails():
    """Failures lie between 0.5 and 0.6: beyond, thresholds would pass again, and are not reached."""
    scores = np.linspace(0, 1, 4001)
    failed = ((scores > 0.5) & (scores < 0.6)).astype(float)
    found = accept_below(scores, failed, target=0.15, grid=[0.3, 0.5, 0.6, 0.99])
    assert found.threshold == 0.5
    shown = [(row[0], row[-1]) for row in found.tests.rows]
    assert shown == [(0.3, True), (0.5, True), (0.6, False), (0.99, False)]
    assert found.tests.rows[-1][-2] < 0.05


def test_what_is_said_about_a_threshold():
    scores, failed = rows(2000, np.random.default_rng(7))
    found = accept_below(scores, failed, target=TARGET, grid=GRID, scope="pump")
    accepted = scores <= found.threshold
    assert found.error.value == pytest.approx(failed[accepted].mean())
    assert found.error.upper(0.95) == TARGET
    assert found.coverage.value == pytest.approx(accepted.mean())
    assert found.coverage.lower(0.95) < found.threshold < found.coverage.upper(0.95)
    said = {assumption.id: assumption.text for assumption in found.error.assumptions}
    assert "calibrated mix of conditions" in said["calibrated-mix"]
    assert {"fitted-elsewhere", "thresholds-before-data", "independent-trials"} <= set(said)
    assert type(found.error).from_dict(found.error.to_dict()) == found.error


def test_without_a_score_nothing_is_accepted():
    scores, failed = rows(1000, np.random.default_rng(8))
    scores[:100], failed[:100] = np.nan, 1.0
    found = accept_below(scores, failed, target=TARGET, grid=GRID)
    assert list(found.accepts([np.nan, 0.0, found.threshold, 2.0])) == [False, True, True, False]
    assert found.coverage.value < 0.9
    with pytest.raises(Undefined, match="no row has a score"):
        accept_below(np.full(50, np.nan), np.zeros(50), target=TARGET)


def test_a_group_size_from_the_data_is_no_guarantee():
    scores, failed = rows(900, np.random.default_rng(9))
    found = accept_below(scores, failed, target=0.2, units=np.arange(900) // 3, grid=GRID)
    assert [bound.kind for bound in found.error.bounds] == ["heuristic"]
    assert [caveat.code for caveat in found.error.caveats] == ["weights-estimated"]


def test_what_makes_no_sense_is_refused():
    for options, words in [
        ({"target": 0.0}, "target must lie"),
        ({"target": 0.1, "delta": 1.0}, "delta must lie"),
        ({"target": 0.1, "grid": []}, "list of thresholds"),
        ({"target": 0.1, "units": [1, 2]}, "same length"),
        ({"target": 0.1, "units": [1, 1, 1], "max_group_size": 2}, "exceeds the stated"),
    ]:
        with told(options), pytest.raises(InvalidInput, match=words):
            accept_below([1.0, 2.0, 3.0], [0, 1, 0], **options)


def test_losses_outside_0_to_1_are_refused():
    with pytest.raises(InvalidInput, match=r"must lie in \[0, 1\]"):
        accept_below([1.0, 2.0], [0.0, 2.0], target=0.1)


def test_too_few_rows_are_told_how_many_are_needed():
    with pytest.raises(Undefined, match="About 300 new accepted rows"):
        accept_below(np.arange(10.0), np.zeros(10), target=0.01, grid=[5.0])


def test_a_system_is_guarded_by_what_was_learned_from_other_items(speech):
    measured = speech(900)
    model, found = accept_below_predicted(measured, limit=0.5, target=0.05)
    fresh = speech(4000, seed=77)
    accepted, failed = [], []
    for condition in fresh.conditions:
        mask = found.accepts(model.predict(fresh, condition))
        accepted.append(mask.mean())
        failed.append((fresh.errors(condition)[mask] > 0.5).sum() / mask.sum())
    shares = np.array(accepted)
    assert (np.array(failed) @ shares) / shares.sum() <= 0.05
    assert shares.mean() == pytest.approx(found.coverage.value, abs=0.08)
    assert found.error.bounds[0].kind == "confidence"
