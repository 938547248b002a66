"""Data that code makes are made in a process of its own."""

import os
import sys

import numpy as np
import pytest

from surefoot.adapters import load_data, make_isolated, score_isolated, write_arrays
from tests.adapters.problems import problem

CODE = """
import os
import sys
import time
import numpy as np

def rows():
    print("noise")
    return {"file": np.eye(2), "a/b\\udce9": ["x", "y"], "labels": np.asarray(["no", "yes"], dtype=object)}

def process():
    return {"inputs": [[os.getpid()]], "labels": [0]}

def leaves():
    print("last words", flush=True)
    os._exit(0)

def hangs():
    time.sleep(600)

def fails():
    return 1 / 0

def forks():
    os.fork()
    return np.eye(2), [0, 1]

def nothing():
    return {"inputs": [], "labels": np.asarray([], dtype=object)}

def records():
    return {"inputs": np.zeros(2, dtype=[("a", object)])}
"""


@pytest.fixture
def make(write, tmp_path):
    write("rows.py", CODE)
    return lambda name, limit=60.0: make_isolated(f"rows:{name}", folder=tmp_path, time_limit=limit)


def test_arrays_of_any_name_come_back_and_nothing_is_printed(make, capfd):
    made = make("rows")
    assert made.names == ("file", "a/b\udce9", "labels")
    assert [made.array(name).tolist() for name in made.names] == [[[1, 0], [0, 1]], ["x", "y"], ["no", "yes"]]
    assert capfd.readouterr() == ("", "")


def test_the_code_runs_elsewhere(make):
    assert make("process").array("inputs")[0, 0] != os.getpid()
    assert "rows" not in sys.modules


@pytest.mark.parametrize(
    ("name", "code", "match"),
    [
        ("leaves", "model-crashed", "(?s)exit code 0 while reading data.*last words"),
        ("hangs", "model-timeout", "makes the data took longer than 2 s"),
        ("fails", "data-unreadable", "ZeroDivisionError"),
        ("rwos", "data-unreadable", "Did you mean 'rows'"),
        ("records", "data-type", "no array of numbers or text"),
    ],
)
def test_what_goes_wrong_has_a_code(make, name, code, match):
    with problem(code, match):
        make(name, 2.0 if name == "hangs" else 60.0)


def test_code_that_forks_makes_its_arrays_once(make):
    assert make("forks").array("labels").tolist() == [0, 1]


def test_empty_columns_are_told_by_the_reader(make, tmp_path):
    with problem("data-empty"):
        load_data(callable="rows:nothing", arrays=make("nothing"), folder=tmp_path)


def test_a_model_is_run_on_what_was_made_before(make, write, tmp_path):
    made = make("forks")
    write("rows.py", "raise RuntimeError('run twice')\n")
    write("model.py", "def predict(x):\n    return x[:, 0] / 2\n")
    (tmp_path / "made").mkdir()
    write_arrays(made, tmp_path / "made")
    source = {"callable": "rows:forks", "made": str(tmp_path / "made")}
    options = {"folder": tmp_path, "batch_size": 2, "time_limit": 60, "target": tmp_path / "scores.npy"}
    found = score_isolated({"callable": "model:predict"}, source, **options)
    assert np.array_equal(found.scores, [[0.5, 0.5], [1, 0]])
