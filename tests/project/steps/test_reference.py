import inspect
from pathlib import Path

import pytest
from pydantic import ValidationError

from surefoot.project.step import find, step
from surefoot.project.steps.reference import BEGIN, END, reference, refresh

PAGE = Path(__file__).parents[3] / "docs" / "steps.md"
STEPS = pytest.mark.parametrize("step", [find(name) for name in step.own], ids=lambda step: step.name)


def test_the_page_has_the_reference_of_the_steps_as_they_are(tmp_path):
    copy = tmp_path / "steps.md"
    copy.write_text(PAGE.read_text())
    refresh(copy)
    assert copy.read_text() == PAGE.read_text(), "run surefoot.project.steps.reference.refresh on docs/steps.md"


def test_refresh_changes_only_what_lies_between_the_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nwas here\n{END}\nafter\n")
    refresh(page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "was here" not in text
    assert reference() in text


@STEPS
def test_every_step_and_every_parameter_is_explained(step):
    assert len(step.summary) > 20
    assert step.summary.endswith(".")
    assert "Gives" in inspect.getdoc(step.function)
    assert [name for name, field in step.fields.items() if not field.description] == []


@STEPS
def test_defaults_are_valid_and_survive_json(step):
    needed = {"metric": "recall", "quantity": "x", "value": 0.1, "source": "y", "side": 0.1, "domain": [0, 1]}
    needed |= {"file": "sheet.yaml", "layer": "features", "study": "system:study"}
    given = {name: needed[name] for name, field in step.fields.items() if field.is_required()}
    dumped = step.parameters.model_validate(given).model_dump(mode="json")
    assert step.parameters.model_validate(dumped).model_dump(mode="json") == dumped


@pytest.mark.parametrize(
    ("name", "given"),
    [
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
    ],
)
def test_a_project_file_cannot_say_what_a_step_does_not_mean(name, given):
    with pytest.raises(ValidationError):
        find(name).parameters.model_validate(given)


def test_stated_coverage_is_a_mapping_or_a_choice():
    model = find("metric_opinion").parameters
    for coverage in (True, False, {"covered": 3, "total": 9}):
        assert model.model_validate({"metric": "recall", "coverage": coverage}).model_dump()["coverage"] == coverage
