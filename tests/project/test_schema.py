"""The published schema accepts what loads and refuses what is misspelt, so that editors say it first."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from surefoot.core import DiagnosticsError
from surefoot.project import json_schema, load, step_names, step_schema
from tests.project.conftest import DEFINITION
from tests.project.sample_steps import register
from tests.project.writing import ABSENT, definition, write
from tests.refusals import told


@pytest.fixture(autouse=True)
def _steps(monkeypatch):
    register(monkeypatch)


@pytest.fixture
def validator():
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


GOOD = [
    {},
    {"components__linear__model": "linear:predict", "components__linear__data__test": "test.npz"},
    {"components__linear__classes": ["no", "yes"], "seed": 3},
    {"conditions": {"assumptions": [{"id": "a", "text": "A.", "column": "age", "one_of": [1, "x", True]}]}},
    {"conditions": {"odd": {"time of day": ["day", "night"]}}},
    {"targets__low": {"estimate": "risk.x", "at_least": 0.5, "kinds": ["heuristic"]}},
    {"targets": {}},
    {"case": {"claim": "Safe.", "context": ["x"]}},
    {"evidence__risk": {"step": "tallied", "component": "linear", "on": "test", "of": "no", "level": 0.9}},
    {"evidence__g": {"step": "guessed", "value": 1, "how": "boldly", "at": [[1, 2.5]]}},
    {"evidence__c": {"step": "combined", "factors": {"a": "risk.x y"}, "extra": None, "others": ["risk.z"]}},
]
BAD = [
    {"version": 2},
    {"version": ABSENT},
    {"sytem": {}},
    {"system__hazzard": "x"},
    {"components": {}},
    {"components__two words": {"data": {"test": "test.npz"}}},
    {"components__linear__model": {"path": "a.onnx", "callable": "linear:predict"}},
    {"components__linear__model": 3},
    {"components__linear__data__test__lables": "y"},
    {"components__linear__classes": ["no", 3.5]},
    {"evidence__risk": {"step": "talied"}},
    {"evidence__risk": {"stpe": "counted"}},
    {"evidence__risk": {"step": "tallied", "levle": 0.9}},
    {"evidence__risk": {"step": "tallied", "level": 95}},
    {"evidence__risk": {"step": "tallied", "level": "0.9"}},
    {"evidence__g": {"step": "guessed"}},
    {"evidence__g": {"step": "guessed", "value": 1, "how": "bodly"}},
    {"evidence__g": {"step": "guessed", "value": 1, "component": "linear"}},
    {"evidence__c": {"step": "combined", "factors": {"a": "risk"}}},
    {"evidence__c": {"step": "combined", "factors": "risk.x"}},
    {"targets__low": {"estimate": "risk.x"}},
    {"targets__low": {"estimate": "risk.x", "at_most": 0.1, "at_least": 0.1}},
    {"seed": -1},
]


def test_what_loads_fits_the_schema(small, validator):
    for change in GOOD:
        with told(change):
            load(write(small, **change))
            assert [error.message for error in validator.iter_errors(definition(**change))] == []


def test_what_does_not_fit_the_schema_does_not_load_either(small, validator):
    for change in BAD:
        with told(change):
            assert not validator.is_valid(definition(**change))
            with pytest.raises(DiagnosticsError):
                load(write(small, **change))


def test_the_whole_project_of_the_other_tests_fits(validator):
    assert [error.message for error in validator.iter_errors(DEFINITION)] == []


def test_every_step_is_described_with_its_parameters():
    schema = json_schema()
    choices = {
        choice["const"]: choice["description"]
        for choice in schema["$defs"]["EvidenceSource"]["properties"]["step"]["oneOf"]
    }
    assert set(choices) == set(step_names())
    assert all(choices.values())
    counted = schema["$defs"]["step.tallied"]
    assert counted["description"] == "Count failures.\n\nOf one class, or of all."
    assert counted["properties"]["level"]["description"] == "How sure to be."
    assert counted["properties"]["level"]["default"] == 0.95
    assert list(counted["properties"]) == ["step", "component", "on", "level", "of", "among"]


def test_keys_of_the_file_are_explained():
    schema = json_schema()
    model = schema["$defs"]["ModelSource"]["anyOf"][1]["properties"]
    assert "safetensors" in model["weights"]["description"]
    assert "step.quantity" in schema["$defs"]["TargetSource"]["properties"]["estimate"]["description"]
    assert "title" not in model["path"]


def test_the_schema_of_steps_stands_alone():
    schema = step_schema()
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"step": "tallied", "level": 0.5})
    assert not validator.is_valid({"step": "tallied", "level": 5})
    assert not validator.is_valid({"step": "talied"})


def test_schemas_are_plain_json_and_say_what_they_are():
    for schema in (json_schema(), step_schema()):
        assert json.loads(json.dumps(schema, allow_nan=False)) == schema
        assert schema["$schema"].endswith("2020-12/schema")
        assert schema["$id"].startswith("urn:surefoot:")
        assert schema["title"]


def test_yaml_and_schema_agree_on_words(small, validator):
    text = yaml.safe_dump(definition(), sort_keys=False).replace("'no'", "no").replace("'yes'", "yes")
    small.file.write_text(text)
    assert load(small.file).definition.components["linear"].classes == ["no", "yes"]
