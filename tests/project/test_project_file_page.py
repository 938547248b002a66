"""The page on the project file tells the truth: its example loads, and no key is left out."""

import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from surefoot.documents import Findings, yaml
from surefoot.project import Conditions, Definition, definition, json_schema, load
from tests.refusals import told

PAGE = (Path(__file__).parents[2] / "docs" / "project-file.md").read_text()
EXAMPLE = re.search(r"^```yaml\n(version:.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]
PARTS = (
    definition.System,
    definition.Condition,
    Conditions,
    definition.ModelSource,
    definition.DataSource,
    definition.Component,
)
PARTS += (definition.ReferenceSource, definition.ExposureSource, definition.ScenariosSource, definition.TopSource)
PARTS += (
    definition.EvidenceSource,
    definition.LimitSource,
    definition.TargetSource,
    definition.TreeSource,
    definition.CaseSource,
    Definition,
)
PARTS += (definition.AcceptedSource, definition.FeedbackSource)
PARTS += (definition.DocumentControl, definition.Reviewer, definition.DocumentEntry)
TREE = """
surefoot-tree: 1
gates: {woman is sent home: {or: [cancer is missed, film is lost]}}
events: {cancer is missed: , film is lost: 1.0e-6}
"""


def test_the_example_loads(tmp_path):
    (tmp_path / "surefoot.yaml").write_text(EXAMPLE)
    for name in ("model.skops", "test.npz"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "tree.yaml").write_text(TREE)
    assert list(load(tmp_path).definition.targets) == ["misses"]


def test_the_example_fits_the_schema():
    data = yaml.parse(EXAMPLE, Findings("example")).data
    assert [error.message for error in Draft202012Validator(json_schema()).iter_errors(data)] == []


def test_the_example_of_a_principle_gives_a_target():
    text = re.search(r"^```yaml\n(targets:.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]
    target = definition.TargetSource.model_validate(
        yaml.parse(text, Findings("example")).data["targets"]["distance"]
    ).target
    assert target.at_most == pytest.approx(1 - (1 - 12 / 48_000 / 2) ** (1 / 6))
    assert target.cautious_limit(target.alpha) < target.at_most


def test_every_key_is_explained():
    for part in PARTS:
        with told(part):
            assert [name for name in part.model_fields if f"`{name}`" not in PAGE] == []
