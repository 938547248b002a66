"""What is stored is not computed again, what changed is, and the place of work leaves no trace."""

import signal
import subprocess
import sys
import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import surefoot as sf
from surefoot.project import Store, find_step, step
from tests.project.conftest import DEFINITION

RUN = "import sys, surefoot as sf; r = sf.run(sf.load(sys.argv[1])); print(r.keys['counted'])"


def events_of(small, **options):
    events = []
    result = sf.run(sf.load(small.file), progress=events.append, **options)
    return result, {kind: [e.name for e in events if e.kind == kind] for kind in ("stored", "finished", "scoring")}


def digests(result):
    return {name: [e.digest for e in item.estimates] for name, item in result.evidence.items()}


def test_answers_agree_with_a_count_by_hand(small):
    result = sf.run(sf.load(small.file))
    with np.load(small.folder / "test.npz") as data:
        wrong = (data["X"] @ [1.0, -0.5] > 0) != data["y"]
    by_hand = sf.bounds.clopper_pearson(int(wrong.sum()), len(wrong), level=0.95)
    assert result["counted.failure probability"].upper(0.99) == by_hand.upper(0.99)
    assert result.verdicts["risk"].status == ("met" if by_hand.upper(0.95) <= 0.2 else "not shown")


def test_a_second_run_computes_nothing(small):
    first, _ = events_of(small)
    calls = small.calls
    second, events = events_of(small)
    assert (sorted(events["stored"]), events["finished"]) == (sorted(DEFINITION["evidence"]), [])
    assert small.calls == calls == 4
    assert second == first
    assert second.digest == first.digest


def test_a_changed_parameter_repeats_its_step_and_what_rests_on_it(small):
    first, _ = events_of(small)
    evidence = deepcopy(DEFINITION["evidence"])
    evidence["missed"]["level"] = 0.9
    small.set_definition(evidence=evidence)
    second, events = events_of(small)
    assert sorted(events["finished"]) == ["hazard", "missed"]
    assert small.calls == 4, "scores do not depend on a level"
    assert second.keys["counted"] == first.keys["counted"]
    assert second.keys["hazard"] != first.keys["hazard"]


@pytest.mark.parametrize("change", ["set_model", "set_data"])
def test_a_changed_model_or_data_set_repeats_what_rests_on_it(small, change):
    first, _ = events_of(small)
    getattr(small, change)(7)
    second, events = events_of(small)
    assert sorted(events["finished"]) == ["counted", "hazard", "missed"]
    assert events["stored"] == ["exposure"]
    assert first.digests != second.digests
    assert second["counted.failure probability"].key != first["counted.failure probability"].key


@pytest.mark.parametrize(
    ("part", "key", "value"), [("model", "output", "logit"), ("test", "labels", "other"), ("test", "attributes", [])]
)
def test_reading_the_same_files_in_another_way_is_another_result(small, part, key, value):
    with np.load(small.folder / "test.npz") as data:
        arrays = dict(data)
    np.savez(small.folder / "test.npz", **arrays, other=1 - arrays["y"])
    first, _ = events_of(small)
    components = deepcopy(DEFINITION["components"])
    (components["linear"]["model"] if part == "model" else components["linear"]["data"]["test"])[key] = value
    small.set_definition(components=components)
    second, events = events_of(small)
    assert first.keys["counted"] != second.keys["counted"]
    assert "counted" in events["finished"]


def test_processes_give_the_same_keys_and_digests(small, tmp_path):
    serial = sf.run(sf.load(small.file), store=tmp_path / "one")
    parallel = sf.run(sf.load(small.file), store=tmp_path / "two", workers=2)
    assert (parallel.keys, digests(parallel)) == (serial.keys, digests(serial))


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_keys_and_digests(small, tmp_path):
    from distributed import LocalCluster

    serial = sf.run(sf.load(small.file), store=tmp_path / "one")
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        spread = sf.run(sf.load(small.file), store=tmp_path / "two", dask=cluster.scheduler_address)
    assert (spread.keys, digests(spread)) == (serial.keys, digests(serial))


def test_only_stored_computes_nothing_and_says_what_is_missing(small):
    project = sf.load(small.file)
    with pytest.raises(sf.DiagnosticsError, match=r"not-assessed.*counted"):
        sf.run(project, only_stored=True)
    assert small.calls == 0
    computed = sf.run(project)
    assert sf.run(project, only_stored=True) == computed


def test_a_failing_step_loses_nothing_and_all_failures_are_shown(small):
    evidence = deepcopy(DEFINITION["evidence"])
    evidence["wrong"] = {"step": "binomial_bound", "by": "agee"}
    evidence["together"] = {"step": "binomial_bound", "groups": "use"}
    small.set_definition(evidence=evidence)
    with pytest.raises(sf.DiagnosticsError, match="agee") as caught:
        sf.run(sf.load(small.file))
    assert {d.code for d in caught.value.diagnostics} == {"step-failed"}
    assert len(caught.value.diagnostics) == 2
    assert all("surefoot.yaml:" in d.where for d in caught.value.diagnostics)
    small.set_definition()
    _, events = events_of(small)
    assert events["finished"] == []


def typed(*, window: tuple[int, int], unit: Literal["s", "ms"] = "s") -> sf.Estimate:
    """A step whose parameter is no plain data."""
    return sf.Estimate.known(type(window).__name__, float(sum(window)), source="here", unit=unit)


def test_a_step_gets_the_types_its_signature_names(small, monkeypatch):
    entry = replace(step.own["stated"], name="typed", module=__name__, attribute="typed")
    monkeypatch.setitem(step.own, "typed", entry)
    small.set_definition(evidence={"timing": {"step": "typed", "window": [2, 5]}}, targets={})
    found = sf.run(sf.load(small.file))["timing.tuple"]
    assert (found.value, found.unit) == (7, "s")


def test_a_misspelt_class_is_found_before_anything_is_run(small):
    evidence = {"missed": {"step": "binomial_bound", "of": "yess"}}
    small.set_definition(evidence=evidence, targets={})
    with pytest.raises(sf.DiagnosticsError, match=r"surefoot.yaml:\d+.*'yess'.*'yes'"):
        sf.load(small.file)


def test_a_target_that_names_no_quantity_says_what_there_is(small):
    targets = {"risk": {"estimate": "counted.failure rate", "at_most": 0.1}}
    small.set_definition(targets=targets)
    with pytest.raises(sf.DiagnosticsError, match=r"surefoot.yaml:\d+.*unknown-reference.*failure probability"):
        sf.run(sf.load(small.file))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("raise ValueError('no idea')", "model-raised"),
        ("import time; time.sleep(60)", "model-timeout"),
        ("import os; os._exit(3)", "model-crashed"),
        ("return inputs[:-1]", "model-output"),
        ("return inputs * float('nan')", "model-output"),
    ],
)
def test_a_bad_model_gets_a_code_and_spares_the_store(small, body, code):
    sf.run(sf.load(small.file))
    (small.folder / "linear.py").write_text(f"def predict(inputs):\n    {body}\n")
    components = deepcopy(DEFINITION["components"])
    components["linear"]["model"]["time_limit"] = 2
    small.set_definition(components=components)
    with pytest.raises(sf.DiagnosticsError) as caught:
        sf.run(sf.load(small.file))
    assert {d.code for d in caught.value.diagnostics} == {code}
    assert not [d for d in Store.open(small.folder / ".surefoot").verify() if d.severity == "error"]


def test_a_run_killed_at_any_moment_is_resumed(small, tmp_path):
    expected = sf.run(sf.load(small.file), store=tmp_path / "calm")
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", RUN, small.file], check=True, capture_output=True)
    longest = time.monotonic() - start
    rng = np.random.default_rng(5)
    for attempt in range(6):
        small.set_data(seed=attempt + 1)
        process = subprocess.Popen([sys.executable, "-c", RUN, small.file], stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.2, 1.0) * longest)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not [d for d in Store.open(small.folder / ".surefoot").verify() if d.severity == "error"]
    small.set_data(seed=0)
    assert digests(sf.run(sf.load(small.file))) == digests(expected)


def test_two_runs_at_once_share_a_store(small):
    both = [subprocess.Popen([sys.executable, "-c", RUN, small.file], stdout=subprocess.PIPE) for _ in range(2)]
    keys = {process.communicate()[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert len(keys) == 1
    store = Store.open(small.folder / ".surefoot")
    assert not [d for d in store.verify() if d.severity == "error"]


def test_a_damaged_entry_is_computed_again_and_reported(small):
    first = sf.run(sf.load(small.file))
    objects = sorted(path for path in (small.folder / ".surefoot" / "objects").rglob("*") if path.is_file())
    for path in objects:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.chmod(0o644)
        path.write_bytes(bytes(content))
    second = sf.run(sf.load(small.file))
    assert digests(second) == digests(first)
    assert {d.code for d in second.caveats} == {"store-damaged"}
    assert not [d for d in Store.open(small.folder / ".surefoot").verify() if d.severity == "error"]


def test_a_result_reads_back_what_it_wrote(small):
    result = sf.run(sf.load(small.file))
    again = sf.Result.from_dict(result.to_dict())
    assert again == result
    assert again.to_dict() == result.to_dict()


def test_five_lines_without_a_file():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression

    X, y = load_iris(return_X_y=True)
    model = LogisticRegression(max_iter=500).fit(X[::2], y[::2])
    project = sf.Project.of(
        "Iris",
        model=model,
        data=(X[1::2], y[1::2]),
        evidence={"counted": {"step": "binomial_bound"}},
        targets={"risk": {"estimate": "counted.failure probability", "at_most": 0.2}},
    )
    result = sf.run(project)
    wrong = int((model.predict(X[1::2]) != y[1::2]).sum())
    assert result["counted.failure probability"].details["failures"] == wrong
    assert result.met
    assert repr(result) == "Result('Iris', 1 of 1 targets met)"
    for part in ("risk", "at most 0.2", "upper bound", "met"):
        assert part in result._repr_html_()


GREEDY = """\
version: 1
system: {name: gate}
components:
  greedy: {model: "greedy:predict", data: {test: {path: test.npz, inputs: X, labels: y}}}
  frugal: {data: {test: {path: test.npz, scores: X, labels: y}}}
evidence:
  hungry: {step: binomial_bound, component: greedy}
  kept: {step: binomial_bound, component: frugal}
targets: {errors: {estimate: kept.failure probability, at_most: 0.5}}
"""


def test_a_model_that_runs_out_of_memory_ends_with_a_code_and_loses_nothing(tmp_path):
    labels = np.arange(60) % 2
    np.savez(tmp_path / "test.npz", X=np.eye(2)[labels], y=labels)
    (tmp_path / "greedy.py").write_text("import numpy as np\ndef predict(x):\n    return np.ones((len(x), 1 << 30))\n")
    (tmp_path / "surefoot.yaml").write_text(GREEDY)
    limited = "import resource; resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30)); import runpy, sys; "
    limited += "sys.argv = ['surefoot', 'assess', sys.argv[1]]; runpy.run_module('surefoot', run_name='__main__')"
    ended = subprocess.run([sys.executable, "-c", limited, tmp_path], capture_output=True, text=True, check=False)
    assert ended.returncode == 2, ended.stderr
    assert "[out-of-memory]" in ended.stderr
    assert "480. GiB" in ended.stderr
    assert "surefoot.yaml" in ended.stderr or "greedy" in ended.stderr
    assert "Traceback" not in ended.stderr
    events = []
    (tmp_path / "greedy.py").write_text("def predict(x):\n    return x\n")
    sf.run(sf.load(tmp_path), progress=events.append)
    assert [event.name for event in events if event.kind == "stored"] == ["kept"]


def test_a_step_that_runs_out_of_memory_names_itself_and_its_size(monkeypatch):
    def hungry(*, size: int) -> sf.Estimate:
        """Take memory."""
        return sf.Estimate("filled", float(np.ones(size)[0]))

    monkeypatch.setitem(step.own, "hungry", replace(step.own["stated"], name="hungry", module=__name__, attribute="x"))
    monkeypatch.setattr(sys.modules[__name__], "x", hungry, raising=False)
    find_step.cache_clear()
    said = {"version": 1, "system": {"name": "gate"}, "evidence": {"all": {"step": "hungry", "size": 1 << 57}}}
    project = sf.project.from_data(said, folder=Path())
    with pytest.raises(sf.DiagnosticsError, match=r"out-of-memory.*the step all.*1\.00 EiB"):
        sf.run(project)
