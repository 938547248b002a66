"""Ctrl-C: a clean message, nothing lost, nothing left running."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from surefoot.project import Store

SLOW_MODEL = """
import os, time
from pathlib import Path
from model import obstacle

def slow(inputs):
    marker = os.environ.get("SLOW")
    if marker:
        Path(marker).write_text(str(os.getpid()))
        time.sleep(600)
    return obstacle(inputs)
"""


@pytest.fixture
def slow_project(project):
    """A project with a second component that waits when it is told to."""
    path = project / "surefoot.yaml"
    content = yaml.safe_load(path.read_text())
    for step in content["evidence"].values():
        step["component"] = "guard"
    content["components"]["slow"] = {**content["components"]["guard"], "model": "slow:slow"}
    content["evidence"]["wait"] = {"step": "binomial_bound", "component": "slow"}
    path.write_text(json.dumps(content))
    (project / "slow.py").write_text(SLOW_MODEL)
    return project


def started(folder, store, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "surefoot", "assess", "--store", str(store)],
        cwd=folder,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for(path, process):
    deadline = time.monotonic() + 120
    while not (path.exists() and path.read_text()):
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return int(path.read_text())


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["terminal", "process alone"])
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_resume(slow_project, tmp_path, send, ctrl_c, surefoot):
    marker, store = tmp_path / "marker", tmp_path / "store"
    with started(slow_project, store, SLOW=str(marker)) as process:
        child = wait_for(marker, process)
        send(process.pid, signal.SIGINT)
        output, message = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (output, message) == ("", "Stopped. Finished steps are kept; run the same command to resume.\n")
    assert not is_running(child)
    opened = Store.open(store)
    assert opened.verify() == []
    assert {entry.step for entry in opened.entries()} == {"scores of guard on test"}
    found = surefoot("assess", "--store", store)
    assert found.exit_code in (0, 1), found.stderr
    assert {"wait", "misses"} <= {entry.step for entry in Store.open(store).entries()}


WAITING_WORKERS = """
import sys, time
from pathlib import Path
from surefoot.executors import Processes

def wait(task, rng):
    Path(sys.argv[1], str(task)).write_text("1")
    time.sleep(600)

try:
    Processes(2).map(wait, [0, 1], seed=0)
except KeyboardInterrupt:
    print("stopped")
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_workers_say_nothing_about_ctrl_c(tmp_path, ctrl_c):
    script = WAITING_WORKERS.replace("sys.argv[1]", repr(str(tmp_path)))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as process:
        for task in ("0", "1"):
            wait_for(tmp_path / task, process)
        os.killpg(process.pid, signal.SIGINT)
        output, message = process.communicate(timeout=60)
    assert (process.returncode, output, message) == (0, "stopped\n", "")


HELD_IMPORT = """
import sys, time
from pathlib import Path

class Slow:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            Path(sys.argv[2]).write_text("1")
            time.sleep(600)

sys.meta_path.insert(0, Slow())
module, marker = sys.argv[1:3]
from surefoot.cli import main
sys.argv = ["surefoot", "check"]
Slow.find_spec.__globals__["sys"] = type("Held", (), {"argv": [None, module, marker]})
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize("module", ["typer", "numpy", "rich.console"])
def test_ctrl_c_while_something_is_imported_is_no_traceback(project, tmp_path, module, ctrl_c):
    program = [sys.executable, "-c", HELD_IMPORT, module, str(tmp_path / "marker")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": project}
    with subprocess.Popen(program, **pipes) as process:
        wait_for(tmp_path / "marker", process)
        process.send_signal(signal.SIGINT)
        output, message = process.communicate(timeout=60)
    assert (process.returncode, output, message) == (130, "", "Stopped.\n")
