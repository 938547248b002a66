import numpy as np
import pytest
from scipy import stats

from surefoot.core import InvalidInput
from surefoot.metrics import tasks
from surefoot.systems import tables
from surefoot.systems.tables.inference import Blocks, bca, resampled


def successes(measured_of, done, of=1000, **more):
    columns = [np.column_stack([np.arange(of) < each, np.ones(of)]).astype(float) for each in done]
    return measured_of(statistics=columns, metric=tasks.success_rate(), **more)


@pytest.mark.parametrize(
    ("done", "drops"),
    [((705, 638, 603, 556), (9.5, 14.5, 21.1)), ((632, 565, 533, 502), (10.6, 15.7, 20.6))],
    ids=["configuration 1", "configuration 2"],
)
def test_drops_are_those_of_table_6_for_digits_to_words(measured_of, done, drops):
    found = tables.performance(successes(measured_of, done), draws=100)
    assert [round(100 * drop.drop, 1) for drop in found.drops[1:]] == list(drops)


def test_drops_are_those_of_table_7_for_reverb(measured_of):
    words = np.full(1000, 1.0)
    columns = [np.column_stack([np.arange(1000) < k, 0 * words, 0 * words, words]) for k in (212, 185, 334, 766)]
    found = tables.performance(
        measured_of(statistics=[c.astype(float) for c in columns], metric=tasks.wer()), draws=100
    )
    assert [round(100 * drop.drop, 1) for drop in found.drops[1:]] == [-12.7, 57.5, 261.3]


def test_the_metric_of_a_condition_is_that_of_its_raw_errors(measured_of):
    errors = np.random.default_rng(1).exponential(size=(4, 50))
    measured = measured_of(statistics=[np.column_stack([e**2, np.ones(50)]) for e in errors], metric=tasks.rmse())
    found = tables.performance(measured, draws=100)
    np.testing.assert_allclose([d.value for d in found.drops], np.sqrt((errors**2).mean(axis=1)))
    assert found[measured.conditions[2]].items == 50


def test_intervals_agree_with_the_bootstrap_of_scipy(measured_of):
    rng = np.random.default_rng(2)
    clean, worse = rng.gamma(2, size=400), rng.gamma(2, size=400) + 0.5
    found = tables.performance(measured_of([clean, worse]), draws=20_000)

    def drop(a, b, axis=-1):
        return b.mean(axis=axis) / a.mean(axis=axis) - 1

    theirs = stats.bootstrap((clean, worse), drop, paired=True, n_resamples=20_000, method="BCa", rng=rng)
    np.testing.assert_allclose(found.drops[1].drop_interval, theirs.confidence_interval, atol=0.006)
    alone = stats.bootstrap((worse,), np.mean, n_resamples=20_000, method="BCa", rng=rng)
    np.testing.assert_allclose(found.drops[1].interval, alone.confidence_interval, atol=0.006)


def test_intervals_of_drops_are_paired(measured_of):
    clean = np.random.default_rng(3).exponential(size=300)
    found = tables.performance(measured_of([clean, 2 * clean + 1e-6 * np.arange(300)]), draws=500)
    low, high = found.drops[1].drop_interval
    assert high - low < 1e-3 < np.ptp(found.drops[1].interval)


def drifting(rng, groups, size):
    """Errors that share a factor within a group; the mean drop is 1.5."""
    unit = np.repeat(np.arange(groups), size)
    shared = rng.gamma(4, 0.25, size=groups)[unit]
    clean = shared * rng.gamma(4, 0.25, size=unit.size)
    worse = 2 * shared * rng.gamma(4, 0.25, size=unit.size) + 0.5 * rng.gamma(4, 0.25, size=groups)[unit]
    return unit, clean, worse


def test_intervals_over_units_cover_the_truth_and_those_over_items_do_not(measured_of):
    rng, hits = np.random.default_rng(4), []
    for seed in range(200):
        unit, clean, worse = drifting(rng, 40, 8)
        by_unit, by_item = (
            tables.performance(measured_of([clean, worse], units=units), draws=400, seed=seed).drops[1]
            for units in (unit, None)
        )
        hits.append(
            [
                i[0] <= t <= i[1]
                for i, t in ((by_unit.drop_interval, 1.5), (by_unit.interval, 2.5), (by_item.interval, 2.5))
            ]
        )
    drop, value, over_items = np.mean(hits, axis=0)
    assert 0.89 <= drop <= 0.99
    assert 0.89 <= value <= 0.99
    assert over_items < 0.8


def test_items_without_an_answer_are_left_out_of_both_sides_and_counted(measured_of):
    clean, worse = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, np.nan, 6.0, 8.0])
    faults = [np.zeros(4, bool), np.array([False, True, False, False])]
    drop = tables.performance(measured_of([clean, worse], faults=faults), draws=100).drops[1]
    assert (drop.items, drop.left_out, drop.faults) == (3, 1, 1)
    assert drop.clean == pytest.approx(8 / 3)
    assert drop.drop == pytest.approx(1.0)


def test_a_condition_without_answers_is_undefined_and_says_why(measured_of):
    found = tables.performance(measured_of([np.ones(5), np.full(5, np.nan)]), draws=100)
    drop = found.drops[1]
    assert (drop.value, drop.interval, drop.drop, drop.drop_interval) == (None,) * 4
    assert "no item" in drop.why
    assert tables.as_in_paper(found).rows[1] == ("snow", "1", "-", "-")


def test_a_drop_from_nothing_is_undefined(measured_of):
    drop = tables.performance(measured_of([np.zeros(30), np.ones(30)]), draws=100).drops[1]
    assert drop.value == 1.0
    assert (drop.drop, drop.drop_interval) == (None, None)
    assert "clean is not above 0" in drop.why


def test_a_drop_whose_clean_value_often_vanishes_has_no_interval(measured_of):
    clean = np.zeros(30)
    clean[0] = 1.0
    drop = tables.performance(measured_of([clean, np.linspace(1, 2, 30)]), draws=400).drops[1]
    assert drop.drop == pytest.approx(44.0)
    assert drop.drop_interval is None
    assert drop.interval is not None


@pytest.mark.parametrize(("false_alarms", "drop"), [(95.0, None), (5.0, 0.25)], ids=["below 0", "above 0"])
def test_a_clean_mota_below_0_has_no_relative_drop(measured_of, false_alarms, drop):
    clean = np.tile([15.0, false_alarms, 0.0, 100.0], (20, 1))
    worse = np.tile([15.0, false_alarms + 20.0, 0.0, 100.0], (20, 1))
    found = tables.performance(measured_of(statistics=[clean, worse], metric=tasks.mota()), draws=100)
    assert found.drops[1].drop == (None if drop is None else pytest.approx(drop))
    assert (found.drops[1].why == "") == (drop is not None)


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_items_have_a_value(measured_of, n):
    drop = tables.performance(measured_of([np.arange(1.0, n + 1), np.arange(2.0, n + 2)]), draws=100).drops[1]
    assert drop.value == pytest.approx(np.arange(2.0, n + 2).mean())
    assert (drop.interval is None) == (n == 1)


def test_values_that_never_differ_have_no_interval(measured_of):
    drop = tables.performance(measured_of([np.ones(50), np.full(50, 2.0)]), draws=100).drops[1]
    assert (drop.drop, drop.drop_interval) == (1.0, None)


def test_few_units_are_mentioned(measured_of):
    units = np.arange(60) // 10
    notes = tables.performance(measured_of([np.arange(60.0), np.arange(60.0) ** 2], units=units), draws=100).notes
    assert "6 units" in notes[0]
    assert "too short" in notes[1]


def test_pooled_blocks_have_the_spread_of_units():
    rng = np.random.default_rng(6)
    rows = rng.exponential(size=(60_000, 1))
    blocks = Blocks.of(60_000, None, columns=1, rng=rng)
    assert (blocks.count, blocks.units) == (20_000, 60_000)
    sums = blocks.sums(rows, np.ones(60_000, bool))
    drawn = resampled(sums, draws=400, rng=rng)
    assert sums.sum() == pytest.approx(rows.sum())
    assert drawn.std() == pytest.approx(rows.std() * np.sqrt(60_000), rel=0.12)


def test_many_columns_make_fewer_blocks():
    blocks = Blocks.of(30_000, None, columns=5_000, rng=np.random.default_rng(0))
    assert blocks.count == 2_000


def test_undefined_draws_lie_beyond_either_end():
    drawn = np.append(np.linspace(0, 1, 95), np.full(5, np.nan))
    assert bca(0.5, drawn, np.linspace(0.49, 0.51, 1000), level=0.95) is None
    assert bca(0.5, drawn, np.linspace(0.49, 0.51, 1000), level=0.5) is not None


def test_systems_stand_side_by_side_as_in_the_paper(measured_of):
    several = tables.side_by_side(
        {"configuration 1": successes(measured_of, (705, 638)), "configuration 2": successes(measured_of, (632, 565))},
        draws=200,
    )
    table = tables.as_in_paper(several)
    assert table.columns[2:4] == ("configuration 1 success_rate", "configuration 1 drop (%)")
    assert table.rows == (("clean", "-", "0.705", "-", "0.632", "-"), ("snow", "1", "0.638", "9.5", "0.565", "10.6"))
    assert tables.as_in_paper(several, intervals=True).rows[1][3].startswith("9.5 [")


def test_a_table_has_plain_values_and_reads_back(measured_of):
    table = tables.performance(successes(measured_of, (705, 638)), draws=100).table
    assert table == type(table).from_dict(table.to_dict())
    assert table.rows[1][:3] == ("snow", 1, 0.638)


def test_too_few_draws_are_refused(measured_of):
    with pytest.raises(InvalidInput, match="draws"):
        tables.performance(measured_of([np.ones(3), np.ones(3)]), draws=5)


def test_the_same_seed_gives_the_same_intervals(two_modules):
    once, again = (tables.performance(two_modules(), draws=200, seed=9) for _ in range(2))
    assert once.drops == again.drops
