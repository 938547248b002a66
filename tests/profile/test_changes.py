import matplotlib as mpl
import numpy as np
import pytest

from surefoot.core import InvalidInput
from surefoot.profile import ChangeAlarm
from surefoot.profile.stream import BETS, Capital, log_bets, log_share

mpl.use("Agg")


def calm(rng, rows, features=2):
    return rng.normal(size=(rows, features))


def delays(change, *, reps=10, quiet=500, features=2):
    found = []
    for seed in range(reps):
        rng = np.random.default_rng(seed)
        alarm = ChangeAlarm(calm(rng, 600, features), seed=seed)
        assert not alarm.update(calm(rng, quiet, features)).alarmed
        state = alarm.update(change(rng))
        found.append(state.row - quiet if state.alarmed else np.inf)
    return np.array(found)


def test_false_alarms_stay_below_alpha_over_whole_streams():
    alarms = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        alarms += (
            ChangeAlarm(rng.standard_t(3, (80, 2)), alpha=0.1, seed=seed).update(rng.standard_t(3, (600, 2))).alarmed
        )
    assert alarms <= 200 * 0.1 + 3 * np.sqrt(200 * 0.1 * 0.9)


def test_capital_of_uniform_numbers_seldom_reaches_its_inverse_chance():
    p = np.random.default_rng(0).random((1500, 200))
    best = np.array([Capital().play(row).max() for row in p])
    for alpha in (0.3, 0.1, 0.02):
        assert np.mean(best >= -np.log(alpha)) <= alpha + 3 * np.sqrt(alpha / 1500)


def test_expected_capital_stays_one():
    grid = (np.arange(80) + 0.5) / 80
    capital = [Capital().play(np.array([a, b]))[-1] for a in grid for b in grid]
    assert np.exp(capital).mean() == pytest.approx(1, abs=0.03)


def test_each_bet_is_fair():
    p = (np.arange(2_000_000) + 0.5) / 2_000_000
    assert np.exp(log_bets(p)).mean(axis=0) == pytest.approx(np.ones(BETS), abs=0.02)


def test_shares_of_all_rows_and_of_waiting_add_to_one():
    rows = np.arange(100_000, dtype=float)
    waiting = 1 / np.log(100_000 + np.e)
    assert np.exp(log_share(rows)).sum() + waiting == pytest.approx(1)


def test_capital_does_not_depend_on_the_batches():
    p = np.random.default_rng(1).beta(0.7, 1, 300)
    whole, parts = Capital(), Capital()
    at_once = whole.play(p)
    assert np.concatenate([parts.play(part) for part in np.split(p, [1, 50, 211])]) == pytest.approx(at_once)
    assert whole.since == parts.since


def test_capital_equals_a_plain_sum_over_all_times_of_change():
    p = np.random.default_rng(2).random(40) ** 1.5
    paid = np.exp(log_bets(p))
    shares = np.exp(log_share(np.arange(40.0)))
    bets = [shares[t] * paid[t:].prod(axis=0).mean() for t in range(40)]
    assert np.exp(Capital().play(p)[-1]) == pytest.approx(sum(bets) + 1 / np.log(40 + np.e))


def test_the_evidence_of_short_streams_without_change_is_one_on_average():
    values = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        values.append(ChangeAlarm(rng.normal(size=(60, 1)), seed=seed).update(rng.normal(size=(12, 1))).value)
    # The larger of two capitals, halved: between a half and all of their mean, which is 1.
    assert 0.5 < np.mean(values) < 1 + 3 * np.std(values) / 20


def test_p_values_are_ranks_among_all_before_with_ties_split_at_random():
    """Rows beyond all before are alike by both scores: the k-th has 30 smaller ones or none, and k equal ones."""
    found = ChangeAlarm(np.tile([0.0, 1.0], 30)[:, None]).update(2.0 + np.arange(12.0)[:, None]).value
    rng, k = np.random.default_rng(0), np.arange(1, 13)
    rng.permutation(60)
    ties = rng.random((12, 2)) * k[:, None]
    far, right, left = ((smaller + ties[:, i]) / (30 + k) for smaller, i in ((30, 0), (30, 1), (0, 1)))
    values = [np.exp(Capital().play(p)[-1]) / 2 for p in (far, right, left)]
    # The direction of the principal axis is free.
    assert found == pytest.approx(max(values[0], values[1])) or found == pytest.approx(max(values[0], values[2]))


@pytest.mark.parametrize(("shift", "within"), [(1.0, 120), (2.0, 40)])
def test_a_sudden_shift_is_found_soon(shift, within):
    found = delays(lambda rng: calm(rng, 400) + np.array([shift, 0]))
    assert np.median(found) < within
    assert np.isfinite(found).all()


def test_a_change_of_spread_is_found():
    assert np.median(delays(lambda rng: 2 * calm(rng, 400))) < 100
    assert np.median(delays(lambda rng: 0.4 * calm(rng, 400))) < 150


def test_a_change_between_groups_of_equal_density_is_found():
    rng = np.random.default_rng(4)

    def groups(rows, share):
        return np.where(rng.random(rows) < share, 3.0, -3.0)[:, None] + 0.3 * rng.normal(size=(rows, 1))

    alarm = ChangeAlarm(groups(500, 0.5))
    assert not alarm.update(groups(300, 0.5)).alarmed
    assert alarm.update(groups(300, 0.9)).alarmed


def test_a_long_calm_costs_little_delay():
    found = delays(lambda rng: calm(rng, 400) + np.array([1.0, 0]), quiet=10_000, reps=3)
    assert np.median(found) < 150


def test_the_time_of_change_is_told():
    rng = np.random.default_rng(5)
    alarm = ChangeAlarm(calm(rng, 600))
    state = alarm.update(np.concatenate([calm(rng, 1000), calm(rng, 300) + 1.5]))
    assert state.row > 1000
    assert abs(state.since - 1000) < 25


def test_an_alarm_stays_and_keeps_its_row():
    rng = np.random.default_rng(6)
    alarm = ChangeAlarm(calm(rng, 200))
    first = alarm.update(calm(rng, 200) + 3)
    later = alarm.update(calm(rng, 500))
    assert first.alarmed
    assert later.alarmed
    assert (later.row, later.since, later.rows) == (first.row, first.since, 700)
    assert "alarmed at row" in repr(alarm)


def test_memory_does_not_grow():
    rng = np.random.default_rng(7)
    alarm = ChangeAlarm(calm(rng, 100))
    for _ in range(30):
        alarm.update(calm(rng, 500))
    assert len(alarm.snapshot()["history"]) <= 1024
    assert alarm.state.rows == 15_000


def test_plot_shows_the_evidence_the_level_and_the_alarm():
    rng = np.random.default_rng(8)
    alarm = ChangeAlarm(calm(rng, 200))
    alarm.update(np.concatenate([calm(rng, 200), calm(rng, 100) + 2]))
    axes = alarm.plot()
    evidence, level, row = axes.lines
    assert set(level.get_ydata()) == {2.0}
    assert set(row.get_xdata()) == {alarm.state.row}
    assert evidence.get_ydata()[evidence.get_xdata() == 300][0] == pytest.approx(np.log10(alarm.state.value))
    mpl.pyplot.close(axes.figure)


@pytest.mark.parametrize(
    ("reference", "batch", "message"),
    [
        (np.zeros((10, 2)), None, "at least 40 rows"),
        (np.random.default_rng(0).random((50, 2)), np.zeros((5, 3)), "2 features"),
        (np.random.default_rng(0).random((50, 2)), np.full((5, 2), np.nan), "finite"),
    ],
)
def test_bad_input_is_refused(reference, batch, message):
    with pytest.raises(InvalidInput, match=message):
        ChangeAlarm(reference).update(batch)


def test_a_constant_reference_notices_another_value():
    alarm = ChangeAlarm(np.ones((60, 2)))
    assert not alarm.update(np.ones((300, 2))).alarmed
    assert alarm.update(np.full((300, 2), 2.0)).alarmed
