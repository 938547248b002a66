import inspect

import pytest
from pydantic import ValidationError
from tests.refusals import told

from surefoot.project import built_in_steps, find_step


def test_every_step_and_every_parameter_is_explained():
    for name in built_in_steps():
        step = find_step(name)
        with told(name):
            assert len(step.summary) > 20
            assert step.summary.endswith(".")
            assert "Gives" in inspect.getdoc(step.function)
            assert [name for name, field in step.fields.items() if not field.description] == []


def test_defaults_are_valid_and_survive_json():
    for name in built_in_steps():
        step = find_step(name)
        with told(name):
            needed = {"metric": "recall", "quantity": "x", "value": 0.1, "source": "y", "side": 0.1, "domain": [0, 1]}
            needed |= {"file": "sheet.yaml", "layer": "features", "study": "system:study"}
            needed |= {
                "agreement": dict.fromkeys(("failures_caught", "failures_checked", "right_passed", "right_checked"), 5)
            }
            needed |= {"document": {"url": "https://example.org/report.pdf"}, "kind": "review", "function": "timing"}
            given = {name: needed[name] for name, field in step.fields.items() if field.is_required()}
            dumped = step.parameters.model_validate(given).model_dump(mode="json")
            assert step.parameters.model_validate(dumped).model_dump(mode="json") == dumped


def test_a_project_file_cannot_say_what_a_step_does_not_mean():
    for name, given in [
        ("binomial_bound", {"level": 1}),
        ("binomial_bound", {"method": "exact"}),
        ("binomial_bound", {"undesired": {"child": []}}),
        ("binomial_bound", {"max_group_size": 0}),
        ("loss_bound", {"loss": "squared"}),
        ("metric_opinion", {"metric": "recall", "coverage": {"covered": 3}}),
        ("metric_opinion", {"metric": "recall", "coverage": {"covered": 3, "all": 9}}),
        ("metric_opinion", {"metric": "recall", "prior_weight": 0}),
        ("metric_opinion", {}),
        ("normal_bound", {"scale": "ln"}),
        ("product", {"quantity": ""}),
        ("stated", {"quantity": "x", "value": float("nan"), "source": "y"}),
        ("stated", {"quantity": "x", "value": 1}),
        ("stated", {"quantity": "x", "value": 1, "source": "y", "unti": "per hour"}),
    ]:
        with told(name), pytest.raises(ValidationError):
            find_step(name).parameters.model_validate(given)


def test_stated_coverage_is_a_mapping_or_a_choice():
    model = find_step("metric_opinion").parameters
    for coverage in (True, False, {"covered": 3, "total": 9}):
        assert model.model_validate({"metric": "recall", "coverage": coverage}).model_dump()["coverage"] == coverage
