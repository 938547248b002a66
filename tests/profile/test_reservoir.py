"""What stays of a stream: at most so many rows, weighed so that they stand for all."""

import tracemalloc

import numpy as np
import pytest

from surefoot.profile import StreamingProfile


def filled(most, half_life, rows, seed=0, batch=50):
    stream = StreamingProfile(1.0, half_life=None if np.isinf(half_life) else half_life, most_points=most, seed=seed)
    for start in range(0, len(rows), batch):
        stream.update(rows[start : start + batch])
    return stream


def sample(stream):
    """The rows that stayed, and their shares of the weight."""
    profile = stream.profile()
    return profile.points, profile.weights / profile.weights.sum()


def numbered(count):
    return np.arange(count, dtype=float)[:, None]


def test_few_rows_all_stay_with_their_faded_weights():
    rows, weights = sample(filled(100, 10, numbered(60)))
    assert (rows[:, 0] == np.arange(60)).all()
    assert weights / weights[-1] == pytest.approx(0.5 ** ((59 - np.arange(60)) / 10))


@pytest.mark.parametrize("half_life", [30.0, 200.0, np.inf])
def test_weighted_sums_are_unbiased_and_as_exact_as_stated(half_life):
    """Share of the weight that the older half of the stream has, over many streams."""
    count, most = 600, 60
    truth = 0.5 ** ((count - 1 - np.arange(count)) / half_life)
    share = truth[: count // 2].sum() / truth.sum()
    found = []
    for seed in range(400):
        rows, weights = sample(filled(most, half_life, numbered(count), seed, batch=200))
        assert len(rows) == most
        found.append(weights[rows[:, 0] < count // 2].sum())
    assert abs(np.mean(found) - share) <= 4 * np.std(found) / np.sqrt(400) + share / most
    assert np.std(found) <= 1.1 * np.sqrt(share / (most - 1))


def test_batches_do_not_matter():
    one, other = sample(filled(40, 25, numbered(500), 3, 500)), sample(filled(40, 25, numbered(500), 3, 7))
    assert (one[0] == other[0]).all()
    assert one[1] == pytest.approx(other[1])


@pytest.mark.parametrize("half_life", [0.5, 5.0, 1e9])
def test_millions_of_rows_keep_weights_finite(half_life):
    rows = np.random.default_rng(0).random((20_000, 1))
    stream = filled(50, half_life, rows[:0])
    tracemalloc.start()
    for _ in range(200):
        stream.update(rows)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    found, weights = sample(stream)
    assert stream.rows == 4_000_000
    assert held < 1e6
    assert np.isfinite(weights).all()
    assert weights[-1] > 0
    assert len(found) == 50


def test_the_stream_may_change_its_own_array_afterwards():
    rows = numbered(5)
    stream = StreamingProfile(1.0, most_points=10).update(rows)
    rows[:] = -1
    assert (stream.profile().points[:, 0] == np.arange(5)).all()
