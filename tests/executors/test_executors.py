"""Results, keys and digests do not depend on where the work runs."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from surefoot.core import Executor, InvalidInput, MissingExtra
from surefoot.executors import Dask, Processes, Serial

TASKS = list(range(24))


def both_fail(pause=0.0):
    """A task that draws, multiplies matrices and propagates; nested, so that workers get it by value."""

    def work(task, rng):
        import time

        import surefoot as sf

        time.sleep(pause)
        matrix = rng.normal(size=(60, 60))
        failures = int(np.abs(matrix @ matrix).sum()) % 50
        a = sf.bounds.jeffreys(failures, 1000, level=0.95, scope=f"a{task}")
        b = sf.bounds.jeffreys(int(rng.integers(50)), 1000, level=0.95, scope=f"b{task}")
        return sf.propagate(lambda a, b: a * b, {"a": a, "b": b}, quantity="both fail", seed=task, draws=500)

    return work


def ids(estimates):
    return [(e.key, e.digest) for e in estimates]


@pytest.fixture(scope="module")
def serial_ids():
    return ids(Serial().map(both_fail(), TASKS, seed=7))


@pytest.fixture
def two_worker_cluster():
    distributed = pytest.importorskip("distributed", reason="the dask extra is not installed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


def test_tasks_get_different_generators(serial_ids):
    assert len(set(serial_ids)) == len(TASKS)


def test_processes_give_the_keys_and_digests_of_serial(serial_ids):
    assert ids(Processes(2).map(both_fail(), TASKS, seed=7)) == serial_ids


def test_dask_gives_the_keys_and_digests_of_serial_by_client_and_by_address(serial_ids, two_worker_cluster):
    cluster, client = two_worker_cluster
    assert ids(Dask(client).map(both_fail(), TASKS, seed=7)) == serial_ids
    assert ids(Dask(cluster.scheduler_address).map(both_fail(), TASKS, seed=7)) == serial_ids


def test_a_worker_killed_in_mid_run_changes_no_digest(serial_ids, two_worker_cluster):
    _, client = two_worker_cluster
    pids = client.run(os.getpid)
    killed = []

    def kill_one(done, total):
        if done >= 5 and not killed:
            victim = next(iter(pids.values()))
            os.kill(victim, signal.SIGKILL)
            killed.append((done, victim))

    results = Dask(client).map(both_fail(pause=0.1), TASKS, seed=7, progress=kill_one)

    assert killed
    assert killed[0][0] < len(TASKS)
    assert not os.path.exists(f"/proc/{killed[0][1]}") or killed[0][1] not in client.run(os.getpid).values()
    assert ids(results) == serial_ids


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=repr)
def test_progress_counts_up_and_order_is_kept(executor):
    assert isinstance(executor, Executor)
    seen = []
    results = executor.map(
        lambda task, rng: task * 2, TASKS, seed=0, progress=lambda done, total: seen.append((done, total))
    )
    assert results == [2 * task for task in TASKS]
    assert seen == [(i + 1, len(TASKS)) for i in range(len(TASKS))]


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=repr)
def test_an_error_in_a_task_reaches_the_caller_with_its_message(executor):
    def fails(task, rng):
        raise InvalidInput("bad task", where=f"task {task}", found="nothing")

    with pytest.raises(InvalidInput, match="task 0: bad task; found nothing"):
        executor.map(fails, [0], seed=0)


def test_no_tasks_give_no_results():
    assert Serial().map(lambda task, rng: task, [], seed=0) == []


def test_a_bad_seed_is_refused():
    for seed in (-1, 1.5, True, None):
        with pytest.raises(InvalidInput, match="seed"):
            Serial().map(lambda task, rng: task, [1], seed=seed)


def test_a_bad_number_of_workers_is_refused():
    with pytest.raises(InvalidInput, match="workers"):
        Processes(0)


def test_a_missing_extra_names_its_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'surefoot\[dask\]'"):
        Dask("tcp://localhost:1").map(lambda task, rng: task, [1], seed=0)


GROWING = """
import builtins, time
import numpy as np
from surefoot.executors import Processes

def grow(task, rng):
    builtins.kept = [*getattr(builtins, "kept", []), np.ones(25_000_000)]
    time.sleep(0.7)
    return task

if __name__ == "__main__":
    print(Processes(2).map(grow, list(range(8)), seed=0))
"""


def test_workers_that_grow_are_replaced_even_where_warnings_are_errors(tmp_path):
    script = tmp_path / "growing.py"
    script.write_text(GROWING)
    command = [sys.executable, "-W", "error::UserWarning", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == str(list(range(8)))
    assert "A worker stopped" not in done.stderr
