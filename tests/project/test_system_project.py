"""A system of modules from a project file: its figures, its events in the fault tree, what is kept, what is told."""

from __future__ import annotations

import pytest
import yaml

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import load
from surefoot.report import html
from tests.refusals import told

CODE = """
import numpy as np
from surefoot.systems import Items, Module, Study, System, conditions

from helper import LIMIT


def first(frame):
    with open("calls.txt", "a") as calls:
        calls.write("x")
    return frame.reshape(len(frame), -1).mean(axis=1) / 255


def second(frame):
    return np.median(frame.reshape(len(frame), -1), axis=1) / 255


def mean(a, b):
    return (a + b) / 2


def study():
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 200, (120, 6, 6, 3), dtype=np.uint8)
    truth = frames.reshape(120, -1).mean(axis=1) / 255
    modules = [
        Module("first", first, {"frame": "frame"}, gives="number"),
        Module("second", second, {"frame": "frame"}, gives="number"),
        Module("mean", mean, {"a": "first", "b": "second"}, gives="number"),
    ]
    system = System(modules, inputs={"frame": "image"}, name="lamps")
    places = {"module 1": "first", "module 2": "second"}
    return Study(system, Items({"frame": frames}, truth), conditions(["brightness"]), "mae", outputs=places, chunk=50)


def other():
    return 3
"""
STEP = {"step": "system_study", "study": "lamps:study", "limit": 0.05, "mix": {"clean": 0.9, "brightness 1": 0.1}}


@pytest.fixture
def lamps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamps.py").write_text(CODE)
    (tmp_path / "helper.py").write_text("LIMIT = 1\n")

    def written(**changes):
        step = {key: value for key, value in {**STEP, **changes}.items() if value is not None}
        definition = {
            "version": 1,
            "system": {"name": "lamp reader"},
            "evidence": {"lamps": step},
            "targets": {"low": {"estimate": changes.get("target", "lamps.failure under clean"), "at_most": 0.9}},
        }
        step.pop("target", None)
        path = tmp_path / "surefoot.yaml"
        path.write_text(yaml.safe_dump(definition))
        return path

    return written


def test_the_mix_of_conditions_gives_the_system_failure_and_the_report_shows_it(lamps):
    result = sf.run(load(lamps(target="lamps.system failure")))
    clean, bright = (result[f"lamps.failure under {name}"].value for name in ("clean", "brightness 1"))
    assert bright > 0.5
    assert result["lamps.system failure"].value == pytest.approx(0.9 * clean + 0.1 * bright)
    assert {"stated-mix", "corruptions-stand-for-conditions"} <= {
        each.id for each in result["lamps.system failure"].assumptions
    }
    page = html(result)
    assert "Operation meets the conditions in the stated shares" in page
    for name in ("Performance", "Redundancy", "Failures"):
        assert name.lower() in page.lower()


def test_causes_of_failure_are_events_whose_or_is_the_measured_share(lamps):
    result = sf.run(load(lamps(events="causes")))
    causes = [e for e in result.evidence["lamps"].estimates if e.quantity.startswith(("corruption", "fails"))]
    missed = 1.0
    for cause in causes:
        missed *= 1 - cause.value
    share = 0.1 * result["lamps.failure under brightness 1"].value + 0.9 * result["lamps.failure under clean"].value
    assert 1 - missed == pytest.approx(share, abs=1e-9)
    rests_on = {each.id for each in result["lamps.corruption through first"].assumptions}
    assert {"stated-mix", "corruptions-stand-for-conditions"} <= rests_on
    never = result["lamps.fails on clean inputs"]
    assert never.value == 0, "a cause that was never seen stays an event"
    assert never.upper(0.95) > 0


def test_parallel_modules_are_events_whose_and_is_the_joint_share(lamps):
    result = sf.run(load(lamps(events="modules")))
    together = result["lamps.module 1 fails"].value * result["lamps.module 2 fails"].value
    assert 0.02 < together <= 0.1


def test_a_second_run_takes_everything_from_the_store_and_other_words_reuse_the_recordings(lamps, tmp_path):
    sf.run(load(lamps()))
    called = len((tmp_path / "calls.txt").read_text())
    sf.run(load(lamps()))
    sf.run(load(lamps(limit=0.2)))
    assert len((tmp_path / "calls.txt").read_text()) == called


def test_changed_code_of_the_project_is_noticed(lamps, tmp_path):
    key = sf.run(load(lamps())).evidence["lamps"].key
    (tmp_path / "helper.py").write_text("LIMIT = 2\n")
    assert sf.run(load(lamps())).evidence["lamps"].key != key


def test_a_changed_file_that_the_study_reads_is_noticed(lamps, tmp_path):
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"one")
    path = lamps(files=["weights.bin"])
    key = sf.run(load(path)).evidence["lamps"].key
    weights.write_bytes(b"two")
    assert sf.run(load(path)).evidence["lamps"].key != key


def test_counted_conditions_are_wider_than_stated_ones(lamps):
    stated = sf.run(load(lamps(target="lamps.system failure")))["lamps.system failure"]
    seen = {"clean": 90, "brightness 1": 10}
    counted = sf.run(load(lamps(target="lamps.system failure", mix=None, seen=seen)))["lamps.system failure"]
    assert counted.value == pytest.approx(stated.value)
    assert counted.upper(0.95) > stated.upper(0.95)


def test_what_is_wrong_is_told(lamps):
    for changes, said in [
        ({"study": "lamps:stdy"}, "stdy"),
        ({"study": "lmps:study"}, "lmps"),
        ({"study": "lamps.py"}, "module:name"),
        ({"files": ["weights.bin"]}, "weights.bin"),
        ({"study": "lamps:other"}, "must give a Study"),
        ({"mix": {"clean": 0.9, "fog 3": 0.1}}, "not measured; found fog 3"),
        ({"mix": {"clean": 0.9}}, "sum to 1"),
        ({"mix": {"clean": 1.0}, "seen": {"clean": 3}}, "same thing"),
        ({"mix": None, "events": "causes"}, "events need mix"),
        ({"mix": None, "seen": {"clean": 9}, "events": "causes"}, "events need mix"),
        ({"limit": -1.0}, "limit"),
    ]:
        with told(changes), pytest.raises(DiagnosticsError, match=said):
            sf.run(load(lamps(**changes)))


FAULTY = """

def broken(frame):
    raise RuntimeError("no lamp")


def shy(frame):
    if (frame[:, 0, 0, 0] > 150).any():
        raise RuntimeError("too bright")
    return frame.reshape(len(frame), -1).mean(axis=1) / 255


def alone(run, chosen=conditions(["brightness"], [1]), **options):
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 200, (120, 6, 6, 3), dtype=np.uint8)
    truth = frames.reshape(120, -1).mean(axis=1) / 255
    system = System([Module("lamp", run, {"frame": "frame"}, gives="number")], inputs={"frame": "image"}, name="lamps")
    return Study(system, Items({"frame": frames}, truth), chosen, "mae", **options)


def silent():
    return alone(broken)


def sometimes():
    return alone(shy)


def only_clean():
    return alone(second, conditions([]))


def doubtful():
    system = System(
        [Module("lamp", lambda frame: {"light": second(frame), "doubt": np.ones(len(frame))}, {"frame": "frame"},
                gives={"light": "number", "doubt": "number"})],
        inputs={"frame": "image"},
        name="lamps",
    )
    made = alone(second)
    return Study(system, made.items, made.conditions, "mae", own_scores={"doubt": "lamp.doubt"})


def needing(argument):
    return 3
"""


@pytest.fixture
def faulty(lamps, tmp_path):
    (tmp_path / "lamps.py").write_text(CODE + FAULTY)
    return lamps


def test_a_system_that_never_answers_is_told_and_not_counted(faulty):
    with pytest.raises(DiagnosticsError, match=r"no item has an answer.*no lamp"):
        sf.run(load(faulty(study="lamps:silent")))


def test_what_modules_raised_is_in_the_report(faulty):
    result = sf.run(load(faulty(study="lamps:sometimes")))
    rows = result.evidence["lamps"].tables["faults"].rows
    assert rows[0][0] == "clean"
    assert "too bright" in rows[0][-1]
    assert rows[0][2] == round(120 * result["lamps.failure under clean"].value)


def test_clean_inputs_alone_can_be_studied(faulty):
    result = sf.run(load(faulty(study="lamps:only_clean", mix={"clean": 1.0})))
    assert result["lamps.failure under clean"].upper(0.95) <= 1


def test_a_threshold_that_cannot_be_shown_leaves_the_rest(faulty):
    result = sf.run(load(faulty(study="lamps:doubtful", limit=0.0, accept=0.001)))
    assert result["lamps.failure under clean"].value > 0
    assert "no threshold is shown" in result.evidence["lamps"].tables["no answers accepted"].rows[0][0]


@pytest.mark.parametrize(("name", "said"), [("needing", "argument"), ("FAULT", "not callable|not a callable")])
def test_a_study_that_cannot_be_made_is_told(faulty, tmp_path, name, said):
    (tmp_path / "lamps.py").write_text(CODE + FAULTY + "\nFAULT = 3\n")
    with pytest.raises(DiagnosticsError, match=f"without arguments.*({said})"):
        sf.run(load(faulty(study=f"lamps:{name}")))


def test_events_need_outputs_before_the_study_runs(faulty, tmp_path):
    with pytest.raises(DiagnosticsError, match="modules in parallel"):
        sf.run(load(faulty(study="lamps:sometimes", events="modules")))
    assert not (tmp_path / ".surefoot" / "recordings").exists()


def test_the_report_says_what_stars_and_numbers_mean(faulty):
    tables = sf.run(load(faulty(study="lamps:doubtful"))).evidence["lamps"].tables
    assert any(name.startswith("shifts of uncertainty: share") and "* not significant" in name for name in tables)
