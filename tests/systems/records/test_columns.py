"""Columns of recordings: what is read is what was written, for every kind of port."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from pyarrow import parquet
from tests.refusals import told

from surefoot import SurefootError
from surefoot.systems import records

TEXTS = st.text(st.characters(codec=None), max_size=6)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
FLAT = hnp.arrays(
    st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_]), st.integers(0, 5), fill=st.nothing()
)
ARRAYS = hnp.arrays(st.sampled_from([np.float64, np.float32, np.uint8]), hnp.array_shapes(min_dims=0, min_side=0))
PLAIN = st.recursive(
    st.booleans() | st.integers() | NUMBERS | TEXTS | ARRAYS | st.binary(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(TEXTS | st.integers() | st.just("$"), inner, max_size=3)
    ),
    max_leaves=6,
)
STRATEGIES = {
    "number": NUMBERS,
    "text": TEXTS,
    "vector": FLAT,
    "audio": FLAT,
    "array": ARRAYS,
    "image": ARRAYS,
    "boxes": hnp.arrays(np.float64, st.tuples(st.integers(0, 3), st.just(4))),
    "tracks": hnp.arrays(np.float64, st.tuples(st.integers(0, 3), st.just(6))),
    "label": TEXTS | st.integers() | st.booleans(),
    "any": PLAIN,
}


def through_a_file(column):
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table({"values": column}), sink)
    return parquet.ParquetFile(pa.BufferReader(sink.getvalue())).read()["values"]


def same(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, dict):
        return type(b) is dict and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("kind", STRATEGIES)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_what_is_read_is_what_was_written(kind, data):
    values = data.draw(st.lists(STRATEGIES[kind] | st.none(), min_size=1, max_size=5))
    found = records.values_of(kind, through_a_file(records.column_of(kind, values, where="test")))
    assert same(found, values)


@pytest.mark.parametrize("kind", ["array", "image", "any"])
@given(array=ARRAYS)
@settings(max_examples=12, deadline=None)
def test_arrays_keep_their_type(kind, array):
    (found,) = records.values_of(kind, through_a_file(records.column_of(kind, [array], where="test")))
    assert found.dtype == array.dtype


def test_numpy_scalars_come_back_as_plain_values():
    for kind in ["label", "any"]:
        for value in [np.float32(0.5), np.int8(3), np.bool_(True), np.float64(2), np.str_("x"), np.longdouble(3)]:
            with told((value, kind)):
                (found,) = records.values_of(kind, through_a_file(records.column_of(kind, [value], where="test")))
                assert found == value
                assert type(found) in (float, int, bool, str)


def test_vectors_of_types_that_parquet_lacks_keep_their_values():
    for dtype in [np.float16, ">f8", ">i4", np.longdouble]:
        with told(dtype):
            vectors = [np.array([1, 2.5, -3]).astype(dtype), None, np.array([], dtype)]
            found = records.values_of("vector", through_a_file(records.column_of("vector", vectors, where="test")))
            np.testing.assert_array_equal(found[0], vectors[0])
            assert found[1] is None
            assert found[2].shape == (0,)


def test_no_boxes_at_all_stay_no_boxes():
    found = records.values_of(
        "boxes", through_a_file(records.column_of("boxes", [[], np.zeros((0, 4)), None], where="test"))
    )
    assert [None if each is None else each.shape for each in found] == [(0,), (0, 4), None]


def test_a_column_may_have_nothing_but_gaps():
    for kind in STRATEGIES:
        assert (
            records.values_of(kind, through_a_file(records.column_of(kind, [None] * 3, where="test"))) == [None] * 3
        ), kind


def test_text_is_text_for_other_readers_too():
    assert records.column_of("text", ["a", None], where="test").type == pa.string()


@given(st.lists(st.none() | hnp.arrays(np.float64, 3), min_size=1, max_size=6), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_rows_of_numbers_come_back_with_nan_where_there_are_none(rows, skipped):
    column = through_a_file(records.matrix_of(rows, 3, where="test"))
    expected = np.array([np.full(3, np.nan) if row is None else row for row in rows])
    np.testing.assert_array_equal(records.rows_of(column), expected)
    np.testing.assert_array_equal(records.rows_of(column.slice(skipped)), expected[skipped:])


def test_several_chunks_are_one_matrix():
    whole = pa.chunked_array(
        [records.matrix_of([[1.0, 2.0], None], 2, where="t"), records.matrix_of([[3.0, 4.0]], 2, where="t")]
    )
    np.testing.assert_array_equal(records.rows_of(whole), [[1, 2], [np.nan, np.nan], [3, 4]])


def test_what_cannot_be_recorded_is_told():
    for write, said in [
        (lambda: records.matrix_of([[1.0], [1.0, 2.0]], 1, where="features of 'a'"), "features of 'a'.*widths 1, 2"),
        (lambda: records.matrix_of([[]], 0, where="features of 'a'"), "at least one"),
        (lambda: records.column_of("any", [object()], where="'a'"), "'a': the output cannot be recorded.*object"),
        (lambda: records.column_of("any", [np.array([object()])], where="'a'"), "cannot be recorded"),
    ]:
        with told(write), pytest.raises(SurefootError, match=said):
            write()
