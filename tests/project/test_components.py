"""Scores are kept under the key of what was really run, and data are made once."""

import numpy as np
import pytest

import surefoot as sf
from tests.project.conftest import DEFINITION

INPUTS = np.random.default_rng(0).normal(size=(40, 2))
LABELS = (INPUTS[:, 0] > 0).astype(int)


def linear(**changes):
    return {"components": {"linear": {**DEFINITION["components"]["linear"], **changes}}}


@pytest.mark.parametrize("change", ["set_model", "set_data"])
def test_scores_of_a_file_that_changed_meanwhile_are_not_kept(small, change):
    def meddle(event):
        if event.kind == "computing":
            getattr(small, change)(7)

    with pytest.raises(sf.DiagnosticsError, match="changed while it was read") as caught:
        sf.run(sf.load(small.file), progress=meddle)
    assert {d.code for d in caught.value.diagnostics} == {"file-unreadable"}
    getattr(small, change)(0)
    fresh = sf.run(sf.load(small.file), store=small.folder / "fresh")
    assert sf.run(sf.load(small.file)).evidence == fresh.evidence


def test_a_helper_that_only_a_running_model_knows_makes_another_result(small):
    (small.folder / "helper.py").write_text("SIGN = 1\n")
    code = (
        "import importlib\ndef predict(x):\n    return importlib.import_module('hel' 'per').SIGN * (x @ [1.0, -0.5])\n"
    )
    (small.folder / "linear.py").write_text(code)
    before = sf.run(sf.load(small.file))
    (small.folder / "helper.py").write_text("SIGN = -1\n")
    after = sf.run(sf.load(small.file))
    name = "counted.failure probability"
    assert after[name].value == pytest.approx(1 - before[name].value)


def test_a_model_in_memory_is_told_apart_on_each_data_set():
    other = np.where(np.arange(40)[:, None] == 3, -INPUTS, INPUTS)
    evidence = {"one": {"step": "binomial_bound"}, "two": {"step": "binomial_bound", "on": "more"}}

    def keys(weight):
        data = {"test": (INPUTS, LABELS), "more": (other, LABELS)}
        project = sf.Project.of("S", model=lambda x: x[:, 0] * weight(x), data=data, evidence=evidence)
        return sf.run(project).keys

    same = keys(lambda x: 1.0)
    differs_on_more = keys(lambda x: np.where(x[3, 0] == other[3, 0], 2.0, 1.0))
    assert differs_on_more["one"] == same["one"]
    assert differs_on_more["two"] != same["two"]


def test_what_scores_mean_is_part_of_a_model_in_memory():
    answers = np.column_stack([1 - LABELS, LABELS]).astype(np.float32)

    def key(function):
        project = sf.Project.of("S", model=function, data=(INPUTS, LABELS), evidence={"e": {"step": "binomial_bound"}})
        return sf.run(project).keys["e"]

    assert key(lambda x: answers) != key(lambda x: LABELS)


ROWS = """
import numpy as np
from pathlib import Path
def rows():
    with Path(__file__).with_name("made.txt").open("a") as stream:
        stream.write("x")
    x = np.random.default_rng().normal(size=(200, 2))
    return {"X": x, "y": (x @ [1.0, -0.5] > 0).astype(int), "age": np.full(200, 40)}
def leaves():
    import os
    os._exit(0)
def hangs():
    import time
    time.sleep(600)
"""


def from_code(small, name, **model):
    (small.folder / "rows.py").write_text(ROWS)
    test = {**DEFINITION["components"]["linear"]["data"]["test"], "callable": f"rows:{name}"}
    del test["path"]
    source = DEFINITION["components"]["linear"]["model"] | model
    small.set_definition(**linear(model=source, data={"test": test}))
    return sf.load(small.file)


def test_rows_that_differ_each_time_are_made_once_for_labels_and_scores(small):
    result = sf.run(from_code(small, "rows"))
    assert (small.folder / "made.txt").read_text() == "x"
    assert result["counted.failure probability"].details["failures"] == 0


@pytest.mark.parametrize(("name", "code"), [("leaves", "model-crashed"), ("hangs", "model-timeout")])
def test_code_that_makes_no_rows_does_no_harm(small, name, code):
    with pytest.raises(sf.DiagnosticsError) as caught:
        sf.run(from_code(small, name, time_limit=2))
    assert {d.code for d in caught.value.diagnostics} == {code}
