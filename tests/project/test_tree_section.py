"""The section ``tree``: evidence feeds basic events, and the top event is a result like any other."""

import json
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from jsonschema import Draft202012Validator
from scipy import stats

import surefoot as sf
from surefoot.core import DiagnosticsError
from surefoot.project import check, from_data, json_schema, load, moved, plan, read_lock, verify, write_lock
from tests.project.conftest import ANSWERED, DEFINITION
from tests.refusals import told

TREE = """
surefoot-tree: 1
name: Door
top: door closes on somebody
gates:
  door closes on somebody: {and: [person is missed, beam fails]}
events:
  person is missed: {component: linear}
  beam fails: 0.001
"""
SECTION = {
    "answered_by": {**ANSWERED},
    "file": "door.yaml",
    "events": {"person is missed": "counted.failure probability"},
    "target": {"at_most": 1e-3, "source": "hazard analysis"},
}


@pytest.fixture
def door(small):
    (small.folder / "door.yaml").write_text(TREE)
    small.set_definition(tree=SECTION)
    return small


def problems(door, tree=None, **section):
    if tree is not None:
        (door.folder / "door.yaml").write_text(dedent(tree))
    door.set_definition(tree={**SECTION, **section})
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    return [f"{d.where}: [{d.code}] {d.text}" for d in caught.value.diagnostics]


def line_of(door, text):
    lines = door.file.read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_the_section_is_a_step_that_waits_for_its_evidence(door):
    tasks = {task.name: task for task in plan(load(door.file))}
    assert (tasks["tree"].step.name, tasks["tree"].needs) == ("fault_tree", ("counted",))
    assert list(tasks).index("counted") < list(tasks).index("tree")


def test_what_is_left_out_of_the_tree_is_a_problem_and_proves_nothing(door):
    (door.folder / "door.yaml").write_text(TREE.replace("gates:", "left out: [the order of events]\ngates:"))
    project = load(door.file)
    assert "tree-left-out" in [problem.code for problem in check(project)]
    answer = {answer.name: answer for answer in sf.run(project).answers}["tree"]
    assert answer.verdict.status == "not shown"
    assert "heuristic" in answer.verdict.text
    assert "tree-left-out" in [caveat.code for caveat in answer.estimate.caveats]


def test_the_top_event_is_answered(door):
    result = sf.run(load(door.file))
    answer = {answer.name: answer for answer in result.answers}["tree"]
    counted = result["counted.failure probability"]
    limit = stats.beta.ppf(0.95, counted.details["failures"] + 1, 400 - counted.details["failures"])
    assert answer.reference == "tree.top event probability"
    assert answer.verdict.bound.limit == pytest.approx(limit * 1e-3, rel=1e-9)
    assert answer.verdict.status == "met"
    assert answer.target.source == "hazard analysis"
    assert set(counted.assumptions) <= set(answer.estimate.assumptions)


def test_other_targets_may_refer_to_the_tree(door):
    targets = {"strict": {"estimate": "tree.top event probability", "at_most": 1e-9}}
    door.set_definition(tree=SECTION, targets=targets)
    assert {a.name: a.verdict.status for a in sf.run(load(door.file)).answers} == {"strict": "violated", "tree": "met"}


def test_what_would_be_needed_is_said_of_the_event(door):
    door.set_definition(tree={**SECTION, "target": {"at_most": 1e-5}})
    answer = next(a for a in sf.run(load(door.file)).answers if a.name == "tree")
    told = [text for text in answer.needed if "person is missed at most 0.01 would show it" in text]
    assert len(told) == 1


def test_the_section_is_the_step_written_out(door):
    short = sf.run(load(door.file))
    written = {"step": "fault_tree", **{key: value for key, value in SECTION.items() if key != "target"}}
    evidence = {**DEFINITION["evidence"], "tree": written}
    targets = {**DEFINITION["targets"], "tree": {"estimate": "tree.top event probability", **SECTION["target"]}}
    door.set_definition(evidence=evidence, targets=targets)
    assert sf.run(load(door.file)).keys["tree"] == short.keys["tree"]


def test_the_tree_may_stand_in_the_project_file(door):
    from_file = sf.run(load(door.file))["tree.top event probability"]
    inline = {key: value for key, value in yaml.safe_load(TREE).items() if key != "surefoot-tree"}
    section = {key: value for key, value in SECTION.items() if key != "file"}
    door.set_definition(tree={**section, "inline": inline})
    assert sf.run(load(door.file))["tree.top event probability"].digest == from_file.digest


def test_a_change_of_the_file_is_noticed(door):
    first = sf.run(load(door.file))
    write_lock(first, door.folder / "surefoot.lock")
    (door.folder / "door.yaml").write_text(TREE.replace("0.001", "0.002"))
    second = sf.run(load(door.file))
    assert second.keys["tree"] != first.keys["tree"]
    assert second.keys["counted"] == first.keys["counted"]
    assert second["tree.top event probability"].value == pytest.approx(2 * first["tree.top event probability"].value)
    told = {d.text.partition(" was ")[0] for d in moved(read_lock(door.folder / "surefoot.lock"), second)}
    assert {"evidence.tree.file", "tree", "tree.top event probability[Door]"} <= told


def test_another_limit_is_another_key(door):
    first = sf.run(load(door.file)).keys
    door.set_definition(tree={**SECTION, "target": {"at_most": 1e-5}})
    second = sf.run(load(door.file)).keys
    assert {name for name in first if first[name] != second[name]} == {"tree"}


def test_a_result_is_computed_again_from_its_files(door):
    result = sf.run(load(door.file))
    recorded = json.loads(json.dumps(result.to_dict()))
    assert [item for item in verify(recorded, sf.load(door.folder)).comparisons if not item.same] == []


def test_it_fits_the_schema(door):
    data = {**DEFINITION, "tree": SECTION}
    validator = Draft202012Validator(json_schema())
    assert list(validator.iter_errors(data)) == []
    assert list(validator.iter_errors({**data, "tree": {**SECTION, "evnts": {}}}))
    assert list(validator.iter_errors({**data, "tree": {**SECTION, "target": {"at_most": 1, "estimate": "a.b"}}}))


def test_a_project_in_memory_has_a_tree_too():
    project = sf.Project.of(
        "Door",
        model=lambda rows: rows,
        data=([[1.0, 0.0], [0.0, 1.0]] * 50, [0, 1] * 50),
        evidence={"counted": {"step": "binomial_bound"}},
        tree={
            "inline": {"gates": {"top": {"or": ["a", "b"]}}, "events": {"a": None, "b": 0.01}},
            "events": {"a": "counted.failure probability"},
            "target": {"at_most": 0.05},
        },
    )
    (answer,) = sf.run(project).answers
    assert answer.verdict.bound.limit == pytest.approx(1 - 0.99 * 0.05 ** (1 / 100), rel=1e-9)


def test_all_problems_of_the_tree_are_shown_with_its_lines(door):
    found = problems(door, TREE.replace("beam fails]", "beam fals]").replace("0.001", "1.5"))
    assert [text.partition(" '")[0] for text in found] == [
        "door.yaml:6: [tree-undefined]",
        "door.yaml:9: [tree-probability] event",
    ]


def test_problems_of_an_inline_tree_have_lines_of_the_project_file(door):
    inline = {"gates": {"top": {"or": ["person is missed", "beem"]}}, "events": {"person is missed": None, "beam": 2}}
    door.set_definition(tree={"inline": inline, "events": SECTION["events"]})
    with pytest.raises(DiagnosticsError) as caught:
        load(door.file)
    places = {d.where: d.code for d in caught.value.diagnostics}
    assert places[f"surefoot.yaml:{line_of(door, 'beam: 2')}"] == "tree-probability"
    assert places[f"surefoot.yaml:{line_of(door, 'top:')}"] == "tree-undefined"


def test_an_event_that_is_not_in_the_tree_is_found(door):
    (found,) = problems(door, events={"person is missd": "counted.failure probability", **SECTION["events"]})
    assert found.startswith(f"surefoot.yaml:{line_of(door, 'person is missd')}: [unknown-reference]")


def test_an_event_without_a_probability_is_found(door):
    (found,) = problems(door, events=None)
    assert "[missing-key]" in found
    assert "leaves out 'person is missed'" in found


def test_what_is_wrong_with_the_section_is_said(door):
    for section, code, text in [
        ({"events": {"person is missed": "countd.failure probability"}}, "unknown-reference", "'countd'"),
        ({"file": "dor.yaml"}, "file-missing", "tree.file names a file that is not there"),
        ({"file": None}, "missing-key", "needs exactly one of file and inline"),
        ({"drws": 100}, "unknown-key", "tree.drws is no parameter of the step 'fault_tree'"),
        ({"draws": 1}, "wrong-value", "tree.draws must be at least 100"),
        ({"target": {"at_most": 2.0}}, "wrong-value", "tree.target.at_most cannot be"),
        ({"target": {}}, "wrong-value", "tree.target needs exactly one of at_most, at_least and principle"),
        ({"target": {"at_most": 0.1, "leve": 0.9}}, "unknown-key", "tree.target.leve"),
        ({"step": "product"}, "wrong-value", "has the key step"),
        ({"top": "the roof"}, "tree-undefined", "the top event 'the roof' is not defined"),
    ]:
        with told(section):
            found = problems(door, **section)
            assert any(f"[{code}]" in each and text in each for each in found), found


@pytest.mark.parametrize("wrong", [5, [], "door.yaml"])
def test_a_section_is_a_mapping(door, wrong):
    door.set_definition(tree=wrong)
    with pytest.raises(DiagnosticsError, match="tree must be a mapping"):
        load(door.file)


@pytest.mark.parametrize("where", ["evidence", "targets"])
def test_nothing_else_has_the_name_of_the_section(door, where):
    clash = {
        "evidence": {"step": "binomial_bound"},
        "targets": {"estimate": "counted.failure probability", "at_most": 1},
    }
    door.set_definition(tree=SECTION, **{where: {**DEFINITION[where], "tree": clash[where]}})
    with pytest.raises(DiagnosticsError, match="has the section tree, and evidence or a target called tree"):
        load(door.file)


def test_what_is_odd_with_the_tree_is_a_warning(door):
    (door.folder / "door.yaml").write_text(f"{TREE}  spare: 0.5\n")
    (found,) = check(load(door.file))
    assert (found.code, found.severity, found.where) == ("tree-unreachable", "warning", "door.yaml")


def test_a_key_that_looks_like_a_mark_of_the_validator_is_a_key():
    with pytest.raises(DiagnosticsError) as caught:
        from_data({**DEFINITION, "[key]": None}, folder=Path("nowhere"))
    assert ("unknown-key", "'[key]'") in [(d.code, d.where) for d in caught.value.diagnostics]


@pytest.mark.parametrize("file", [[1, 2], 7, {"a": 1}, "x" * 5_000, "a\0b", ""])
@pytest.mark.parametrize("step", ["fault_tree", "scenario_tree", "hazop"])
def test_a_file_of_a_step_that_can_be_none_is_a_finding(small, step, file):
    evidence = {**DEFINITION["evidence"], "tree": {"step": step, "file": file}}
    with pytest.raises(DiagnosticsError):
        from_data({**DEFINITION, "evidence": evidence}, folder=small.folder)
