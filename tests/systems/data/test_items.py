"""Items: columns of any kind, cut and read when they are used, and told apart by their content."""

from __future__ import annotations

from collections import UserList

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.refusals import told

from surefoot import SurefootError
from surefoot.systems import Items


class Lazy:
    """A column on disk, as it were: it remembers what was read of it."""

    def __init__(self, count):
        self.count, self.read = count, []

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if isinstance(index, slice):
            self.read.append((index.start, index.stop))
            return [f"item {i}" for i in range(self.count)[index]]
        return f"item {range(self.count)[index]}"


def test_a_lazy_column_is_read_part_by_part_and_only_where_it_is_used():
    column = Lazy(1000)
    items = Items({"x": column}, truth=list(range(1000)))
    part = items.part(200, 300)
    assert column.read == []
    assert part.read()["x"] == [f"item {i}" for i in range(200, 300)]
    assert column.read == [(200, 300)]
    assert part.part(10, 20).read()["x"] == [f"item {i}" for i in range(210, 220)]
    assert column.read == [(200, 300), (210, 220)]


def test_a_memory_map_is_cut_without_a_copy(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(60).reshape(20, 3))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    part = Items({"x": mapped}).part(5, 7)
    assert np.shares_memory(part.inputs["x"], mapped)
    np.testing.assert_array_equal(part.read()["x"], [[15, 16, 17], [18, 19, 20]])


@given(st.integers(1, 30), st.data())
@settings(max_examples=25, deadline=None)
def test_a_window_is_what_slicing_a_list_gives(count, data):
    start = data.draw(st.integers(0, count - 1))
    stop = data.draw(st.integers(start + 1, count))
    column = UserList(range(count))
    window, expected = Items({"x": column}).part(start, stop).inputs["x"], list(range(count))[start:stop]
    index = data.draw(st.slices(stop - start))
    assert list(window[index]) == expected[index]
    assert list(window) == expected
    for place in range(-len(expected), len(expected)):
        assert window[place] == expected[place]
    with pytest.raises(IndexError):
        window[len(expected)]


def test_parts_keep_the_names_of_their_items():
    named, numbered = Items({"x": ["a", "b"]}, names=["first", "second"]), Items({"x": list("abcdef")})
    assert named.part(1, 2).name_of(0) == "second"
    assert [numbered.part(2, 6).part(1, 3).name_of(i) for i in (0, 1)] == ["3", "4"]


@pytest.mark.parametrize("stop", [5, 99])
def test_the_last_part_ends_with_the_items(stop):
    items = Items({"x": np.arange(5), "y": Lazy(5)}, truth=list("abcde"))
    part = items.part(3, stop)
    assert len(part) == len(part.truth) == len(part.read()["y"]) == 2


def test_groups_become_numbers_from_0():
    for groups in [["b", "a", "b"], np.array([7, 3, 7]), [(1, "x"), None, (1, "x")], UserList(["b", "c", "b"])]:
        with told(groups):
            assert Items({"x": [1, 2, 3]}, groups=groups).units.tolist() == [0, 1, 0]
            assert Items({"x": [1, 2, 3]}).units is None


VALUES = [
    [1, 23],
    [12, 3],
    [1.0, 23],
    ["1", "23"],
    ["12", "3"],
    [None, 23],
    [(1, 23)],
    [[1, 23]],
    [[1], [23]],
    [{"a": 1}],
    [{1: 1}],
    [{"1": 1}],
    [True, 23],
    ["a\ud800"],
    ["a\ud801"],
    [b"a"],
    [np.zeros(2)],
    [np.zeros((2, 1))],
    [np.zeros(2, np.float32)],
    [np.zeros(3000)],
    [np.where(np.arange(3000) == 1500, 1.0, 0.0)],
    [{"a": np.zeros(3000)}],
    [{"a": np.where(np.arange(3000) == 1500, 1.0, 0.0)}],
    np.array([1, 23]),
    np.array([[1, 23]]),
    np.array([np.nan, 1.0]),
    np.array(["x", None], dtype=object),
    np.array(["x", "y"], dtype=object),
]


def test_columns_of_different_content_have_different_digests():
    digests = [Items({"x": values}).digest for values in VALUES]
    assert len(set(digests)) == len(VALUES)
    assert digests == [Items({"x": values}).digest for values in VALUES]


def test_the_digest_follows_inputs_and_names_and_not_how_they_are_kept():
    texts = ["a", "b", "c"]
    items = Items({"x": texts})
    assert items.digest == Items({"x": UserList(texts)}).digest
    assert items.digest != Items({"y": texts}).digest
    assert items.digest != Items({"x": texts}, names=["p", "q", "r"]).digest
    assert Items({"x": texts[:2]}).digest != Items({"x": texts}).part(1, 3).digest


def test_wrong_columns_are_told():
    for build, said in [
        (lambda: Items({}), "at least one item"),
        (lambda: Items({"x": []}), "at least one item"),
        (lambda: Items({"x": [1, 2], "y": [1]}), "different lengths"),
        (lambda: Items({"x": [1, 2]}, truth=[1]), "different lengths"),
        (lambda: Items({"x": "abc"}), "must be a column; found str"),
        (lambda: Items({"x": iter([1])}), "must be a column"),
        (lambda: Items({"x": [1, 2]}, groups=[["a"], ["b"]]).units, "groups must be names"),
    ]:
        with told(build), pytest.raises(SurefootError, match=said):
            build()
