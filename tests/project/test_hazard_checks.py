"""What is wrong with worksheets, chains, candidates and costs is found before anything runs, with its line."""

import pytest

from surefoot.core import DiagnosticsError
from surefoot.project import load
from tests.project.conftest import DEFINITION
from tests.project.doors import CHAINS, SECTION, set_sections
from tests.refusals import told


@pytest.fixture
def door(small):
    set_sections(small)
    return small


def problems(door, **section):
    set_sections(door, **section)
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    return [f"{d.where}: [{d.code}] {d.text}" for d in caught.value.diagnostics]


def line_of(door, text):
    lines = door.file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_what_is_wrong_is_found_before_anything_runs(door):
    for section, expected, place in [
        ({"events": {"person is mised": "counted.failure probability"}}, "[unknown-reference]", "person is mised"),
        ({"events": {}}, "[missing-key]", "events: {}"),
        ({"tops": {"closes": {"event": "door falls"}}}, "[unknown-reference]", "scenarios"),
        ({"inline": {**CHAINS, "scenaris": []}}, "[unknown-key]", "scenaris"),
        ({"file": "no.yaml", "inline": None}, "[file-missing]", "no.yaml"),
    ]:
        with told(section):
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


CANDIDATE = {"events": {"beam fails": "x0.1"}, "cost": 300}


def test_a_wrong_candidate_or_cost_is_found_although_the_target_is_met(small):
    for section in ["scenarios", "tree"]:
        for wishes, code, place in [
            ({"costs": {"beam fais": 10.0}}, "[unknown-reference]", "beam fais"),
            ({"costs": {"door moves": 10.0}}, "[unknown-reference]", "door moves: 10.0"),
            ({"candidates": {"beam": {"events": {"beam fais": 0.1}}}}, "[unknown-reference]", "beam fais"),
            ({"candidates": {"beam": {"events": {"beam fails": "twice"}}}}, "[wrong-value]", "twice"),
            ({"candidates": {"beam": {"events": {"beam fails": 1.5}}}}, "[wrong-value]", "beam fails: 1.5"),
            ({"candidates": {"beam": {"events": {"door moves": "x0.1"}}}}, "[wrong-value]", "door moves: x0.1"),
            ({"candidates": {"beam": {**CANDIDATE, "cots": 3}}}, "[unknown-key]", "beam:"),
            ({"candidates": {"beam": {"cost": 3}}}, "[missing-key]", "beam:"),
        ]:
            with told((wishes, section)):
                if section == "scenarios":
                    set_sections(small, **wishes)
                else:
                    gates = {
                        "closes": {"and": ["door moves", "beam fails"]},
                        "door moves": {"or": ["person is missed"]},
                    }
                    tree = {"top": "closes", "gates": gates, "events": {"person is missed": None, "beam fails": 1e-3}}
                    small.set_definition(tree={"inline": tree, "events": SECTION["events"], **wishes})
                with pytest.raises(DiagnosticsError) as caught:
                    load(small.file)
                found = [f"{d.where}: [{d.code}] {d.text}" for d in caught.value.diagnostics]
                assert [code in text for text in found] == [True]
                assert found[0].startswith(f"surefoot.yaml:{line_of(small, place)}:"), found


def test_candidates_and_costs_may_bear_on_one_of_several_top_events(door):
    costs = {"beam fails": 10.0, "lamp is broken": 1.0}
    lamp = {"events": {"lamp is broken": "x0.1"}}
    set_sections(door, costs=costs, candidates={"beam": CANDIDATE, "lamp": lamp})
    load(door.file)


def test_a_factor_of_an_event_that_evidence_feeds_is_no_problem(door):
    set_sections(door, candidates={"better": {"events": {"person is missed": "x0.1"}}})
    load(door.file)


def test_chains_in_a_file_are_found_with_the_line_of_that_file(door):
    (door.folder / "chains.yaml").write_text("surefoot-scenarios: 1\nscenarios:\n- {id: S1, chain: [a]}\n")
    assert any(text.startswith("chains.yaml:3: [") for text in problems(door, inline=None, file="chains.yaml"))


def test_chains_come_from_one_place(door):
    (door.folder / "chains.yaml").write_text("surefoot-scenarios: 1\n")
    found = problems(door, file="chains.yaml")
    assert any("scenarios need one of file and inline; found both" in text for text in found)


def test_chains_need_a_source(small):
    small.set_definition(scenarios={"tops": SECTION["tops"]})
    with pytest.raises(DiagnosticsError, match="needs chains: a file, inline ones or a worksheet"):
        load(small.file)


def test_a_worksheet_behind_chains_that_cannot_be_read_is_told_once(door):
    (door.folder / "sheet.yaml").write_text("surefoot-hazop: 1\nrows: 7\n")
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    assert len({str(d) for d in caught.value.diagnostics}) == len(caught.value.diagnostics)
    assert {d.where.partition(":")[0] for d in caught.value.diagnostics} == {"sheet.yaml"}
