"""An assessment that finds something new is an iteration; what changed is told, and nothing is lost."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.project import Result, Store, iterations, verify
from tests.project.conftest import ANSWERED, DEFINITION
from tests.project.test_tree_section import SECTION, TREE


def assessed(small, **options):
    return sf.run(sf.load(small.file), **options)


def numbers(result):
    return [iteration.number for iteration in result.iterations]


MOST_TOLD = 20
COUNTED = {"risk": {"estimate": "counted.failure probability", "at_most": 0.2}}


class Light:
    """A project whose only number is stated: the history in milliseconds."""

    def __init__(self, small):
        self.small, self.file, self.folder = small, small.file, small.folder
        self.set()

    def set(self, value=0.01, at_most=0.2, **changes):
        said = {"step": "stated", "quantity": "exposure", "value": value, "source": "a guess"}
        evidence = {"exposure": {**said, "answered_by": {**ANSWERED}}}
        targets = {"risk": {"estimate": "exposure.exposure", "at_most": at_most}}
        self.small.set_definition(**{"evidence": evidence, "targets": targets, **changes})


@pytest.fixture
def light(small):
    return Light(small)


@pytest.fixture
def door(small):
    (small.folder / "door.yaml").write_text(TREE)
    set_tree(small)
    return small


def set_tree(door, **section):
    evidence = {"counted": {"step": "binomial_bound"}}
    door.set_definition(evidence=evidence, targets=COUNTED, tree={**SECTION, **section})


def test_the_same_again_is_no_new_iteration(light):
    assert [numbers(assessed(light)), numbers(assessed(light))] == [[1], [1]]


def test_another_model_data_set_or_limit_is_one_and_looks_at_the_same_test_set_are_a_caveat(small):
    small.set_definition(evidence={"counted": {"step": "binomial_bound"}}, targets=COUNTED)
    assessed(small)
    small.set_model(bias=0.3)
    (caveat,) = iterations.last_two(assessed(small).iterations).caveats()
    assert "linear.test 2 times" in caveat
    small.set_data(seed=5)
    assert iterations.last_two(assessed(small).iterations).caveats() == ()
    small.set_definition(
        evidence={"counted": {"step": "binomial_bound"}}, targets={"risk": {**COUNTED["risk"], "at_most": 0.3}}
    )
    found = assessed(small)
    assert [iteration.changed for iteration in found.iterations] == [
        (),
        ("the model of linear changed",),
        ("the data linear.test changed",),
        ("target risk: at most 0.2 per demand at level 0.95 → at most 0.3 per demand at level 0.95",),
    ]
    assert [iteration.this for iteration in found.iterations] == [False, False, False, True]


def test_words_are_no_iteration(light):
    assessed(light)
    light.set(system={**DEFINITION["system"], "description": "Other words."})
    assert numbers(assessed(light)) == [1]


def test_a_step_that_nothing_rests_on_is_one_when_its_numbers_change(light):
    evidence = {"alone": {"step": "stated", "quantity": "q", "value": 0.1, "source": "a guess"}}
    light.set(evidence=evidence, targets={})
    assessed(light)
    evidence["alone"]["value"] = 0.2
    light.set(evidence=evidence, targets={})
    assert assessed(light).iterations[-1].changed == ("project file: evidence.alone changed",)


def test_what_was_before_and_is_again_is_a_new_iteration(light):
    for value in (0.01, 0.03, 0.01):
        light.set(value=value)
        found = assessed(light)
    first, _, last = found.iterations
    assert (first.targets, first.inputs) == (last.targets, last.inputs)
    assert [iteration.this for iteration in found.iterations] == [False, False, True]


def test_numbers_and_verdicts_are_those_of_the_result(door):
    found = assessed(door)
    (iteration,) = found.iterations
    by_name = {target.name: target for target in iteration.targets}
    assert {name: target.status for name, target in by_name.items()} == {
        answer.name: answer.verdict.status for answer in found.answers
    }
    assert by_name["risk"].bound == found["counted.failure probability"].upper(0.95)
    assert (iteration.result, iteration.created) == (found.digest, found.created)
    (top,), (event,) = iteration.tops, iteration.events
    assert (top.value, top.bound) == (
        found["tree.top event probability"].value,
        found["tree.top event probability"].upper(0.95),
    )
    assert (event.name, event.reference) == ("person is missed", "counted.failure probability")
    assert event.bound == found["counted.failure probability"].upper(0.95)
    assert iteration.inputs == found.digests


def test_a_violated_target_keeps_the_bound_that_could_show_it_met(small):
    targets = {"risk": {**COUNTED["risk"], "at_most": 1e-6}}
    small.set_definition(evidence={"counted": {"step": "binomial_bound"}}, targets=targets)
    found = assessed(small)
    risk = found.iterations[0].targets[0]
    assert risk.status == "violated"
    assert found.answers[0].verdict.bound.side == "lower"
    assert risk.bound == found["counted.failure probability"].upper(0.95)


def test_another_tree_file_is_named_and_changes_the_top_event_alone(door):
    assessed(door)
    (door.folder / "door.yaml").write_text(TREE.replace("0.001", "0.002"))
    found = assessed(door)
    before, now = found.iterations
    assert now.changed == ("the file of tree changed",)
    assert now.events == before.events
    assert now.tops[0].bound == pytest.approx(2 * before.tops[0].bound)
    rows = {row[:2]: row[2:] for row in iterations.last_two(found.iterations).table().rows}
    assert rows["top event, upper bound (95%)", "Door"][2] == pytest.approx(2)
    assert rows["component, upper bound (95%)", "person is missed"][2] == 1
    assert rows["verdict", "tree"] == ("met", "met", None)


def test_an_uncertain_limit_is_kept_with_its_strict_end_and_the_level_left_to_the_bound(light):
    reference = {"events": 30, "exposure": 1000, "per": "demand", "source": "register"}
    light.set(targets={"risk": {"estimate": "exposure.exposure", "principle": "gale", "reference": reference}})
    found = assessed(light)
    (risk,) = found.iterations[0].targets
    assert (risk.limit, risk.cautious) == (0.03, found.answers[0].verdict.limit)
    assert risk.cautious < risk.limit
    assert (risk.level, risk.bound_level) == (0.95, 0.975)


def test_what_an_event_would_need_is_kept(door):
    set_tree(door, target={"at_most": 1e-5})
    found = assessed(door)
    assert found.iterations[0].required == {"person is missed": pytest.approx(0.01)}
    set_tree(door, target={"at_most": 2e-5})
    compared = iterations.last_two(assessed(door).iterations).table()
    assert [row[2:4] for row in compared.rows if row[0] == "requirement, at most"] == [
        (pytest.approx(0.01), pytest.approx(0.02))
    ]


def test_a_result_says_how_each_target_moved(light):
    light.set(value=0.3)
    assert assessed(light).since == ()
    light.set(value=0.1)
    found = assessed(light)
    assert found.since == ("risk: bound 0.3 → 0.1, violated → met, since iteration 1",)
    assert found.since[0] in str(found)
    light.set(value=0.1, at_most=0.15)
    assert assessed(light).since == ("risk: bound 0.1, met as before, since iteration 2",)
    light.set(targets={"new": {"estimate": "exposure.exposure", "at_most": 0.5}})
    assert assessed(light).since == ("new: met, a new target, since iteration 3",)


def test_a_report_shows_the_history_and_adds_nothing(light):
    assessed(light)
    light.set(at_most=0.3)
    shown = assessed(light, only_stored=True)
    assert [(iteration.number, iteration.this) for iteration in shown.iterations] == [(1, False)]
    assessed(light)
    light.set()
    shown = assessed(light, only_stored=True)
    assert [(iteration.number, iteration.this) for iteration in shown.iterations] == [(1, True), (2, False)]


def test_the_history_is_no_part_of_equality_digest_or_verification(light):
    first = assessed(light, store=light.folder / "one")
    light.set(value=0.02)
    assessed(light, store=light.folder / "one")
    light.set()
    other, again = assessed(light, store=light.folder / "two"), assessed(light, store=light.folder / "one")
    assert (len(other.iterations), len(again.iterations)) == (1, 3)
    assert first == other == again
    assert first.digest == other.digest == again.digest
    recorded = json.loads(json.dumps(again.to_dict()))
    assert verify(recorded, sf.load(light.folder)).different == ()


def test_the_digest_is_that_of_the_record_and_no_case_is_evaluated_for_it(light, monkeypatch):
    found = assessed(light)
    record = json.loads(json.dumps(found.to_dict()))
    beside = ("created", "iterations", "history", "document", "headline")
    told = {name: value for name, value in record.items() if name not in beside}
    changed = replace(found, created="another day")
    reading = Result.from_dict(record)

    def evaluated(*_, **__):
        raise AssertionError("the case is evaluated")

    monkeypatch.setattr(type(found.case), "evaluate", evaluated)
    assert found.digest == reading.digest == sf.core.digest(told)
    with pytest.raises(AssertionError, match="evaluated"):
        _ = changed.digest  # what was changed by hand was never judged


def test_it_is_a_table_and_comes_back_from_plain_data_and_old_results_have_none(door):
    assessed(door)
    (door.folder / "door.yaml").write_text(TREE.replace("0.001", "0.002"))
    found = assessed(door)
    table = iterations.history_table(found.iterations)
    assert table.columns == ("iteration", "date", "what changed", "component bounds", "top event", "verdict")
    assert [row[0] for row in table.rows] == [1, 2]
    assert "person is missed at most " in table.rows[1][3]
    assert table.rows[1][4].startswith("Door at most ")
    assert "tree: met" in table.rows[1][5]
    data = json.loads(json.dumps(found.to_dict()))
    back = Result.from_dict(data)
    assert (back.iterations, back.since) == (found.iterations, found.since)
    del data["iterations"]
    assert Result.from_dict(data).iterations == ()


def test_projects_that_share_a_store_have_histories_of_their_own(light, tmp_path):
    store = tmp_path / "shared"
    assessed(light, store=store)
    light.set(system={"name": "Other"})
    assert numbers(assessed(light, store=store)) == [1]
    second = light.folder / "second.yaml"
    second.write_text(light.file.read_text())
    assert numbers(sf.run(sf.load(second), store=store)) == [1]


def test_a_copy_elsewhere_continues_the_history(light, tmp_path):
    store = tmp_path / "shared"
    assessed(light, store=store)
    light.set(value=0.03)
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("surefoot.yaml", "linear.py", "test.npz"):
        shutil.copy(light.folder / name, copy)
    assert numbers(sf.run(sf.load(copy / "surefoot.yaml"), store=store)) == [1, 2]


@pytest.mark.parametrize("place", ["memory", "file"])
def test_it_is_kept_behind_a_url(light, place, tmp_path):
    url = f"memory://{tmp_path.name}" if place == "memory" else f"file://{tmp_path}/remote"
    assessed(light, store=url)
    light.set(value=0.03)
    assert numbers(assessed(light, store=url)) == [1, 2]


def test_a_damaged_iteration_is_left_out_with_a_warning(light):
    for value in (0.01, 0.02, 0.04):
        light.set(value=value)
        assessed(light)
    path = sorted((light.folder / ".surefoot" / "iterations").glob("*/*"))[1]
    path.write_bytes(path.read_bytes().replace(b"risk", b"RISK"))
    found = assessed(light)
    assert numbers(found) == [1, 3]
    assert [(caveat.code, path.name in caveat.where) for caveat in found.caveats] == [("store-damaged", True)]
    assert "so this iteration is missing from the history" in found.caveats[0].text


def test_after_damage_of_the_last_one_numbers_go_on(light):
    assessed(light)
    (path,) = (light.folder / ".surefoot" / "iterations").glob("*/*")
    path.write_bytes(b"{}")
    assert numbers(assessed(light)) == [2]


def test_a_result_tells_the_last_ones_and_the_store_keeps_all(light):
    for step in range(MOST_TOLD + 4):
        light.set(at_most=0.2 + step / 1000)
        found = assessed(light)
    assert numbers(found) == list(range(5, MOST_TOLD + 5))
    assert all(iteration.changed for iteration in found.iterations)
    assert len(list((light.folder / ".surefoot" / "iterations").glob("*/*"))) == MOST_TOLD + 4


def test_equal_ones_that_two_runs_recorded_at_once_count_as_one(light):
    found = assessed(light)
    store = Store.open(light.folder / ".surefoot")
    (key,) = [path.name for path in (light.folder / ".surefoot" / "iterations").iterdir()]
    (kept,) = store.iterations(key, lambda number, data: data, most=9)
    store.record_iteration(key, {**kept, "created": "another second"})
    assert numbers(assessed(light)) == [1]
    assert [found.digest, assessed(light).digest] == [found.digest] * 2


def test_objects_in_memory_have_a_history_too(tmp_path):
    labels = np.arange(200) % 2
    for bias in (0.0, 0.4):
        scores = np.random.default_rng(1).normal(labels - 0.5 + bias, 0.3)
        evidence = {"counted": {"step": "binomial_bound"}}
        project = sf.Project.of("Scored", data={"scores": scores, "labels": labels}, evidence=evidence)
        result = sf.run(project, store=tmp_path)
    assert [iteration.changed for iteration in result.iterations] == [(), ("the data component.test changed",)]
