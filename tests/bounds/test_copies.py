import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import surefoot as sf

DTYPES = ("f8", "f4", "f2", "i8", "u1", "?", "U3", "S5", "M8[s]")


def distinct(table):
    return sf.bounds.duplicates(table).figures["distinct"]


@pytest.mark.parametrize("dtype", DTYPES)
@given(data=st.data())
def test_distinct_rows_are_those_of_numpy(dtype, data):
    known = hnp.from_dtype(np.dtype(dtype), allow_nan=False) if dtype.startswith("M") else None
    few = data.draw(hnp.arrays(np.dtype(dtype), (2, 3), elements=known))
    table = few[data.draw(st.lists(st.integers(0, 1), min_size=1, max_size=6))]
    assert distinct(table) == len(np.unique(table, axis=0))


def test_wide_and_narrow_rows_are_counted_alike():
    for columns in (2, 5, 200):
        table = np.random.default_rng(0).integers(0, 2, (500, columns)).astype(float)
        table[::7] = table[0]
        table[1] = -table[0]
        assert distinct(table) == len(np.unique(table, axis=0)), columns
        assert distinct(np.asfortranarray(table)[::2]) == len(np.unique(table[::2], axis=0)), columns


def test_rows_of_one_fingerprint_are_told_apart():
    """Rows are mixed column by column with an odd factor: one more column makes two of them meet."""
    odd, shift, first, second = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(5), np.uint64(9)
    with np.errstate(over="ignore"):
        marks = [number * odd for number in (first, second)]
    one, other = (mark ^ (mark >> shift) for mark in marks)
    table = np.array([[first, 0], [second, one ^ other], [7, 7], [first, 0]], dtype=np.uint64)
    assert distinct(table) == 3
    assert distinct(np.array([["", ""], ["", ""]])) == 1


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


@pytest.mark.parametrize(
    "make", [binary, two_decimals, at_rest, settings_and_measurements, one_hot, logarithms_of_counts, words]
)
def test_independent_rows_of_few_values_are_no_copies(make):
    for n in (200, 2000):
        assert statuses(make, n) == ["supported"] * 25, n


@pytest.mark.parametrize("make", [lambda rng, n: rng.normal(size=(n, 4)), mixed_types, pixels])
def test_five_percent_of_copied_rows_are_found_in_rows_of_every_kind(make):
    for n in (300, 2000):

        def copied(rng, n):
            rows = make(rng, n)
            return np.concatenate([rows, rows[rng.choice(n, n // 20, replace=False)]])[rng.permutation(n + n // 20)]

        assert statuses(copied, n) == ["contradicted"] * 25, n


@pytest.mark.parametrize("make", [binary, two_decimals])
def test_rows_of_few_values_that_were_doubled_are_found_by_their_even_counts(make):
    assert statuses(lambda rng, n: np.tile(make(rng, n // 2), (2, 1)), 1000) == ["contradicted"] * 25


def test_rows_that_occur_as_often_as_poisson_counts_are_no_copies():
    for mean in (0.5, 2.0, 7.3, 40.0):
        found = statuses(lambda rng, n, mean=mean: rng.integers(0, round(n / mean), n), 1000)
        assert found == ["supported"] * 25, mean


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
