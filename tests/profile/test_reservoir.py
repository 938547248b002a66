import numpy as np
import pytest

from surefoot.profile.reservoir import Reservoir


def filled(most, half_life, rows, seed=0, batch=50):
    reservoir = Reservoir(most, half_life, seed)
    for start in range(0, len(rows), batch):
        reservoir.add(rows[start : start + batch])
    return reservoir


def numbered(count):
    return np.arange(count, dtype=float)[:, None]


def test_few_rows_all_stay_with_their_faded_weights():
    rows, weights = filled(100, 10, numbered(60)).sample()
    assert (rows[:, 0] == np.arange(60)).all()
    assert weights == pytest.approx(0.5 ** ((59 - np.arange(60)) / 10))


@pytest.mark.parametrize("half_life", [30.0, 200.0, np.inf])
def test_weighted_sums_are_unbiased_and_as_exact_as_stated(half_life):
    """Weight of the older half of the stream, over many streams."""
    count, most = 600, 60
    truth = 0.5 ** ((count - 1 - np.arange(count)) / half_life)
    total, old = truth.sum(), truth[: count // 2].sum()
    found = []
    for seed in range(800):
        rows, weights = filled(most, half_life, numbered(count), seed, batch=200).sample()
        assert len(rows) == most
        found.append(weights[rows[:, 0] < count // 2].sum())
    found = np.array(found)
    assert abs(found.mean() - old) <= 4 * found.std() / np.sqrt(found.size) + 1e-12
    assert found.std() / total <= 1.1 * np.sqrt(old / total / (most - 1))


def test_batches_do_not_matter():
    one, other = filled(40, 25, numbered(500), 3, 500).sample(), filled(40, 25, numbered(500), 3, 7).sample()
    assert (one[0] == other[0]).all()
    assert one[1] == pytest.approx(other[1])


def test_memory_stays_bounded():
    reservoir = filled(30, np.inf, numbered(5000))
    assert len(reservoir._rows) == 31


@pytest.mark.parametrize("half_life", [0.5, 5.0, 1e9])
def test_millions_of_rows_keep_weights_finite(half_life):
    rows = np.random.default_rng(0).random((20_000, 1))
    reservoir = Reservoir(50, half_life, 0)
    for _ in range(200):
        reservoir.add(rows)
    sample, weights = reservoir.sample()
    assert reservoir.seen == 4_000_000
    assert np.isfinite(weights).all()
    assert (weights >= 0).all()
    assert weights[-1] >= 0.1
    assert len(sample) == 50


def test_the_stream_may_change_its_own_array_afterwards():
    rows = numbered(5)
    reservoir = Reservoir(10, np.inf, 0)
    reservoir.add(rows)
    rows[:] = -1
    assert (reservoir.sample()[0][:, 0] == np.arange(5)).all()
