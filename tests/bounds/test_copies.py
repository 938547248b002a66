import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

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
