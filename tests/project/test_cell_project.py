"""Reliability in cells from a project file: checked, computed, verified."""

import json

import numpy as np
import pytest
import yaml

import surefoot as sf
from surefoot.project import json_schema, verify
from tests.project.cell_project import CellProject, rows
from tests.refusals import told


@pytest.fixture
def project(tmp_path):
    return CellProject(tmp_path)


def test_mistakes_in_the_file_are_found_before_anything_is_run(project):
    for changes, expected in [
        ({"labelled": "trian"}, "unknown-reference: evidence.cells.labelled names the data set 'trian'"),
        ({"labelled": None}, "missing-key: evidence.cells.labelled is missing. Name another data set of the component"),
        ({"labelled": "test"}, "wrong-value: evidence.cells.labelled names the data set 'test', which is that of on."),
        ({"operation": 3}, "wrong-value: evidence.cells.operation must be the name of a data set; found 3."),
        ({"side": 0}, "wrong-value: evidence.cells.side must be above 0"),
        ({"domain": [[0]]}, "wrong-value: evidence.cells.domain[0] must be a number or at least 2 long"),
        ({"estimator": "montecarlo"}, "Did you mean 'monte_carlo'?"),
        ({"bandwidth": "scot"}, "wrong-value: evidence.cells.bandwidth"),
        ({"side": None}, "missing-key: evidence.cells.side is missing."),
    ]:
        with told(changes):
            project.set_evidence(**changes)
            with pytest.raises(sf.DiagnosticsError) as caught:
                sf.load(project.file)
            (found,) = caught.value.diagnostics
            assert expected in f"{found.code}: {found.text} {found.hint}"


def test_labels_that_the_model_does_not_know_are_a_coded_error(project):
    inputs, labels = project.arrays("train")
    project.set_rows("train", inputs, np.where(labels, "right", "rihgt"))
    with pytest.raises(sf.DiagnosticsError, match=r"data-classes.*rihgt"):
        project.run()


def test_the_schema_accepts_what_loads_and_refuses_what_does_not(project):
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(json_schema())
    good = yaml.safe_load(project.file.read_text())
    assert [error.message for error in validator.iter_errors(good)] == []
    for changes in ({"labelled": None}, {"side": -1}, {"domain": 3}, {"operation": 3}, {"lablled": "train"}):
        bad = json.loads(json.dumps(good))
        bad["evidence"]["cells"] |= changes
        assert not validator.is_valid(bad), changes


def test_a_forest_in_a_file_is_read_exactly(project):
    forest = project.set_forest()
    found = project.run().evidence["cells"]
    inputs, labels = project.arrays("test")
    assert found["failure probability"].details["failures"] == int((forest.predict(inputs) != labels).sum())
    assert "sampled" not in " ".join(row[0] for row in found.tables["evidence"].rows)


def test_it_is_verified_and_only_the_held_out_set_is_looked_at(project):
    project.set_evidence(targets={"risk": {"estimate": "cells.failure probability", "at_most": 0.2}})
    result = project.run()
    assert set(result.digests) == {"side.test", "side.train", "side.model"}
    assert [looks.data for looks in result.looks] == ["side.test"]
    recorded = json.loads(json.dumps(result.to_dict()))
    assert [each.what for each in verify(recorded, sf.load(project.folder)).comparisons if not each.same] == []
    project.set_rows("train", *rows(300, 9))
    different = {
        each.what for each in verify(recorded, sf.load(project.folder)).comparisons if not each.same and each.matters
    }
    assert "file side.train" in different
    assert "result cells.failure probability by cells alone[side]" in different
