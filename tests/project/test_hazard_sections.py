"""The sections ``hazards`` and ``scenarios``: worksheets and chains become evidence, trees and targets."""

import json
from dataclasses import replace

import pytest
import yaml
from jsonschema import Draft202012Validator

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.hazards import Hazop, Item, Mitigation, Property, Row
from surefoot.project import json_schema
from surefoot.project.checking import load
from surefoot.project.plan import plan
from surefoot.report.requirements import requirements
from tests.project.conftest import DEFINITION

SHEET = Hazop(
    "Door",
    [
        Item("camera", parameters={"image": ("no", "late")}),
        Item("linear", learned=True, parameters={"answer": ("wrong value", "no value")}),
        Item("images", source="camera", target="linear", parameters={"data flow": ("too late",)}),
    ],
    [
        Row(
            "R1",
            "linear",
            "answer",
            "wrong value",
            causes=("person is missed",),
            consequences=("door closes on somebody",),
            mitigations=(Mitigation("light beam", ("P1",)),),
            severity="critical",
            likelihood="remote",
            status="reviewed",
            reviewer="A. Smith",
        ),
        Row("R2", "camera", "image", "no", causes=("lamp is broken",), consequences=("door stays open",)),
    ],
    [
        Property(
            "P1", "linear", "misses of persons", "at most", 0.5, "per demand", evidence="counted.failure probability"
        ),
        Property("P2", "door", "speed", "at most", 0.1, "m/s", verification="measured at the door"),
    ],
)
CHAINS = {
    "scenarios": [
        {
            "id": "S1",
            "rows": ["R1"],
            "chain": ["person is missed", "door moves", "door closes on somebody"],
            "barriers": {"door closes on somebody": ["beam fails"]},
        },
        {"id": "S2", "rows": ["R2"], "chain": ["lamp is broken", "door stays open"]},
    ],
    "events": {"beam fails": 1e-3, "lamp is broken": 1e-2},
}
SECTION = {
    "inline": CHAINS,
    "events": {"person is missed": "counted.failure probability"},
    "tops": {
        "closes": {"event": "door closes on somebody", "target": {"at_most": 1e-3, "source": "hazard analysis"}},
        "open": {"event": "door stays open"},
    },
}


@pytest.fixture
def door(small):
    SHEET.write(small.folder / "sheet.yaml")
    small.set_definition(hazards="sheet.yaml", scenarios=SECTION)
    return small


def problems(door, **section):
    door.set_definition(hazards="sheet.yaml", scenarios={**SECTION, **section})
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    return [f"{d.where}: [{d.code}] {d.text}" for d in caught.value.diagnostics]


def line_of(door, text):
    lines = door.file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_each_top_event_is_a_step_and_the_worksheet_is_one(door):
    tasks = {task.name: task for task in plan(load(door.file))}
    assert tasks["hazards"].step.name == "hazop"
    assert {tasks[name].step.name for name in ("closes", "open")} == {"scenario_tree"}
    assert tasks["closes"].needs == ("counted",)


def test_the_top_event_is_the_chain_with_its_barrier(door):
    result = sf.run(load(door.file))
    answer = {answer.name: answer for answer in result.answers}["closes"]
    missed = result["counted.failure probability"]
    assert answer.verdict.bound.limit == pytest.approx(missed.upper(0.95) * 1e-3, rel=1e-9)
    assert answer.target.source == "hazard analysis"
    assert result["open.top event probability"].value == pytest.approx(1e-2)


def test_every_basic_event_can_be_traced_to_its_row(door):
    evidence = sf.run(load(door.file)).evidence["closes"]
    traced = {row[0]: row[1] for row in evidence.tables["from events to rows"].rows}
    assert traced == {"person is missed": "R1", "beam fails": "R1", "lamp is broken": "R2"}
    back = {row[0]: row[3] for row in evidence.tables["from rows to events"].rows}
    assert back == {"R1": "door closes on somebody", "R2": "door stays open"}
    assert [row[0] for row in evidence.tables["chains"].rows] == ["S1"]


def test_an_incomplete_worksheet_is_an_assumption_nobody_checked(door):
    result = sf.run(load(door.file))
    found = {a.id: a for a in result["closes.top event probability"].assumptions}
    assert found["hazards-complete"].status == "unchecked"
    assert found["hazards-complete"].check.figures["considered"] == 2
    assert found["chains-complete"].status == "unchecked"


def test_a_complete_and_reviewed_worksheet_supports_the_assumption(door):
    rows = [
        Row(f"C{i}", d.item, d.parameter, d.guide_word, status="not credible", remark="no", reviewer="B")
        for i, d in enumerate(SHEET.deviations())
        if not d.considered
    ]
    done = [replace(row, status="reviewed", reviewer="B") for row in SHEET.rows]
    replace(SHEET, rows=(*done, *rows)).write(door.folder / "sheet.yaml")
    found = {a.id: a for a in sf.run(load(door.file))["closes.top event probability"].assumptions}
    assert found["hazards-complete"].status == "supported"


def test_the_report_has_the_worksheet_its_properties_and_the_trace(door):
    from surefoot import report

    result = sf.run(load(door.file))
    page = report.html(result)
    assert all(text in page for text in ("Hazard analysis", "light beam", "from events to rows", "A. Smith"))
    assert {each.property.id: each.status for each in requirements(result)["hazards"]} == {"P1": "met", "P2": "stated"}


def test_a_page_with_hazards_follows_from_the_result_inside_it(door, tmp_path):
    from surefoot import report
    from surefoot.report.comparison import same_page

    (tmp_path / "page.html").write_text(report.html(sf.run(load(door.file))), encoding="utf-8")
    assert same_page(tmp_path / "page.html")


def test_markup_in_a_worksheet_stays_text(door):
    from surefoot import report

    hostile = replace(SHEET.rows[0], causes=("<script>alert(1)</script>",), remark="<img src=x onerror=alert(1)>")
    replace(SHEET, rows=(hostile, SHEET.rows[1])).write(door.folder / "sheet.yaml")
    page = report.html(sf.run(load(door.file)))
    assert "<script>alert" not in page
    assert "<img src=x" not in page


def test_an_edit_of_the_worksheet_is_noticed(door):
    first = sf.run(load(door.file))
    replace(SHEET, rows=(replace(SHEET.rows[0], remark="seen"), SHEET.rows[1])).write(door.folder / "sheet.yaml")
    second = sf.run(load(door.file))
    assert first.keys["hazards"] != second.keys["hazards"]
    assert first.keys["closes"] != second.keys["closes"]


def test_an_edit_of_a_table_beside_a_csv_worksheet_is_noticed(door):
    SHEET.write(door.folder / "sheet.csv")
    door.set_definition(hazards="sheet.csv", scenarios=SECTION)
    first = sf.run(load(door.file))
    replace(SHEET, properties=()).write(door.folder / "sheet.csv")
    assert first.keys["hazards"] != sf.run(load(door.file)).keys["hazards"]


def test_without_chains_the_rows_give_them(door):
    door.set_definition(
        hazards="sheet.yaml",
        scenarios={
            "events": {"person is missed": "counted.failure probability"},
            "tops": {"closes": {"event": "door closes on somebody"}},
        },
    )
    result = sf.run(load(door.file))
    assert result["closes.top event probability"].value == pytest.approx(result["counted.failure probability"].value)


def test_one_top_event_needs_no_name(door):
    chains = {**CHAINS, "scenarios": CHAINS["scenarios"][:1], "events": {"beam fails": 1e-3}}
    target = {"at_most": 1e-3}
    section = {"inline": chains, "events": SECTION["events"], "target": target}
    door.set_definition(hazards="sheet.yaml", scenarios=section)
    result = sf.run(load(door.file))
    assert result.verdicts["scenarios"]


@pytest.mark.parametrize(
    ("section", "expected", "place"),
    [
        ({"events": {"person is mised": "counted.failure probability"}}, "[unknown-reference]", "person is mised"),
        ({"events": {}}, "[missing-key]", "events: {}"),
        ({"tops": {"closes": {"event": "door falls"}}}, "[unknown-reference]", "scenarios"),
        ({"inline": {**CHAINS, "scenaris": []}}, "[unknown-key]", "scenaris"),
        ({"file": "no.yaml", "inline": None}, "[file-missing]", "no.yaml"),
    ],
)
def test_what_is_wrong_is_found_before_anything_runs(door, section, expected, place):
    found = problems(door, **section)
    assert any(expected in text for text in found)
    assert any(text.startswith(f"surefoot.yaml:{line_of(door, place)}:") for text in found), found


def test_a_row_that_does_not_exist_is_an_error(door):
    chains = {**CHAINS, "scenarios": [{**CHAINS["scenarios"][0], "rows": ["R9"]}, CHAINS["scenarios"][1]]}
    assert any("[scenario-trace]" in text and "'R9'" in text for text in problems(door, inline=chains))


def test_a_loop_of_chains_is_an_error(door):
    more = {"id": "S3", "rows": ["R2"], "chain": ["door closes on somebody", "person is missed"]}
    found = problems(door, inline={**CHAINS, "scenarios": [*CHAINS["scenarios"], more]})
    assert any("[scenario-loop]" in text for text in found)


def test_an_unreadable_worksheet_is_an_error_with_its_line(door):
    (door.folder / "sheet.yaml").write_text("surefoot-hazop: 1\nname: Door\nrows: 7\n")
    with pytest.raises(DiagnosticsError, match=r"sheet\.yaml:3"):
        load(door.file)


@pytest.mark.parametrize("where", ["evidence", "targets"])
def test_nothing_else_has_the_name_of_a_top_event(door, where):
    clash = {
        "evidence": {"step": "stated", "quantity": "q", "value": 0.1, "source": "s"},
        "targets": {"estimate": "counted.failure probability", "at_most": 0.5},
    }
    named = {where: {**DEFINITION[where], "closes": clash[where]}}
    door.set_definition(hazards="sheet.yaml", scenarios=SECTION, **named)
    with pytest.raises(DiagnosticsError, match="has the section scenarios, and evidence or a target called closes"):
        load(door.file)


@pytest.mark.parametrize("hazards", ["sheet.yaml", {"file": "sheet.yaml"}])
def test_editors_accept_the_sections(door, hazards):
    door.set_definition(hazards=hazards, scenarios=SECTION)
    Draft202012Validator(json_schema()).validate(json.loads(json.dumps(yaml.safe_load(door.file.read_text()))))


def test_editors_refuse_a_misspelt_key(door):
    door.set_definition(hazards="sheet.yaml", scenarios={**SECTION, "evens": {}})
    assert not Draft202012Validator(json_schema()).is_valid(yaml.safe_load(door.file.read_text()))


def test_a_project_in_python_has_the_sections_too(door, monkeypatch):
    import numpy as np

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
