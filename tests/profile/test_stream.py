import numpy as np
import pytest
from sklearn.neighbors import KernelDensity

from surefoot.core import InvalidInput, Undefined
from surefoot.profile import KDE, ChangeAlarm, StreamingProfile

QUERIES = np.linspace(-3, 3, 7)[:, None]


def rows(count, seed=0, features=1):
    return np.random.default_rng(seed).normal(size=(count, features))


def test_without_forgetting_it_is_the_density_of_all_rows():
    stream = StreamingProfile(0.4)
    for part in np.split(rows(300), [10, 100, 250]):
        stream.update(part)
    truth = KernelDensity(bandwidth=0.4).fit(rows(300)).score_samples(QUERIES)
    assert stream.profile().score_samples(QUERIES) == pytest.approx(truth)
    assert stream.effective_rows == pytest.approx(300)


def test_rows_lose_half_their_weight_every_half_life():
    stream = StreamingProfile(0.4, half_life=50).update(rows(300))
    faded = 0.5 ** (np.arange(300)[::-1] / 50)
    truth = KernelDensity(bandwidth=0.4).fit(rows(300), sample_weight=faded).score_samples(QUERIES)
    assert stream.profile().score_samples(QUERIES) == pytest.approx(truth)
    assert stream.effective_rows == pytest.approx(faded.sum() ** 2 / (faded**2).sum())


def test_few_points_stand_for_a_long_stream():
    data = rows(20_000)
    faded = 0.5 ** (np.arange(20_000)[::-1] / 4000)
    lower, upper = np.array([[0.5]]), np.array([[1.5]])
    truth = KDE(0.3).fit(data, weights=faded).cell_mass(lower, upper)[0]
    found = []
    for seed in range(20):
        stream = StreamingProfile(0.3, half_life=4000, most_points=400, seed=seed)
        for part in np.split(data, 10):
            stream.update(part)
        assert len(stream.profile().points) == 400
        found.append(stream.profile().cell_mass(lower, upper)[0])
    stated = np.sqrt(truth / 399)
    assert abs(np.mean(found) - truth) < 4 * stated / np.sqrt(20)
    assert np.std(found) < 1.3 * stated


def test_after_a_change_the_old_fades_away():
    stream = StreamingProfile(0.3, half_life=100, most_points=500)
    stream.update(rows(2000)).update(rows(100, 1) + 20)
    halfway = stream.profile().cell_mass([[10.0]], [[30.0]])[0]
    stream.update(rows(900, 2) + 20)
    assert halfway == pytest.approx(0.5, abs=0.01)
    assert stream.profile().cell_mass([[10.0]], [[30.0]])[0] == pytest.approx(1 - 2**-10, abs=1e-3)


def test_an_earlier_profile_does_not_change_with_the_stream():
    stream = StreamingProfile(0.4).update(rows(50))
    early = stream.profile()
    before = early.score_samples(QUERIES)
    stream.update(rows(500, 1) + 3)
    assert (early.score_samples(QUERIES) == before).all()
    assert stream.rows == 550


def test_profile_and_alarm_share_a_stream():
    alarm, stream = ChangeAlarm(rows(400, 1, 2)), StreamingProfile(0.3, half_life=1000)
    for seed in range(2, 6):
        batch = rows(200, seed, 2) + (2.0 if seed == 5 else 0.0)
        stream.update(batch)
        if alarm.update(batch).alarmed:
            stream = StreamingProfile(0.3, half_life=1000).update(batch[alarm.state.row - alarm.state.rows :])
    assert alarm.state.alarmed
    assert alarm.state.row >= 600
    assert stream.profile().points.mean() > 1.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StreamingProfile(0.3, half_life=0), "half_life"),
        (lambda: StreamingProfile(0.3, most_points=1), "most_points"),
        (lambda: StreamingProfile(0.3).update(rows(3)).update(rows(3, features=2)), "1 features"),
        (lambda: StreamingProfile(0.3).update([[np.nan]]), "finite"),
        (lambda: StreamingProfile(-1.0).update(rows(3)).profile(), "bandwidth"),
        (lambda: StreamingProfile(0.3, kernel="square"), "kernel"),
    ],
)
def test_bad_input_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_no_rows_have_no_profile():
    with pytest.raises(Undefined, match="no rows"):
        StreamingProfile(0.3).profile()
