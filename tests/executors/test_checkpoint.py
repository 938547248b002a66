"""An interrupted job goes on where it was, with the results it would have had."""

import sys
import zipfile
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import Executor, InvalidInput
from surefoot.executors import Checkpointed, Dask, Processes, Serial, WithProgress

TASKS = [(i, np.arange(i)) for i in range(8)]


@dataclass(frozen=True)
class Found:
    counts: np.ndarray
    note: str


def work(task, rng):
    number, array = task
    return Found(rng.integers(100, size=3) + array.sum(), f"task {number}"), {"share": rng.random(), "none": None}


class Interrupted(Exception):
    pass


def interrupt_at(number):
    def progress(done, total):
        if done == number:
            raise Interrupted

    return progress


def plain(results):
    return [(found.counts.tolist(), found.note, extra) for found, extra in results]


def tracing(folder):
    """The same work, with a file for every task that really runs; works in other processes too."""

    def traced(task, rng):
        (folder / f"ran-{task[0]}").touch()
        return rng.random(4), task[0]

    return traced


def ran(folder):
    """Numbers of the tasks that ran; workers may still be at some when the caller is interrupted."""
    return {int(path.name.split("-")[1]) for path in folder.glob("ran-*")}


@pytest.fixture(params=["serial", "processes", "dask"])
def executor(request):
    if request.param != "dask":
        yield Serial() if request.param == "serial" else Processes(2)
        return
    distributed = pytest.importorskip("distributed", reason="the dask extra is not installed")
    with (
        distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield Dask(client)


def test_results_are_those_of_the_executor_inside(tmp_path):
    kept = Checkpointed(Serial(), tmp_path)
    assert isinstance(kept, Executor)
    expected = plain(Serial().map(work, TASKS, seed=3))
    assert plain(kept.map(work, TASKS, seed=3)) == expected
    assert plain(Checkpointed(Serial(), tmp_path).map(work, TASKS, seed=3)) == expected


def test_after_an_interruption_only_the_missing_tasks_run_and_nothing_changes(executor, tmp_path):
    folder, traces = tmp_path / "kept", tmp_path / "first"
    traces.mkdir()
    with pytest.raises(Interrupted):
        Checkpointed(executor, folder).map(tracing(traces), TASKS, seed=5, progress=interrupt_at(3))
    traces = tmp_path / "later"
    traces.mkdir()

    seen = []
    results = Checkpointed(executor, folder).map(tracing(traces), TASKS, seed=5, progress=lambda *at: seen.append(at))

    assert ran(traces) == {3, 4, 5, 6, 7}
    assert seen == [(i + 1, 8) for i in range(8)]
    for (numbers, task), (expected, _) in zip(results, Serial().map(tracing(traces), TASKS, seed=5), strict=True):
        np.testing.assert_array_equal(numbers, expected)
        assert TASKS[task][0] == task


def test_a_second_map_call_an_other_seed_and_changed_tasks_are_not_taken_for_the_first(tmp_path):
    first = Checkpointed(Serial(), tmp_path)
    once, again = first.map(work, TASKS, seed=1), first.map(work, TASKS, seed=2)
    assert plain(again) == plain(Serial().map(work, TASKS, seed=2)) != plain(once)
    changed = [(i, np.arange(i) + 1.0) for i, _ in TASKS]
    resumed = Checkpointed(Serial(), tmp_path)
    assert plain(resumed.map(work, changed, seed=1)) == plain(Serial().map(work, changed, seed=1)) != plain(once)
    assert plain(resumed.map(work, TASKS, seed=2)) == plain(again)


def test_two_map_calls_with_the_same_tasks_keep_apart_what_their_functions_carry(tmp_path):
    def times(factor):
        return lambda task, rng: factor * task

    kept = Checkpointed(Serial(), tmp_path)
    assert kept.map(times(2), [1, 2], seed=0) == [2, 4]
    assert kept.map(times(3), [1, 2], seed=0) == [3, 6]


@pytest.mark.parametrize("damage", [b"", b"no zip", None], ids=["empty", "foreign", "cut off"])
def test_a_damaged_file_is_computed_again_and_repaired(tmp_path, damage):
    Checkpointed(Serial(), tmp_path).map(work, TASKS, seed=1)
    files = sorted(tmp_path.iterdir())
    content = files[0].read_bytes()
    files[0].write_bytes(content[:-30] if damage is None else damage)
    assert plain(Checkpointed(Serial(), tmp_path).map(work, TASKS, seed=1)) == plain(Serial().map(work, TASKS, seed=1))
    assert zipfile.is_zipfile(files[0])
    assert sorted(tmp_path.iterdir()) == files


def keep(folder, value=None):
    """What is kept of a value; without one, what was kept, and an error where it would be computed again."""
    values = [] if value is None else [value]

    def given(task, rng):
        return values.pop()

    (found,) = Checkpointed(Serial(), folder).map(given, [0], seed=0)
    return found


def kept_again(value):
    with TemporaryDirectory() as folder:
        keep(folder, (value,))
        (back,) = keep(folder)
    return back


def test_a_flipped_bit_is_noticed(tmp_path):
    keep(tmp_path, np.arange(1000.0))
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(IndexError):
        keep(tmp_path)


def test_results_that_cannot_be_kept_are_computed_again(tmp_path):
    def odd(task, rng):
        return {task, rng.integers(10**9)}

    first = Checkpointed(Serial(), tmp_path).map(odd, [1, 2], seed=0)
    assert list(tmp_path.iterdir()) == []
    assert Checkpointed(Serial(), tmp_path).map(odd, [1, 2], seed=0) == first


def test_a_folder_that_cannot_be_made_is_an_error_that_names_it(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInput, match=r"Checkpointed: .*file"):
        Checkpointed(Serial(), tmp_path / "file" / "below")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
@settings(max_examples=25, deadline=None)
def test_nested_values_come_back_with_their_types(value):
    assert repr(kept_again(value)) == repr(value)


def test_arrays_come_back_with_type_and_shape():
    arrays = {
        "empty": np.zeros((0, 3), np.uint8),
        "text": np.array(["a", "bc"]),
        "special": np.array([np.nan, np.inf]),
        "scalar": np.float32(1.5),
        "no dimensions": np.array(True),
        "columns first": np.asfortranarray(np.arange(6).reshape(2, 3)),
    }
    for name, array in arrays.items():
        back, part = kept_again((array, slice(1, 2)))
        assert (type(back), back.dtype, part) == (type(array), array.dtype, slice(1, 2)), name
        np.testing.assert_array_equal(back, array, err_msg=name)


def test_a_class_that_is_not_loaded_is_not_imported(tmp_path):
    keep(tmp_path, Found(np.arange(2), "x"))
    (path,) = tmp_path.iterdir()
    with np.load(path) as members:
        content = dict(members)
    content["structure"] = np.array(str(content["structure"]).replace(Found.__module__, "antigravity"))
    np.savez(path, **content)
    with pytest.raises(IndexError):
        keep(tmp_path)
    assert "antigravity" not in sys.modules


@pytest.mark.parametrize("inner", [Serial(), Processes(2)], ids=repr)
def test_watching_tells_of_every_map_call_besides_the_caller(inner, tmp_path):
    told, seen = [], []
    watched = WithProgress(Checkpointed(inner, tmp_path), lambda *at: told.append(at))
    expected = plain(Serial().map(work, TASKS, seed=0))
    assert plain(watched.map(work, TASKS, seed=0, progress=lambda *at: seen.append(at))) == expected
    watched.map(work, TASKS[:2], seed=0)
    assert seen == [(i + 1, 8) for i in range(8)]
    assert told == [*seen, (1, 2), (2, 2)]
