"""Evidence, arrays and looks come back as they were put, wherever the store lives."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import Artefact, DiagnosticsError, Evidence, InvalidInput, Table
from surefoot.project import Store
from tests.core.strategies import assumptions, estimates, names, plain, provenances
from tests.project.store.making import array_of, errors, evidence_of, filled, key_of, unused_memory_url
from tests.refusals import told

KEY = key_of("key")
ARRAYS = [
    np.arange(12.0).reshape(3, 4),
    np.asfortranarray(np.arange(12).reshape(3, 4)),
    np.arange(20)[::3],
    np.zeros((0, 3)),
    np.float32(0.5),
    np.array(["yes", "naïve"]),
    np.array([(1, 2.5)], dtype=[("n", "i4"), ("x", ">f8")]),
]
tables = st.integers(1, 3).flatmap(
    lambda width: st.builds(
        Table,
        st.lists(names, min_size=width, max_size=width).map(tuple),
        st.lists(st.tuples(*[plain] * width), max_size=3).map(tuple),
    )
)
evidences = st.builds(
    Evidence,
    st.lists(estimates, max_size=2, unique_by=lambda e: (e.quantity, e.scope)).map(tuple),
    st.dictionaries(names, tables, max_size=2),
    st.dictionaries(names, st.builds(Artefact, names, st.binary(max_size=50)), max_size=2),
    st.lists(assumptions, max_size=2).map(tuple),
    provenances,
)


@pytest.fixture(params=["folder", "memory URL", "memory"])
def location(request, tmp_path):
    choices = {"folder": tmp_path / "store", "memory URL": unused_memory_url(), "memory": None}
    return choices[request.param]


@pytest.fixture
def store(location):
    return Store.open(location)


def test_a_new_store_has_nothing(store):
    assert store.get(KEY) is None
    assert store.get_array(KEY) is None
    assert store.looks(KEY) == 0
    assert store.entries() == store.verify() == store.warnings == []


def test_evidence_comes_back_equal_to_the_last_bit(store):
    evidence = evidence_of("x")
    store.put(KEY, evidence, step="counted")
    again = store.get(KEY)
    assert again == evidence
    assert again.digest == evidence.digest
    assert again.estimates[0].value == evidence.estimates[0].value


@given(evidences)
@settings(max_examples=40, deadline=None)
def test_any_evidence_comes_back_equal(evidence):
    store = Store.open(None)
    store.put(KEY, evidence, step="any")
    again = store.get(KEY)
    assert again == evidence
    assert [*again.tables, *again.artefacts] == [*evidence.tables, *evidence.artefacts]
    assert store.verify() == []


def test_arrays_come_back_equal_and_read_only(store):
    for number, array in enumerate(ARRAYS):
        with told(array):
            key = key_of(number)
            store.put_array(key, array)
            again = store.get_array(key)
            np.testing.assert_array_equal(again, array, strict=True)
            assert not again.flags.writeable
    assert store.verify() == []


def test_arrays_of_a_folder_are_mapped_not_read(tmp_path):
    store = Store.open(tmp_path)
    store.put_array(KEY, array_of("x"))
    assert isinstance(store.get_array(KEY), np.memmap)


def test_an_array_of_objects_is_refused(store):
    with pytest.raises(InvalidInput, match="Python objects"):
        store.put_array(KEY, np.array([{}], dtype=object))
    assert list(store.place.names()) == []


def test_a_finished_file_is_adopted(store):
    path = store.scratch() / "scores.npy"
    np.save(path, array_of("x"))
    store.adopt_array(KEY, path)
    assert not path.exists()
    np.testing.assert_array_equal(store.get_array(KEY), array_of("x"))
    assert store.verify() == []


def test_an_array_that_is_there_already_is_adopted_again(store):
    store.put_array(KEY, array_of("x"))
    path = store.scratch() / "scores.npy"
    np.save(path, array_of("x"))
    store.adopt_array(key_of("other"), path)
    assert not path.exists()
    np.testing.assert_array_equal(store.get_array(key_of("other")), array_of("x"))


def test_a_file_that_is_no_array_is_not_adopted(store):
    for content in [b"", b"no array", b"\x93NUMPY\x01\x00"]:
        with told(content):
            path = store.scratch() / "scores.npy"
            path.write_bytes(content)
            with pytest.raises(InvalidInput, match=r"no \.npy file"):
                store.adopt_array(KEY, path)
            assert path.exists()
            assert store.get_array(KEY) is None


def test_a_file_that_is_not_there_is_not_adopted(store, tmp_path):
    with pytest.raises(DiagnosticsError, match="file-unreadable"):
        store.adopt_array(KEY, tmp_path / "nothing.npy")


def test_scratch_folders_are_new_each_time(store):
    first, second = store.scratch(), store.scratch()
    assert first != second
    assert first.is_dir()


def test_evidence_and_an_array_may_share_a_key(store):
    store.put(KEY, evidence_of("x"), step="s")
    store.put_array(KEY, array_of("x"))
    assert store.get(KEY) == evidence_of("x")
    np.testing.assert_array_equal(store.get_array(KEY), array_of("x"))


def test_putting_again_replaces(store):
    store.put(KEY, evidence_of("old"), step="s")
    store.put(KEY, evidence_of("new"), step="s")
    assert store.get(KEY) == evidence_of("new")
    assert [finding.severity for finding in store.verify()] == ["note"]


def test_putting_the_same_again_writes_nothing(tmp_path):
    store = filled(tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    filled(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
    assert store.verify() == []


def test_a_look_counts_once_however_often_it_is_taken(store):
    data = key_of("data")
    store.record_look(data, {"step": "a", "level": 0.95})
    store.record_look(data, {"level": 0.95, "step": "a"})
    assert store.looks(data) == 1
    store.record_look(data, {"step": "a", "level": 0.99})
    store.record_look(key_of("other data"), {"step": "a"})
    assert store.looks(data) == 2
    assert [look.number for look in store.ledger(data)] == [1, 2]
    assert store.record_look(data, {"step": "a", "level": 0.95}) == 1, "the same look keeps its number"


def test_iterations_are_numbered_by_project_and_come_back_in_order(store):
    for name in ("first", "second", "first"):
        store.record_iteration(key_of("one"), {"name": name, "bound": 1 / 3})
    assert store.record_iteration(key_of("other"), {}) == 1
    found = store.iterations(key_of("one"), lambda number, data: (number, data["name"], data["bound"]), most=9)
    assert found == [(1, "first", 1 / 3), (2, "second", 1 / 3), (3, "first", 1 / 3)]
    assert store.iterations(key_of("one"), lambda number, data: number, most=2) == [2, 3]
    assert store.verify() == []


def test_each_iteration_names_the_one_before(store):
    one = key_of("one")
    assert store.last_iteration(one) == ""
    heads = [store.record_iteration(one, {"created": day}) and store.last_iteration(one) for day in "abc"]
    links = store.chain(one)
    assert list(links) == heads
    assert [link.before for link in links.values()] == ["", *heads[:2]]
    assert [link.created for link in links.values()] == ["a", "b", "c"]


def test_an_iteration_that_is_gone_is_missed_by_the_next(tmp_path):
    store = Store.open(tmp_path / "store")
    for name in ("first", "second", "third"):
        store.record_iteration(key_of("one"), {"name": name})
    _, second, third = sorted((tmp_path / "store" / "iterations").glob("*/*"))
    second.unlink()
    (found,) = store.verify()
    assert (found.severity, Path(found.where).name) == ("warning", third.name)


def test_an_iteration_that_cannot_be_read_is_left_out_with_a_warning(store):
    store.record_iteration(key_of("one"), {"name": "first"})
    store.record_iteration(key_of("one"), {})

    def read(number, data):
        if "name" not in data:
            raise InvalidInput("an iteration has a name")
        return data["name"]

    assert store.iterations(key_of("one"), read, most=9) == ["first"]
    assert "no iteration that this version of Surefoot can read" in store.warnings[0].text


def test_entries_are_told_by_step_and_key(store):
    for name, step in [("1", "b"), ("2", "a"), ("3", "b")]:
        store.put(key_of(name), evidence_of(name), step=step)
    entries = store.entries()
    assert [entry.step for entry in entries] == ["a", "b", "b"]
    assert {entry.key: entry.digest for entry in entries} == {key_of(n): evidence_of(n).digest for n in "123"}
    assert all(entry.bytes > 100 for entry in entries)


def test_a_key_is_found_by_its_first_digits(store):
    for number in range(20):
        store.put(key_of(number), evidence_of(number), step="s")
    assert store.find(key_of(7)[:10]).key == key_of(7)
    with pytest.raises(DiagnosticsError, match=r"20 keys start with ''"):
        store.find("")
    with pytest.raises(DiagnosticsError, match="no key starts with 'xyz'"):
        store.find("xyz")


def test_a_key_that_is_no_hash_is_refused(store):
    calls = {
        "get": store.get,
        "put": lambda key: store.put(key, evidence_of("x"), step="s"),
        "put_array": lambda key: store.put_array(key, array_of("x")),
        "record_look": lambda key: store.record_look(key, {}),
        "looks": store.looks,
        "record_iteration": lambda key: store.record_iteration(key, {}),
        "iterations": lambda key: store.iterations(key, lambda number, data: number, most=1),
    }
    for key in ("", "short", "../" + "a" * 61, "A" * 64, "a" * 65, None):
        for name, call in calls.items():
            with told((name, key)), pytest.raises(InvalidInput, match="64 hexadecimal digits"):
                call(key)
    assert list(store.place.names()) == []


@pytest.mark.parametrize("start", ["", "file://", "memory://"])
def test_opened_again_a_store_has_what_was_put(tmp_path, start):
    location = f"{start}{tmp_path}"
    filled(location)
    again = Store.open(location)
    assert again.get(key_of("a")) == evidence_of("a")
    assert again.looks(key_of("data")) == 2
    assert errors(again) == []


def test_opening_makes_nothing(tmp_path):
    for location in (tmp_path / "new", f"file://{tmp_path}/new"):
        store = Store.open(location)
        assert (store.get(KEY), store.entries(), store.verify()) == (None, [], [])
    assert list(tmp_path.iterdir()) == []


def test_preparing_makes_the_store(tmp_path):
    Store.open(tmp_path / "new").prepare()
    assert [path.name for path in (tmp_path / "new").iterdir() if path.is_file()] == ["surefoot-store.json"]


def test_a_folder_and_its_url_are_one_store(tmp_path):
    filled(tmp_path)
    assert Store.open(f"file://{tmp_path}").get(key_of("a")) == evidence_of("a")


def test_what_other_processes_can_open_is_told(tmp_path):
    assert Store.open(tmp_path).shared_location == str(tmp_path)
    assert Store.open(f"file://{tmp_path}").shared_location == f"file://{tmp_path}"
    assert Store.open("memory://x").shared_location is Store.open(None).shared_location is None


def test_a_relative_folder_stays_where_it_was(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store.open("store")
    monkeypatch.chdir("/")
    store.put(KEY, evidence_of("x"), step="s")
    assert Store.open(tmp_path / "store").get(KEY) == evidence_of("x")


def test_the_order_of_tables_and_details_is_kept(store):
    table = Table(("x",), ((1,),))
    estimate = replace(evidence_of("x").estimates[0], details={"z": 1, "a": 2})
    store.put(KEY, Evidence((estimate,), {"second": table, "first": table}), step="s")
    assert list(store.get(KEY).tables) == ["second", "first"]
    assert list(store.get(KEY).estimates[0].details) == ["z", "a"]
