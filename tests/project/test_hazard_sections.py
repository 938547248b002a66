"""The sections ``hazards`` and ``scenarios``: worksheets and chains become evidence, trees and targets."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from jsonschema import Draft202012Validator

import surefoot as sf
from surefoot import report
from surefoot.core import DiagnosticsError
from surefoot.hazards import Row
from surefoot.project import json_schema, load, plan
from surefoot.report import same_page
from tests.project.conftest import Small
from tests.project.doors import ANSWERED, CHAINS, SECTION, SHEET, set_sections


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Evidence that all tests share, so that what did not change is computed once."""
    return tmp_path_factory.mktemp("evidence")


@pytest.fixture(scope="module")
def result(tmp_path_factory, store):
    small = Small(tmp_path_factory.mktemp("door"))
    set_sections(small)
    return sf.run(load(small.file), store=store)


@pytest.fixture
def door(small):
    set_sections(small)
    return small


def test_each_top_event_is_a_step_and_the_worksheet_is_one(door):
    tasks = {task.name: task for task in plan(load(door.file))}
    assert tasks["hazards"].step.name == "hazop"
    assert {tasks[name].step.name for name in ("closes", "open")} == {"scenario_tree"}
    assert tasks["closes"].needs == ("counted",)


def test_the_top_event_is_the_chain_with_its_barrier(result):
    answer = {answer.name: answer for answer in result.answers}["closes"]
    missed = result["counted.failure probability"]
    assert answer.verdict.bound.limit == pytest.approx(missed.upper(0.95) * 1e-3, rel=1e-9)
    assert answer.target.source == "hazard analysis"
    assert result["open.top event probability"].value == pytest.approx(1e-2)


def test_every_basic_event_can_be_traced_to_its_row(result):
    evidence = result.evidence["closes"]
    traced = {row[0]: row[1] for row in evidence.tables["from events to rows"].rows}
    assert traced == {"person is missed": "R1", "beam fails": "R1"}
    back = {row[0]: row[3] for row in evidence.tables["from rows to events"].rows}
    assert back == {"R1": "door closes on somebody"}
    assert [row[0] for row in evidence.tables["chains"].rows] == ["S1"]


def test_an_incomplete_worksheet_is_an_assumption_nobody_checked(result):
    found = {a.id: a for a in result["closes.top event probability"].assumptions}
    assert found["hazards-complete"].status == "unchecked"
    assert found["hazards-complete"].check.figures["considered"] == 2
    assert found["chains-complete"].status == "unchecked"


def test_a_complete_and_reviewed_worksheet_supports_the_assumption(door, store):
    rows = [
        Row(f"C{i}", d.item, d.parameter, d.guide_word, status="not credible", remark="no", reviewer="B")
        for i, d in enumerate(SHEET.deviations())
        if not d.considered
    ]
    done = [replace(row, status="reviewed", reviewer="B") for row in SHEET.rows]
    replace(SHEET, rows=(*done, *rows)).write(door.folder / "sheet.yaml")
    found = {a.id: a for a in sf.run(load(door.file), store=store)["closes.top event probability"].assumptions}
    assert found["hazards-complete"].status == "supported"


def test_the_report_has_the_worksheet_its_properties_and_the_trace(result):
    page = report.html(result)
    assert all(text in page for text in ("Hazard analysis", "light beam", "from events to rows", "A. Smith"))


def test_a_page_with_hazards_follows_from_the_result_inside_it(result, tmp_path):
    (tmp_path / "page.html").write_text(report.html(result), encoding="utf-8")
    assert same_page(tmp_path / "page.html")


def test_markup_in_a_worksheet_stays_text(door, store):
    hostile = replace(SHEET.rows[0], causes=("<script>alert(1)</script>",), remark="<img src=x onerror=alert(1)>")
    replace(SHEET, rows=(hostile, SHEET.rows[1])).write(door.folder / "sheet.yaml")
    page = report.html(sf.run(load(door.file), store=store))
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_an_edit_of_the_worksheet_is_noticed(result, door, store):
    assert sf.run(load(door.file), store=store).keys == result.keys
    replace(SHEET, rows=(replace(SHEET.rows[0], remark="seen"), SHEET.rows[1])).write(door.folder / "sheet.yaml")
    edited = sf.run(load(door.file), store=store)
    assert {name for name, key in edited.keys.items() if key != result.keys[name]} == {"hazards", "closes", "open"}


def test_an_edit_of_a_table_beside_a_csv_worksheet_is_noticed(door, store):
    SHEET.write(door.folder / "sheet.csv")
    door.set_definition(hazards="sheet.csv", scenarios=SECTION)
    first = sf.run(load(door.file), store=store)
    replace(SHEET, properties=()).write(door.folder / "sheet.csv")
    assert first.keys["hazards"] != sf.run(load(door.file), store=store).keys["hazards"]


def test_without_chains_the_rows_give_them(door, store):
    door.set_definition(
        hazards="sheet.yaml",
        scenarios={
            "events": {"person is missed": "counted.failure probability"},
            "tops": {"closes": {"event": "door closes on somebody"}},
        },
    )
    result = sf.run(load(door.file), store=store)
    assert result["closes.top event probability"].value == pytest.approx(result["counted.failure probability"].value)


def test_one_top_event_needs_no_name(door, store):
    chains = {**CHAINS, "scenarios": CHAINS["scenarios"][:1], "events": {"beam fails": 1e-3}}
    target = {"at_most": 1e-3}
    section = {"inline": chains, "events": SECTION["events"], "target": target, "answered_by": {**ANSWERED}}
    door.set_definition(hazards="sheet.yaml", scenarios=section)
    result = sf.run(load(door.file), store=store)
    assert result.verdicts["scenarios"]


@pytest.mark.parametrize("hazards", ["sheet.yaml", {"file": "sheet.yaml"}])
def test_editors_accept_the_sections(door, hazards):
    door.set_definition(hazards=hazards, scenarios=SECTION)
    Draft202012Validator(json_schema()).validate(json.loads(json.dumps(yaml.safe_load(door.file.read_text()))))


def test_editors_refuse_a_misspelt_key(door):
    door.set_definition(hazards="sheet.yaml", scenarios={**SECTION, "evens": {}})
    assert not Draft202012Validator(json_schema()).is_valid(yaml.safe_load(door.file.read_text()))


def test_a_project_in_python_has_the_sections_too(door, monkeypatch):
    monkeypatch.chdir(door.folder)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 300)
    project = sf.Project.of(
        "Door",
        model=lambda rows: np.column_stack([1 - rows[:, 0], rows[:, 0]]),
        data=(labels[:, None] * 0.5 + rng.uniform(0, 0.49, (300, 1)), labels),
        evidence={"counted": {"step": "binomial_bound"}},
        hazards="sheet.yaml",
        scenarios=SECTION,
    )
    assert sf.run(project).verdicts["closes"]


def test_a_project_may_start_from_a_worksheet_alone(door):
    stated = {**CHAINS, "events": {**CHAINS["events"], "person is missed": 0.02}}
    section = {"inline": stated, "tops": SECTION["tops"], "answered_by": {**ANSWERED}}
    text = {"version": 1, "system": {"name": "Door"}, "hazards": "sheet.yaml", "scenarios": section}
    door.file.write_text(yaml.safe_dump(text))
    assert Draft202012Validator(json_schema()).is_valid(text)
    result = sf.run(load(door.file))
    assert result["closes.top event probability"].value == pytest.approx(2e-5)
    assert type(result).from_dict(result.to_dict()).verdicts["closes"]


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({}, "[missing-key] evidence is missing. Or add one of tree, hazards, scenarios."),
        ({"evidence": {"e": {"step": "binomial_bound"}}}, "[missing-key] components is missing."),
    ],
)
def test_what_a_project_cannot_leave_out_is_told(door, parts, told):
    door.file.write_text(yaml.safe_dump({"version": 1, "system": {"name": "Door"}, **parts}))
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    assert told in str(caught.value)
