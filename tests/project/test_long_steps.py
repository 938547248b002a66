"""A long step tells how far it is, goes on where it was stopped, and gives the same wherever it runs."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import surefoot as sf
from tests.project.cell_project import CellProject, digests

RUN = "import sys, surefoot as sf; sf.run(sf.load(sys.argv[1]))"
CALLS_A_PART = 4
"""The model is asked for 65,536 rows at a time, and a part of the first look has four times as many."""
DONE = 2 * CALLS_A_PART + 2
"""Calls until the run is stopped: two parts are done, and the third is not."""


def new_project(folder, side=0.00625):
    project = CellProject(folder)
    project.set_evidence(side=side, samples=100)
    return project


@pytest.fixture
def project(tmp_path):
    return new_project(tmp_path)


@pytest.fixture(scope="module")
def calm(tmp_path_factory):
    """A run that nothing disturbs: its digests, how often it asked the model, and what it told."""
    project, events = new_project(tmp_path_factory.mktemp("calm")), []
    result = project.run(progress=events.append)
    return digests(result), project.batches, events


def left(project):
    return [path.name for path in (project.folder / ".surefoot" / "tmp").iterdir()]


def interrupt(project):
    with pytest.raises(KeyboardInterrupt):
        project.run()


def kill(project):
    project.set_model(stop="os.kill(os.getpid(), 9)")
    found = subprocess.run([sys.executable, "-c", RUN, project.file], capture_output=True)
    assert found.returncode == -signal.SIGKILL


@pytest.mark.parametrize("stop", [interrupt, kill], ids=["interrupted", "killed"])
def test_a_stopped_step_goes_on_with_what_is_missing(project, calm, stop):
    expected, batches, _ = calm
    project.stop_after(DONE)
    stop(project)
    assert project.batches == DONE
    assert len(left(project)) == 1
    resumed = project.run()
    assert project.batches - DONE == batches - 2 * CALLS_A_PART
    assert digests(resumed) == expected
    assert left(project) == []


def test_progress_of_a_step_is_told(calm):
    events = [event for event in calm[2] if event.kind == "computing"]
    told = [(event.done, event.total) for event in events if event.total]
    assert {event.name for event in events} == {"cells"}
    assert told[0] == (1, told[0][1])
    assert told[-1][0] == told[-1][1]


def test_processes_give_the_same(project, calm):
    events = []
    parallel = project.run(workers=2, progress=events.append)
    assert digests(parallel) == calm[0]
    assert project.batches == calm[1]
    assert [event.name for event in events if event.kind == "note"] == []


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same(project, calm):
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        spread = project.run(dask=cluster.scheduler_address)
    assert digests(spread) == calm[0]


LOCKED = {"extra": "import threading\nLOCK = threading.Lock()", "use": "LOCK.acquire(); LOCK.release()"}
HOMESICK = {
    "extra": """import os


def at_home(process):
    if os.getpid() != process:
        raise RuntimeError("not at home")


class Homesick:
    def __reduce__(self):
        return at_home, (os.getpid(),)


HOME = Homesick()""",
    "use": "HOME",
}


@pytest.mark.parametrize(("model", "why"), [(LOCKED, "TypeError"), (HOMESICK, "RuntimeError: not at home")])
def test_a_model_that_cannot_be_sent_runs_here_and_that_is_said(project, calm, model, why):
    project.set_model(**model)
    events = []
    found = project.run(workers=2, progress=events.append)
    (note,) = [event.name for event in events if event.kind == "note"]
    assert note.startswith("cells: the model cannot be sent to other processes, so this step runs in one (")
    assert why in note
    assert digests(found) == calm[0]


@pytest.mark.parametrize("weights", ["inside", "in a second file"])
def test_an_onnx_model_is_opened_anew_where_it_is_sent(tmp_path, weights):
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    from surefoot.adapters import load_model

    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    ends = [helper.make_tensor_value_info(name, kind, [None, 300]) for name in ("x", "y")]
    matrix = np.random.default_rng(0).normal(size=(300, 300)).astype(np.float32)
    node, stored = helper.make_node("MatMul", ["x", "w"], ["y"]), onnx.numpy_helper.from_array(matrix, "w")
    graph = helper.make_graph([node], "graph", ends[:1], ends[1:], [stored])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, tmp_path / "m.onnx", save_as_external_data=weights != "inside", location="w.bin")
    loaded, executor = load_model(path="m.onnx", folder=tmp_path), sf.executors.Processes(2)
    inputs = np.random.default_rng(1).random((500, 300), dtype=np.float32)
    (there,) = executor.map(lambda rows, rng: loaded.answers(rows), [inputs], seed=0)
    assert np.array_equal(there, loaded.answers(inputs))
    np.testing.assert_allclose(there, inputs @ matrix, atol=1e-4)


def test_a_store_in_memory_keeps_no_parts(project):
    store = sf.project.Store.open(None)
    project.stop_after(9)
    with pytest.raises(KeyboardInterrupt):
        project.run(store=store)
    assert store.unfinished_work("0" * 64) is None
    assert not (project.folder / ".surefoot").exists()


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path):
    project = new_project(tmp_path, side=0.01)
    both = [subprocess.Popen([sys.executable, "-c", RUN, project.file], stderr=subprocess.PIPE) for _ in range(2)]
    messages = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], messages
    assert left(project) == []
