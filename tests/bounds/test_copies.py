import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

import surefoot as sf
from surefoot.bounds import copies
from surefoot.bounds.copies import occurrences

DTYPES = ("f8", "f4", "f2", "i8", "u1", "?", "U3", "S5", "M8[s]")


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_distinct_rows_are_those_of_numpy(dtype, data):
    few = hnp.arrays(np.dtype(dtype), (2, 3)).filter(lambda a: a.dtype.kind != "M" or not np.isnat(a).any())
    table = data.draw(few)[data.draw(st.lists(st.integers(0, 1), min_size=1, max_size=6))]
    assert occurrences(table).first.size == len(np.unique(table, axis=0))


@pytest.mark.parametrize("columns", [2, 5, 200])
def test_wide_and_narrow_rows_are_counted_alike(columns):
    table = np.random.default_rng(0).integers(0, 2, (500, columns)).astype(float)
    table[::7] = table[0]
    table[1] = -table[0]
    assert occurrences(table).first.size == len(np.unique(table, axis=0))
    assert occurrences(np.asfortranarray(table)[::2]).first.size == len(np.unique(table[::2], axis=0))


def test_fingerprints_that_meet_by_chance_are_told_apart(monkeypatch):
    monkeypatch.setattr(copies, "_fingerprints", lambda table: np.zeros(len(table), dtype=np.uint64))
    table = np.arange(12).reshape(6, 2) // 4
    assert occurrences(table).first.size == len(np.unique(table, axis=0))


def test_fingerprints_of_whole_numbers_and_of_scores_do_not_meet():
    rng = np.random.default_rng(0)
    for table in (rng.integers(0, 256, (50_000, 8)).astype(float), rng.random((50_000, 2), dtype=np.float32)):
        assert np.unique(copies._fingerprints(table)).size == len(np.unique(table, axis=0))


def binary(rng, n):
    return rng.integers(0, 2, (n, 6)).astype(float)


def two_decimals(rng, n):
    return rng.normal(size=(n, 1)).round(2)


def at_rest(rng, n):
    return np.where(rng.random((n, 1)) < 0.03, 0, rng.normal(size=(n, 1)))


def settings_and_measurements(rng, n):
    rows, chosen = rng.normal(size=(n, 3)), rng.random(n) < 0.5
    rows[chosen] = rng.integers(0, 2, (chosen.sum(), 3))
    return rows


def one_hot(rng, n):
    return np.concatenate([np.eye(3)[rng.integers(0, 3, n)] for _ in range(4)], axis=1)


def logarithms_of_counts(rng, n):
    return np.log(rng.poisson(200, (n, 1)))


def words(rng, n):
    return np.array([f"w{k}" for k in rng.integers(0, 300, n)])


def mixed_types(rng, n):
    return np.hstack([binary(rng, n), rng.normal(size=(n, 2))])


def pixels(rng, n):
    mix = np.random.default_rng(1).normal(size=(8, 64))
    return np.clip(rng.normal(size=(n, 8)) @ mix * 40 + 128, 0, 255).round()


def statuses(make, n, repetitions=25):
    rng = np.random.default_rng(0)
    return [sf.bounds.duplicates(make(rng, n)).status for _ in range(repetitions)]


@pytest.mark.parametrize("n", [200, 2000])
@pytest.mark.parametrize(
    "make", [binary, two_decimals, at_rest, settings_and_measurements, one_hot, logarithms_of_counts, words]
)
def test_independent_rows_of_few_values_are_no_copies(make, n):
    assert statuses(make, n) == ["supported"] * 25


@pytest.mark.parametrize("n", [300, 2000])
@pytest.mark.parametrize("make", [lambda rng, n: rng.normal(size=(n, 4)), mixed_types, pixels])
def test_five_percent_of_copied_rows_are_found_in_rows_of_every_kind(make, n):
    def copied(rng, n):
        rows = make(rng, n)
        return np.concatenate([rows, rows[rng.choice(n, n // 20, replace=False)]])[rng.permutation(n + n // 20)]

    assert statuses(copied, n) == ["contradicted"] * 25


@pytest.mark.parametrize("make", [binary, two_decimals])
def test_rows_of_few_values_that_were_doubled_are_found_by_their_even_counts(make):
    assert statuses(lambda rng, n: np.tile(make(rng, n // 2), (2, 1)), 1000) == ["contradicted"] * 25


@pytest.mark.parametrize("mean", [0.01, 0.5, 2.0, 7.3, 40.0])
def test_no_poisson_count_is_divisible_more_often_than_is_allowed_for(mean):
    counts = np.arange(1, 300)
    given = stats.poisson.pmf(counts, mean) / -np.expm1(-mean)
    for fold, most in zip(range(2, copies.LARGEST_FOLD + 1), copies._divisible(), strict=True):
        assert given[fold - 1 :: fold].sum() <= most + 1e-4
    assert copies._divisible()[0] == pytest.approx(0.5)


def test_a_film_that_stands_still_is_told_from_a_sensor_at_rest():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 3))
    scattered, still = rows.copy(), rows.copy()
    scattered[rng.choice(400, 30, replace=False)] = 0
    still[100:130] = still[100]
    assert sf.bounds.duplicates(scattered).status == "supported"
    found = sf.bounds.duplicates(still)
    assert found.status == "contradicted"
    assert found.figures["copies"] == 29


def test_up_to_one_percent_of_copies_passes_whatever_the_rows():
    rows = np.random.default_rng(0).normal(size=(1000, 3))
    rows[:9] = rows[9:18]
    assert sf.bounds.duplicates(rows).status == "supported"
    rows[:40] = rows[40:80]
    assert sf.bounds.duplicates(rows).status == "contradicted"
