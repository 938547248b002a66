"""Projects without a file: the same checks, with the keys in place of the lines."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import Project, check, load
from tests.project.sample_steps import register
from tests.project.writing import write
from tests.refusals import told

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 1, 0])


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


def predict(inputs):
    return np.column_stack([inputs[:, 0], -inputs[:, 0]])


def of(**changes):
    given = {"model": predict, "data": (X, Y), "evidence": {"risk": {"step": "tallied", "level": 0.9}}, **changes}
    return Project.of("A system", **given)


def problem(**changes):
    with pytest.raises(DiagnosticsError) as caught:
        of(**changes)
    (found,) = caught.value.diagnostics
    return found


def test_a_function_and_two_arrays_are_a_project():
    project = of(targets={"low": {"estimate": "risk.failure probability", "at_most": 0.1}}, classes=["no", "yes"])
    assert project.path is None
    assert project.objects["component.model"] is predict
    assert project.objects["component.test"][0] is X
    assert project.definition.system.name == "A system"
    assert project.definition.targets["low"].at_most == 0.1
    assert project.component_of("risk") == "component"
    assert check(project) == []


def test_models_of_every_kind_are_taken():
    for model in [predict, LogisticRegression().fit(X, Y), lambda x: x]:
        with told(model):
            assert of(model=model).definition.components["component"].model.callable.startswith("<memory>:")


def test_a_system_may_say_more_than_its_name():
    project = Project.of(
        {"name": "S", "hazard": "H"},
        model=predict,
        data=(X, Y),
        evidence={"r": {"step": "tallied"}},
        name="eye",
        seed=7,
    )
    assert project.definition.system.hazard == "H"
    assert project.definition.seed == 7
    assert project.objects.keys() == {"eye.model", "eye.test"}


def test_a_mapping_may_bring_scores_groups_and_attributes():
    rows = {"scores": X, "labels": Y, "groups": Y, "attributes": {"age": Y}}
    conditions = {"assumptions": [{"id": "a", "text": "A.", "column": "age", "at_most": 1}]}
    source = of(model=None, data=rows, conditions=conditions).definition.components["component"].data["test"]
    assert (source.scores, source.groups, source.attributes) == ("scores", "groups", ["age"])
    wrong = {"assumptions": [{"id": "a", "text": "A.", "column": "ago", "at_most": 1}]}
    assert problem(model=None, data=rows, conditions=wrong).where == "conditions.assumptions[0].column"


def test_several_data_sets_have_names():
    project = of(
        data={"test": (X, Y), "dev": {"inputs": X, "labels": Y}}, evidence={"r": {"step": "tallied", "on": "dev"}}
    )
    assert set(project.definition.components["component"].data) == {"test", "dev"}


def test_files_may_stand_beside_objects(small, monkeypatch):
    monkeypatch.chdir(small.folder)
    project = of(data="test.npz")
    assert project.definition.components["component"].data["test"].path == "test.npz"
    assert problem(data=small.folder / "tset.npz").code == "file-missing"
    assert of(model="linear:predict").objects.keys() == {"component.test"}


def test_a_file_model_answers_data_in_memory_and_the_other_way_round(small, monkeypatch):
    monkeypatch.chdir(small.folder)
    evidence = {"risk": {"step": "binomial_bound"}}
    with np.load("test.npz") as stored:
        rows = (stored["X"], stored["y"])
    namespace = {"__file__": "linear.py"}
    exec((small.folder / "linear.py").read_text(), namespace)
    source = {"test": {"inputs": rows[0], "labels": rows[1]}}
    first = sf.run(of(model="linear:predict", data=source, evidence=evidence))
    second = sf.run(of(model=namespace["predict"], data=rows, evidence=evidence))
    failed = first["risk.failure probability"].details["failures"]
    assert 0 < failed == second["risk.failure probability"].details["failures"]


def test_numbers_of_numpy_and_tuples_are_plain_values():
    project = of(
        evidence={"g": {"step": "guessed", "value": np.float64(0.5), "bins": np.int64(3), "at": ((1, 2.0),)}},
        seed=np.int64(3),
        classes=np.array(["a", "b"]),
    )
    assert project.definition.evidence["g"].parameters == {"value": 0.5, "bins": 3, "at": [[1, 2.0]]}
    assert type(project.definition.seed) is int


def test_bad_values_say_where():
    for changes, where, code in [
        ({"evidence": {"risk": {"step": "tallied", "level": 95}}}, "evidence.risk.level", "wrong-value"),
        ({"evidence": {"risk": {"step": "tallied", "level": float("nan")}}}, "evidence.risk.level", "wrong-value"),
        ({"evidence": {"risk": {"step": "tallied", "level": print}}}, "evidence.risk.level", "wrong-value"),
        ({"evidence": {"risk": {"step": "tallied", "levle": 0.9}}}, "evidence.risk.levle", "unknown-key"),
        ({"evidence": {"risk": {"step": "talied"}}}, "evidence.risk.step", "unknown-step"),
        ({"evidence": {"risk": {"step": "tallied", "of": "\ud800"}}}, "evidence.risk.of", "wrong-value"),
        ({"evidence": {"risk": {"step": "guessed", "value": 10**5000}}}, "evidence.risk.value", "wrong-value"),
        ({"evidence": {}}, "evidence", "wrong-value"),
        ({"evidence": []}, "evidence", "wrong-value"),
        ({"evidence": {3: {"step": "tallied"}}}, "evidence", "wrong-value"),
        ({"targets": {"low": {"estimate": "risk.x", "at_most": 3}}}, "targets.low.at_most", "wrong-value"),
        ({"conditions": {"od": {}}}, "conditions.od", "unknown-key"),
        ({"classes": ["a"]}, "components.component", "wrong-value"),
        ({"seed": -1}, "seed", "wrong-value"),
        ({"seed": 0.5}, "seed", "wrong-value"),
        ({"name": "a b"}, "components.a b", "wrong-value"),
        ({"data": None}, "data", "missing-key"),
        ({"data": {"imputs": X, "labels": Y}}, "data.test.imputs", "unknown-key"),
        ({"data": {"test": X}}, "data.test", "wrong-value"),
        ({"data": (X, Y, Y)}, "data.test", "wrong-value"),
        ({"data": 3}, "data.test", "wrong-value"),
        ({"data": {"inputs": X, "labels": Y, "attributes": X}}, "data.test.attributes", "wrong-value"),
        ({"data": {"model": (X, Y)}}, "components.component", "wrong-value"),
        ({"model": None}, "components.component.model", "missing-key"),
    ]:
        with told(changes):
            found = problem(**changes)
            assert (found.where, found.code) == (where, code)


def test_what_is_no_model_is_refused():
    for model in [3, "no such file", dict]:
        with told(model):
            assert problem(model=model).code in {"model-unreadable", "file-missing", "wrong-value"}


def test_a_value_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    assert "nested" in problem(evidence={"risk": {"step": "tallied", "among": loop}}).text


def test_all_problems_are_shown_together():
    with pytest.raises(DiagnosticsError) as caught:
        of(evidence={"a": {"step": "x"}, "b": {"step": "tallied", "level": 2}}, targets={"t": {"estimate": "c.d"}})
    assert len(caught.value.diagnostics) == 3


def test_places_are_lines_of_the_file_or_keys(small):
    project = load(write(small))
    lines = small.file.read_text().splitlines()
    assert project.where("seed") == "surefoot.yaml:1"
    assert project.where("evidence", "risk") == f"surefoot.yaml:{lines.index('  risk:') + 1}"
    assert project.where("evidence", "risk", "level") == project.where("evidence", "risk")
    assert of().where("evidence", "risk", "level") == "evidence.risk.level"
    assert of().where("components", "a", "classes", 2) == "components.a.classes[2]"


def test_a_project_can_be_sent_to_another_process(small):
    project = load(write(small))
    assert pickle.loads(pickle.dumps(project)) == project
    assert of() == of()


def test_the_public_names_are_these():
    assert sf.load is load
    assert sf.Project is Project
