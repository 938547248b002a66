import os
import shutil
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from surefoot.cli import app
from surefoot.hazards import Hazop


@pytest.fixture
def surefoot():
    """Call a command in this process."""
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    return lambda *words: runner.invoke(app, [str(word) for word in words], prog_name="surefoot")


@pytest.fixture
def shell(tmp_path):
    """Call the command in a process of its own, in an empty folder."""

    def call(*words, cwd=tmp_path, **environment):
        return subprocess.run(
            [sys.executable, "-m", "surefoot", *map(str, words)],
            cwd=cwd,
            env={**os.environ, "COLUMNS": "100", **environment},
            capture_output=True,
            timeout=120,
        )

    return call


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A started project that has been assessed once, with its report; not to be changed."""
    folder = tmp_path_factory.mktemp("finished") / "door-guard"
    runner = CliRunner()
    assert runner.invoke(app, ["init", str(folder)]).exit_code == 0
    found = runner.invoke(app, ["assess", str(folder), "--html", str(folder / "report.html")])
    assert found.exit_code in (0, 1), found.output
    return folder


@pytest.fixture
def project(finished, tmp_path, monkeypatch):
    """A copy of the finished project, as the current folder."""
    folder = tmp_path / "door-guard"
    shutil.copytree(finished, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def ctrl_c():
    """Processes started here heed Ctrl-C, also where this one was started in the background and does not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def started(surefoot, tmp_path_factory):
    """The worksheet to start from."""
    file = tmp_path_factory.mktemp("started") / "vehicle.yaml"
    assert surefoot("hazop", "new", file, "--name", "Vehicle").exit_code == 0
    return Hazop.read(file)
