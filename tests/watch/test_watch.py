"""A stream against an assessment: what is raised, what falls, and that nothing depends on batches or restarts."""

import json
import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
import yaml

from surefoot import watch as watches
from surefoot.case import Feedback
from surefoot.core import Check, DiagnosticsError, InvalidInput
from surefoot.project import definition, load, run

from . import guarded


def stream(watch, count, seed, *, batch=250, wrong=0.01, shift=0.0, **conditions):
    inputs, labels = guarded.rows(count, seed, wrong=wrong)
    inputs[:, 1] *= 1 - shift
    found = []
    for start in range(0, count, batch):
        part = slice(start, start + batch)
        further = guarded.attributes(len(labels[part]), **conditions)
        found += watch.update(inputs[part], labels[part], further)
    return found


def codes(events):
    return [event.code for event in events]


def test_operation_like_the_tests_raises_nothing(watch):
    assert stream(watch, 2000, seed=1) == []
    assert not watch.raised
    figures = watches.status_figures(watch)
    assert figures["rows"] == figures["labelled"] == 2000
    assert figures["claims"]["errors"]["exposure"] == 2000
    assert figures["profile"]["alarmed"] is False
    assert "no change found in 2,000 rows" in str(watch.summary())
    json.dumps(figures, allow_nan=False)


def test_false_alarms_of_everything_together_stay_below_the_level(assessed):
    raised = sum(bool(stream(watches.Watch(*assessed, level=0.9), 300, seed, wrong=0.02)) for seed in range(20))
    assert raised <= 6  # of 20 at 10%: exceeded once in 400 times


def test_a_moved_profile_opens_every_claim_that_rests_on_it(watch):
    stream(watch, 500, seed=2)
    found = stream(watch, 500, seed=3, shift=0.3)
    assert codes(found) == ["watch-profile", "watch-claim-fell", "watch-claim-fell", "watch-claim-fell"]
    fallen = {event.about: event.figures for event in found[1:]}
    assert set(fallen) == {"errors", "lefts", "claim"} == set(watch.fallen)
    assert fallen["errors"]["before"] == "supported"
    assert fallen["errors"]["after"] == "not shown"
    assert fallen["errors"]["confidence before"] > 0.9
    assert fallen["errors"]["confidence after"] is None
    assert tuple(fallen["errors"]["chain"]) == ("errors", "argument", "claim")


def test_the_case_stands_as_if_the_assessment_had_found_the_assumption_broken(assessed, watch):
    _, result = assessed
    stream(watch, 500, seed=3, shift=0.4)
    broken = Check("contradicted", "by hand")

    def checked(assumptions):
        return tuple(replace(each, check=broken) if each.id == "operational-profile" else each for each in assumptions)

    evidence = {
        name: replace(
            item,
            assumptions=checked(item.assumptions),
            estimates=tuple(replace(each, assumptions=checked(each.assumptions)) for each in item.estimates),
        )
        for name, item in result.evidence.items()
    }
    by_hand = result.case.evaluate(evidence)
    now = watch._case.now.evaluation
    assert {name: each.standing for name, each in now.nodes.items()} == {
        name: each.standing for name, each in by_hand.nodes.items()
    }


def test_a_row_outside_the_conditions_opens_claims(watch):
    found = stream(watch, 250, seed=4, heat=5.0)
    assert codes(found)[0] == "watch-condition"
    assert {event.about for event in found[1:]} == {"errors", "lefts", "claim"}
    assert stream(watch, 250, seed=5, heat=5.0) == []  # it is known by now


def test_a_component_that_degrades_contradicts_its_claim(watch):
    assert stream(watch, 1000, seed=6) == []
    inputs, _ = guarded.rows(400, seed=7, wrong=0.0)
    wrong = np.where(inputs[:, 0] > 0.5, "left", "right")
    wrong[::2] = np.where(inputs[::2, 0] > 0.5, "right", "left")
    found = watch.update(inputs, wrong)
    field = [event for event in found if event.code == "watch-field"]
    assert {event.about for event in field} == {"errors", "lefts"}
    assert all(1000 < event.row < 1100 for event in field)
    fallen = {event.about: event.figures["after"] for event in found if event.code == "watch-claim-fell"}
    assert fallen["errors"] == fallen["lefts"] == "contradicted"


def test_claims_count_only_the_rows_that_they_speak_of(watch):
    inputs = np.array([[0.2, 0.99], [0.2, 0.1], [0.8, 0.99], [0.8, 0.1]])
    watch.update(inputs, ["left", "left", "right", None])
    counted = {claim.name: (claim.failures, claim.exposure) for claim in watch.claims}
    assert counted == {"errors": (2, 3), "lefts": (1, 2)}
    assert watch.labelled == 3


def test_feedback_is_what_the_project_file_takes(watch):
    stream(watch, 300, seed=8)
    told = watch.feedback(since="2026-01-01", until="2026-02-01", source="field test")
    source = definition.CaseSource.model_validate({"feedback": yaml.safe_load(yaml.safe_dump(told))})
    assert (source.feedback[0].claim, source.feedback[0].exposure) == ("errors", 300)
    assert all(Feedback(**entry.model_dump()) for entry in source.feedback)


def test_no_labels_means_no_feedback(watch):
    watch.update(guarded.rows(50, seed=9)[0])
    assert watch.feedback() == []
    assert "no labelled rows" in str(watch.summary())


def test_a_restart_gives_the_same_events(assessed):
    whole, first, second = (watches.Watch(*assessed) for _ in range(3))
    steps = [(500, 10, {}), (500, 11, {"shift": 0.3}), (250, 12, {"heat": 1.0}), (500, 13, {"wrong": 0.5})]
    expected = [event for count, seed, how in steps for event in stream(whole, count, seed, **how)]
    found = [event for count, seed, how in steps[:2] for event in stream(first, count, seed, **how)]
    second.restore(json.loads(json.dumps(first.state())))
    found += [event for count, seed, how in steps[2:] for event in stream(second, count, seed, **how)]
    assert found == expected
    assert watches.status_figures(second) == watches.status_figures(whole)
    assert second.state() == whole.state()


def test_a_state_of_something_else_is_refused(assessed, watch):
    with pytest.raises(DiagnosticsError, match="watch-state"):
        watches.Watch(*assessed, level=0.95).restore(watch.state())
    for damage in ({"claims": {}}, {"rows": -1}, {"profile": {}}, {"conditions": [1]}, {"fallen": 3}):
        with pytest.raises(InvalidInput):
            watches.Watch(*assessed).restore({**watch.state(), **damage})


def test_memory_does_not_grow_with_the_stream(assessed):
    inputs, labels = guarded.rows(500, seed=14, wrong=0.01)
    further = guarded.attributes(500)

    def kept(batches):
        watch = watches.Watch(*assessed)
        watch.update(inputs, labels, further)
        tracemalloc.start()
        for seed in range(batches):
            order = np.random.default_rng(seed).permutation(500)
            watch.update(inputs[order], labels[order], further)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size, len(json.dumps(watch.state()))

    (few, few_kept), (many, many_kept) = kept(2), kept(100)
    assert many < 2 * few + 200_000
    assert many_kept < 1.5 * few_kept


def test_a_small_reference_is_said_to_tell_nothing():
    watch = guarded.watched(given=guarded.project(30))
    assert watch.profile is None
    assert any("fewer than 40 rows" in text for text in watch.unwatched)
    assert watch.update(guarded.rows(10, seed=15)[0]) == []


def test_data_called_operation_are_what_a_stream_is_compared_with():
    inputs, labels = guarded.rows(400, seed=16)
    made = guarded.Project.of(
        "Side guard",
        model=guarded.answer,
        data={"test": (inputs, labels), "operation": {"inputs": 0.5 * inputs}},
        classes=list(guarded.CLASSES),
        evidence={"errors": {"step": "binomial_bound"}},
        targets={"errors": {"estimate": "errors.failure probability", "at_most": 0.05}},
    )
    watch = guarded.watched(given=made)
    assert watch.reference.name == "operation"
    assert watch.update(0.5 * guarded.rows(300, seed=17)[0]) == []
    assert "watch-profile" in codes(watch.update(guarded.rows(300, seed=18)[0]))


def test_a_model_whose_answers_tell_what_they_are_is_not_taken_for_another_kind_later(assessed):
    """Decision values that by chance all lie in [0, 1] are no probabilities."""

    def decision(inputs):
        return 8 * (inputs[:, 0] - 0.5)

    inputs, labels = guarded.rows(400, seed=19, wrong=0.0)
    made = guarded.Project.of(
        "Side guard",
        model=decision,
        data=(inputs, labels),
        classes=list(guarded.CLASSES),
        evidence={"errors": {"step": "binomial_bound"}},
        targets={"errors": {"estimate": "errors.failure probability", "at_most": 0.05}},
    )
    watch = guarded.watched(given=made)
    watch.update(np.array([[0.52, 0.1], [0.55, 0.1]]), ["right", "right"])
    assert watch.claims[0].failures == 0


def test_a_moved_profile_breaks_the_assumption_of_every_method_by_its_id(assessed):
    project, result = assessed
    for name in ("operational-profile", "labelled-data-represent-operation", "frame-represents-operation", "other"):
        errors = result.evidence["errors"]

        def called(assumptions, name=name):
            return tuple(replace(a, id=name) if a.id == "operational-profile" else a for a in assumptions)

        renamed = replace(
            errors,
            assumptions=called(errors.assumptions),
            estimates=tuple(replace(each, assumptions=called(each.assumptions)) for each in errors.estimates),
        )
        watch = watches.Watch(project, replace(result, evidence={**result.evidence, "errors": renamed}))
        stream(watch, 500, seed=3, shift=0.4)
        assert ("errors" in watch.fallen) == (name != "other"), name


@pytest.mark.parametrize("component", ["guards", ""])
def test_a_component_that_is_not_there_is_named(assessed, component):
    with pytest.raises(DiagnosticsError, match="guard"):
        watches.Watch(*assessed, component=component)


def test_columns_of_other_lengths_are_refused(watch):
    with pytest.raises(InvalidInput, match="same length"):
        watch.update(np.zeros((3, 2)), None, {"heat": np.zeros(2)})
    with pytest.raises(InvalidInput, match="same length"):
        watch.update(np.zeros((3, 2)), ["left"])
    assert watch.update(np.zeros((0, 2))) == []


def test_scores_made_elsewhere_are_watched(tmp_path):
    rng = np.random.default_rng(20)
    right = rng.random(300)
    lines = [f"{1 - p:.6f},{p:.6f},{'right' if p > 0.5 else 'left'}" for p in right]
    (tmp_path / "test.csv").write_text("\n".join(["left,right,label", *lines]))
    (tmp_path / "surefoot.yaml").write_text(
        yaml.safe_dump(
            {
                "version": 1,
                "system": {"name": "Scored"},
                "components": {
                    "guard": {
                        "data": {"test": {"path": "test.csv", "scores": ["left", "right"], "labels": "label"}},
                        "classes": ["left", "right"],
                    }
                },
                "evidence": {"errors": {"step": "binomial_bound"}},
                "targets": {"errors": {"estimate": "errors.failure probability", "at_most": 0.05}},
            }
        )
    )
    made = load(tmp_path)
    watch = watches.Watch(made, run(made))
    assert watch.update(np.array([[0.2, 0.8], [0.9, 0.1]]), ["left", "left"]) == []
    assert watch.claims[0].failures == 1


# What people read: one line each, with numbers that say something.

EMPTY = re.compile(r"\b(\d[\d.,]*%?) (?:to|where it was) \1(?![\d.])|0\.000|\bnan\b|None")


def told(events, code):
    return [event.text for event in events if event.code == code]


def test_a_condition_that_breaks_is_told_with_value_limit_rows_and_what_to_do(watch):
    stream(watch, 100, seed=21)
    (text,) = told(stream(watch, 50, seed=22, heat=5.0), "watch-condition")
    assert "in row 101 heat is 5, and at least 10 is stated" in text
    assert "Rows outside so far: 50 of 150 (33.3%)" in text
    assert "keep them out of operation" in text


def test_values_that_the_table_of_conditions_does_not_have_are_told(watch):
    (text,) = told(stream(watch, 20, seed=23, light="fog"), "watch-condition")
    assert "in row 1 light is fog, and one of day, night is stated" in text


def test_inputs_that_moved_are_told_in_their_own_units(watch):
    stream(watch, 500, seed=2)
    (text,) = told(stream(watch, 500, seed=3, shift=0.3), "watch-profile")
    mean, before = re.search(r"input\[1\] averages (\S+) where it was (\S+)\.", text).groups()
    assert (float(mean), float(before)) == (pytest.approx(0.35, abs=0.05), pytest.approx(0.5, abs=0.03))
    assert "data set 'test'" in text
    assert "since about row 5" in text


def test_failures_are_told_with_what_the_claim_allows_and_no_advice_to_test_more(watch):
    found = stream(watch, 500, seed=24, wrong=0.4)
    (text,) = [each for each in told(found, "watch-field") if "'errors'" in each]
    assert re.search(r"\d+ of 250 labelled rows \(\d\d\.?\d*%\) failed so far, and the claim 'errors' allows 5%", text)
    assert "the tests had 1." in text
    assert "do not restore" in text


def test_claims_that_fall_are_told_from_below_with_the_reason(assessed, watch):
    found = [event for event in stream(watch, 250, seed=4, heat=5.0) if event.code == "watch-claim-fell"]
    assert [event.about for event in found] == ["errors", "lefts", "claim"]
    assert all("it needs that 'It is warm', which operation contradicts" in event.text for event in found)
    assert "Do not rely on it" in found[-1].text
    refuted = stream(watches.Watch(*assessed), 500, seed=24, wrong=0.4)
    (top,) = [event.text for event in refuted if event.about == "claim"]
    assert top.count("which operation refutes") == 2


def test_no_sentence_compares_a_number_with_itself_or_with_nothing(assessed):
    for how in ({}, {"shift": 0.3}, {"heat": 1.0}, {"wrong": 0.5}, {"shift": 1.0}):
        watch = watches.Watch(*assessed)
        found = stream(watch, 400, seed=25, **how)
        for text in (*(event.text for event in found), str(watch.summary())):
            assert not EMPTY.search(text), text
            assert "probability went" not in text
