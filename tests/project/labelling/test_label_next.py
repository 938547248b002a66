"""From an assessed project to rows to label, and back into the project."""

import numpy as np
import pytest
from tests.project.labelling.world import CLASSES, OPERATION, STRATIFIED, TEST, TREE, fill, project

from surefoot.core import DiagnosticsError
from surefoot.documents import Findings, yaml
from surefoot.project import Store, label_next, run

COUNTED = {"step": "binomial_bound"}


@pytest.fixture
def store():
    return Store.open(None)


@pytest.fixture
def planned(store):
    run(project(COUNTED), store=store)
    return label_next(project(COUNTED), store=store, labels=200)


def test_doubtful_inputs_get_more_labels_than_their_share(planned):
    (first, second, third) = planned.table().rows
    shares, added = zip(*((row[2], row[-1]) for row in (first, second, third)), strict=True)
    assert sum(added) == 200
    assert added[0] > 2 * 200 * shares[0]
    assert sum(shares) == pytest.approx(1)


def test_the_rows_are_those_of_operation(planned):
    scores = {row.row: row.score for row in planned.rows}
    right = 1 / (1 + np.exp(-8 * OPERATION[0][:, 0]))
    assert all(score == pytest.approx(max(right[row], 1 - right[row])) for row, score in scores.items())
    assert {row.answer for row in planned.rows} == set(CLASSES)


def test_the_loop_closes(planned, store, tmp_path, monkeypatch):
    """Whether one draw lowers the bound is chance; that every label is weighed by its stratum is not."""
    monkeypatch.chdir(tmp_path)
    planned.write("labels.csv")
    fill("labels.csv")
    found = run(project({**STRATIFIED, "labels": "labels.csv"}), store=store)
    names, shares, labelled, failures = zip(
        *(weighed(stratum, planned) for stratum in planned.table().rows), strict=True
    )
    rows = {row[0]: row for row in found.evidence["counted"].tables["strata"].rows}
    assert [rows[name][2] for name in names] == list(labelled)
    assert [rows[name][4] for name in names] == list(failures)
    expected = sum(w * k / n for w, k, n in zip(shares, failures, labelled, strict=True))
    assert found["counted.failure probability"].value == pytest.approx(expected)


def weighed(stratum, planned):
    """A stratum after the labels, counted by hand: name, share, labelled rows, failures."""
    _, name, share, before, failed, _ = stratum
    drawn = [row for row in planned.rows if row.stratum == name]
    wrong = sum(row.answer != CLASSES[OPERATION[1][row.row]] for row in drawn)
    return name, share, before + len(drawn), failed + wrong


def test_a_second_round_draws_other_rows(planned, store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    planned.write("labels.csv")
    fill("labels.csv")
    again = project({**STRATIFIED, "labels": "labels.csv"})
    run(again, store=store)
    second = label_next(again, store=store, labels=100)
    assert not {row.row for row in second.rows} & {row.row for row in planned.rows}
    assert sum(row[3] for row in second.table().rows) == 700
    assert any("sheet of counted: labels.csv" in note for note in second.notes)


def test_test_rows_that_lie_in_operation_are_not_labelled_again(store):
    operation = np.concatenate([TEST[0], OPERATION[0][:300]])
    found = project(COUNTED, operation={"inputs": operation})
    run(found, store=store)
    rows = label_next(found, store=store, labels=300).rows
    assert sorted(row.row for row in rows) == list(range(500, 800))


def test_without_a_tree_targets_say_what_to_label(store):
    tree_less = project(COUNTED, tree=None)
    run(tree_less, store=store)
    with pytest.raises(DiagnosticsError, match="labels would not help"):
        label_next(tree_less, store=store)
    asked = project(COUNTED, tree=None, targets={"few": {"estimate": "counted.failure probability", "at_most": 0.01}})
    run(asked, store=store)
    assert len(label_next(asked, store=store, labels=30).rows) == 30


def test_bounds_are_planned_at_the_level_at_which_an_uncertain_target_compares_them(store):
    reference = {"events": 30, "exposure": 1000, "per": "demand", "source": "register"}
    asked = {"few": {"estimate": "counted.failure probability", "principle": "gale", "reference": reference}}
    changed = project(COUNTED, tree=None, targets=asked)
    result = run(changed, store=store)
    found = label_next(changed, store=store, labels=20)
    assert found.level == pytest.approx(0.975)
    assert found.parts[0].outlook.today == pytest.approx(result.answers[0].estimate.upper(0.975))


def test_one_class_alone_is_planned_by_its_own_doubts(store):
    found = project({**COUNTED, "of": "right"})
    run(found, store=store)
    rows = label_next(found, store=store, labels=100).rows
    assert all(row.answer == "=left" for row in rows if row.stratum == "1 (most doubtful)")


def test_of_two_results_of_a_component_the_one_that_matters_more_is_planned(store):
    tree = {**TREE, "inline": {**TREE["inline"], "events": {"misses": 0.5, "brakes": 0.1}}}
    tree["events"] = {"misses": "counted.failure probability", "brakes": "lefts.failure probability"}
    found = project(COUNTED, tree=tree, more={"lefts": {**COUNTED, "of": "=left"}})
    run(found, store=store)
    plan_of_one = label_next(found, store=store, labels=20)
    assert len(plan_of_one.parts) == 1
    assert any("one plan serves one" in note for note in plan_of_one.notes)


def test_data_without_operation_are_refused_with_a_hint(store):
    run(project(COUNTED), store=store)
    with pytest.raises(DiagnosticsError, match=r"no data set 'elsewhere'.*Known: operation"):
        label_next(project(COUNTED), store=store, data="elsewhere")


def test_a_project_that_was_not_assessed_is_refused(store):
    with pytest.raises(DiagnosticsError, match="no evidence is stored"):
        label_next(project(COUNTED), store=store)


def test_strata_can_be_named(store):
    run(project(COUNTED), store=store)
    plan_by_answer = label_next(project(COUNTED), store=store, labels=50, strata="prediction")
    assert [row[1] for row in plan_by_answer.table().rows] == sorted(CLASSES)


def test_the_advice_is_a_step_that_the_project_file_takes(store):
    """What it says can be written into the file as it stands: kinds, undesired answers and all."""
    counted = {**COUNTED, "method": "jeffreys", "undesired": {CLASSES[0]: [CLASSES[1]]}}
    run(project(counted), store=store)
    notes = label_next(project(counted), store=store, labels=100).notes
    said = next(note for note in notes if "write for counted:" in note).partition("write for counted:")[2].strip()
    step = yaml.parse(f"step: {said}", Findings("advice")).data["step"]
    assert (step["method"], step["undesired"]) == ("jeffreys", counted["undesired"])
    assert project({**step, "labels": None}).definition.evidence["counted"].step == "stratified_bound"
    assert any("method: melded" in note for note in notes)
