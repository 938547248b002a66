"""The product says what it said; where a change is meant, ``python -m tests.frozen`` writes the record anew."""

import copy
from dataclasses import replace
from pathlib import Path
from types import FunctionType

import pytest

import surefoot as sf
from tests.frozen.comparison import comparable_keys, differences, same_key_other_result
from tests.frozen.record import PARTS, PROJECTS, kept, made

EXAMPLE = Path(__file__).parents[1] / "examples" / "safe_distance" / "surefoot.yaml"


@pytest.mark.parametrize("name", PARTS)
def test_the_record_still_holds(name, tmp_path):
    if name == "every_step":
        pytest.importorskip("torch", reason="the project of every step has a torch model")
    old, new = kept(name), made(name, tmp_path)
    assert same_key_other_result(old, new) == [], "results changed, and the version of what their step means did not"
    if name in PROJECTS and not comparable_keys(old, new):
        old, new = ({part: item[part] for part in ("verdicts", "result")} for item in (old, new))
    assert differences(old, new) == []


def test_every_built_in_step_is_in_the_record():
    recorded = {step["step"] for name in PROJECTS for step in kept(name)["steps"].values()}
    assert set(sf.project.built_in_steps()) <= recorded


def test_a_changed_number_word_key_or_name_is_noticed():
    old = kept("safe_distance")
    changed = copy.deepcopy(old)
    changed["verdicts"]["tree"] = "met"
    changed["steps"]["tree"]["key"] = "0" * 64
    found = [line.partition(":")[0] for line in differences(old, changed)]
    assert set(found) == {"steps.tree.key", "verdicts.tree"}
    assert differences({"bounds": ["a", "b"]}, {"bounds": ["a"]}) != []
    assert differences({"x": 0.1}, {"x": 0.1 + 1e-12}) == []
    assert differences({"x": 0.1}, {"x": 0.100001}) != []


def test_another_result_under_the_same_key_is_noticed():
    old = kept("safe_distance")
    changed = copy.deepcopy(old)
    changed["steps"]["missed"]["results"][0] = "0" * 64
    assert same_key_other_result(old, changed) == [], "the last digits alone"
    changed["result"]["evidence"]["missed"]["estimates"][0]["value"] *= 1.01
    assert same_key_other_result(old, changed) == ["missed"]
    changed["steps"]["missed"]["key"] = "0" * 64
    assert same_key_other_result(old, changed) == [], "the version was raised, so that the key moved"


def test_a_key_moves_with_the_meaning_of_a_step_and_not_with_its_file():
    def keys(**changed):
        loaded = sf.load(EXAMPLE)
        (task,) = [task for task in sf.project.plan(loaded) if task.name == "missed"]
        return replace(task, step=replace(task.step, **changed)).provenance(loaded, {}, {}).key

    step = sf.project.plan(sf.load(EXAMPLE))[0].step.function
    moved = FunctionType(step.__code__, step.__globals__, step.__name__)
    moved.__module__ = "surefoot.elsewhere"
    assert keys() == keys(function=moved) == keys(version=1, when=None)
    assert keys(version=2, when=None) != keys()
    assert keys(version=2, when=lambda shown: False) == keys() != keys(version=2, when=lambda shown: True)
