"""Estimates of one quantity and scope that exclude each other: told first, and no verdict is drawn from either."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import surefoot as sf
from surefoot.cli import app
from surefoot.core import Assumption, Check, Evidence
from surefoot.project import contradictions, verify
from surefoot.report import html, junit, markdown
from tests.project.conftest import ANSWERED, DEFINITION
from tests.refusals import told

CODE, AGREE = "estimates-contradict", "estimates-agree"
EVIDENCE = {
    "tested": {"step": "binomial_bound", "on": "test"},
    "field": {"step": "binomial_bound", "on": "field"},
    "exposure": {
        "step": "stated",
        "quantity": "exposure",
        "value": 0.01,
        "source": "a guess",
        "answered_by": {**ANSWERED},
    },
    "hazard": {"step": "product", "factors": {"miss": "tested.failure probability", "exposure": "exposure.exposure"}},
}
TARGETS = {
    "tests": {"estimate": "tested.failure probability", "at_most": 0.2},
    "operation": {"estimate": "field.failure probability", "at_most": 0.2},
    "hazard": {"estimate": "hazard.hazard probability", "at_most": 0.5},
    "exposed": {"estimate": "exposure.exposure", "at_most": 0.5},
}


def counted(failures, trials=100, **about):
    return sf.bounds.clopper_pearson(failures, trials, level=0.95, **about)


def pairs(**estimates):
    return [(each.lower, each.higher) for each in contradictions({n: Evidence((e,)) for n, e in estimates.items()})]


@pytest.fixture
def apart(small):
    """The same component on two data sets, on one of which it fails far more often."""
    with np.load(small.folder / "test.npz") as data:
        inputs, labels = data["X"] + 0.01, data["y"]
        np.savez(small.folder / "field.npz", X=inputs, y=np.where(np.arange(labels.size) % 2, labels, 1 - labels))
    parts = json.loads(json.dumps(DEFINITION))
    parts["components"]["linear"]["data"]["field"] = {"path": "field.npz", "inputs": "X", "labels": "y"}
    parts |= {"evidence": EVIDENCE, "targets": TARGETS}
    small.file.write_text(yaml.safe_dump(parts, sort_keys=False))
    return small


def test_neither_of_two_estimates_that_exclude_each_other_gives_a_verdict_nor_what_rests_on_them(apart):
    result = sf.run(sf.load(apart.file))
    statuses = {name: verdict.status for name, verdict in result.verdicts.items()}
    assert statuses == {"tests": "not shown", "operation": "not shown", "hazard": "not shown", "exposed": "met"}
    for step, marks in (("tested", True), ("field", True), ("hazard", True), ("exposure", False)):
        (estimate,) = result.evidence[step].estimates
        assert (AGREE in {a.id for a in estimate.assumptions if a.status == "contradicted"}) == marks
    (finding,) = result.disagreements
    assert "tested.failure probability[linear]" in finding.text
    assert "field.failure probability[linear]" in finding.text
    assert not result.met


def test_it_stands_on_the_first_screen_in_the_terminal_and_in_files(apart):
    result = sf.run(sf.load(apart.file))
    (finding,) = result.disagreements
    first = html(result).partition("<nav")[0]
    assert "contradict each other" in first
    assert finding.text.split(";")[0] in first
    assert f'name="{CODE}"' in junit(result)
    assert "contradict each other" in markdown(result)
    assert CODE in {caveat["code"] for caveat in result.to_dict()["caveats"]}
    for fail_on in ("not-shown", "violated"):
        said = CliRunner().invoke(app, ["assess", str(apart.file), "--fail-on", fail_on])
        assert said.exit_code == 1, said.output
        assert CODE in said.output


def test_a_result_with_a_contradiction_is_verified_and_read_back(apart):
    result = sf.run(sf.load(apart.file))
    recorded = json.loads(json.dumps(result.to_dict()))
    assert [each.what for each in verify(recorded, sf.load(apart.folder)).comparisons if not each.same] == []
    assert sf.Result.from_dict(recorded).disagreements == result.disagreements


def test_estimates_that_agree_are_left_as_they_are(small):
    small.set_definition(
        evidence={"one": {"step": "binomial_bound"}, "two": {"step": "binomial_bound", "method": "wilson"}}, targets={}
    )
    result = sf.run(sf.load(small.file))
    assert result.disagreements == ()
    assert AGREE not in {a.id for item in result.evidence.values() for a in item.assumptions}


def test_two_limits_that_hold_together_are_compared_whichever_comes_first():
    for failures in range(20, 46):
        with told(failures):
            few, many = counted(10), counted(failures)
            exclude = few.upper(0.975) < many.lower(0.975)
            expected = [("a.failure probability", "b.failure probability")] if exclude else []
            assert pairs(a=few, b=many) == expected
            assert pairs(b=many, a=few) == expected


def test_the_range_above_holds_both_outcomes():
    assert counted(10).upper(0.975) >= counted(20).lower(0.975)
    assert counted(10).upper(0.975) < counted(45).lower(0.975)


def test_what_is_named_apart_computed_from_others_or_contradicted_already_is_not_compared():
    low, high = counted(0), counted(90)
    assert pairs(a=low, b=high)
    assert not pairs(a=low, b=replace(high, scope="another"))
    assert not pairs(a=low, b=replace(high, unit="per hour"))
    assert not pairs(a=low, b=replace(high, quantity="another"))
    computed = sf.propagate(lambda x: x, {"x": high}, quantity=low.quantity, direction={"x": 1}, level=0.95)
    assert not pairs(a=low, b=computed)
    broken = Assumption("iid", "rows are independent", Check("contradicted", "copies"))
    assert not pairs(a=low, b=replace(high, assumptions=(broken,)))


def test_a_stated_value_that_tests_exclude_is_a_contradiction():
    stated = sf.Estimate.known("failure probability", 0.5, source="a data sheet")
    assert pairs(a=counted(1), b=stated) == [("a.failure probability", "b.failure probability")]
