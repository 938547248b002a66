"""Every pair of a model and a target that a test set judges is a look with a number of its own, and a level by it."""

import json
from copy import deepcopy
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import surefoot as sf
from surefoot.project import Store, adaptive_share, corrected_level, fixed_share
from surefoot.report import html
from tests.project.conftest import DEFINITION

LIMITS = {"strict": 0.2, "loose": 0.3}
LABELS = np.arange(200) % 2
RISK = {"risk": {"estimate": "counted.failure probability", "at_most": 0.1}}


def looks_of(small):
    return sf.run(sf.load(small.file)).looks[0].count


def project_of(wrong, *, targets=RISK, looks="fixed", seed=0):
    """A model that errs on the rows that ``wrong`` lists, known by its scores."""
    right = LABELS.copy()
    right[list(wrong)] = 1 - right[list(wrong)]
    scores = right - 0.5 + np.random.default_rng(seed).uniform(-0.1, 0.1, len(LABELS))
    evidence = {"counted": {"step": "binomial_bound"}}
    return sf.Project.of(
        "Scored", data={"scores": scores, "labels": LABELS}, evidence=evidence, targets=targets, looks=looks
    )


def test_the_same_assessment_again_is_no_new_look(small):
    assert [looks_of(small), looks_of(small)] == [2, 2]


def test_another_model_step_or_target_is_a_new_look(small):
    assert looks_of(small) == 2, "one model, two targets"
    small.set_model(bias=0.3)
    assert looks_of(small) == 4
    evidence = {**deepcopy(DEFINITION["evidence"]), "alarms": {"step": "binomial_bound", "of": "no"}}
    small.set_definition(evidence=evidence)
    assert looks_of(small) == 5, "a result that no target asks for is seen all the same"
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(evidence=evidence, targets=targets)
    assert looks_of(small) == 6


def test_other_names_are_no_look_and_another_file_of_a_model_is_another_model(small):
    looks_of(small)
    evidence = deepcopy(DEFINITION["evidence"])
    evidence["renamed"] = evidence.pop("counted")
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["estimate"] = "renamed.failure probability"
    small.set_definition(system={"name": "Other words"}, evidence=evidence, targets=targets)
    assert looks_of(small) == 2
    source = small.folder / "linear.py"
    source.write_text(source.read_text() + "\n# a comment\n")
    assert looks_of(small) == 4


def test_a_run_that_failed_is_no_look(small):
    (small.folder / "linear.py").write_text("def predict(inputs):\n    raise ValueError\n")
    with pytest.raises(sf.DiagnosticsError):
        looks_of(small)
    small.set_model()
    assert looks_of(small) == 2


def test_a_target_in_another_unit_is_told_before_anything_is_a_look(tmp_path):
    risk = {"risk": {**RISK["risk"], "per": "hour"}}
    with pytest.raises(sf.DiagnosticsError) as error:
        sf.run(project_of([1], targets=risk), store=tmp_path)
    (problem,) = error.value.diagnostics
    assert (problem.code, problem.where) == ("wrong-value", "targets.risk")
    assert "Write per: demand" in problem.hint
    assert sf.run(project_of([1]), store=tmp_path).looks[0].count == 1


@pytest.mark.parametrize("how", ["compressed", "shuffled", "other types"])
def test_the_same_rows_in_another_file_are_the_same_test_set(small, how):
    looks_of(small)
    with np.load(small.folder / "test.npz") as data:
        arrays = dict(data)
    if how == "shuffled":
        order = np.random.default_rng(0).permutation(len(arrays["y"]))
        arrays = {name: array[order] for name, array in arrays.items()}
    if how == "other types":
        arrays["y"] = arrays["y"].astype(np.uint8)
    np.savez_compressed(small.folder / "test.npz", **arrays)
    assert looks_of(small) == 2, "and the same model on them is no new look"
    small.set_model(bias=0.3)
    assert looks_of(small) == 4


def test_another_test_set_starts_anew(small):
    looks_of(small)
    small.set_data(seed=1)
    assert looks_of(small) == 2


def of_truth(kind, truth, answers, store):
    """How often the test set of a task that is no classification was looked at."""
    said = {
        "regression": {"task": "regression", "tolerance": 0.5, "data": {"labels": truth, "predictions": answers}},
        "text": {"task": "text", "data": {"labels": truth.astype(str), "predictions": answers.astype(str)}},
        "detection": {
            "task": "detection",
            "classes": ["car"],
            "data": {"labels": boxes(truth), "predictions": boxes(answers)},
        },
        "segmentation": {
            "task": "segmentation",
            "classes": ["a", "b"],
            "data": {"labels": masks(truth), "predictions": masks(answers)},
        },
        "custom": {"name": f"of_{truth[0]}", "data": {"failed": (truth != answers).astype(int)}},
    }[kind]
    project = sf.Project.of("s", evidence={"counted": {"step": "binomial_bound"}}, **said)
    return sf.run(project, store=store).looks[0].count


def boxes(numbers):
    return [{"boxes": [[n, 0, n + 1, 1]], "labels": [0], "scores": [0.9]} for n in numbers]


def masks(numbers):
    return np.arange(8)[None, None] < np.asarray(numbers)[:, None, None]


@pytest.mark.parametrize("kind", ["regression", "text", "detection", "segmentation", "custom"])
def test_test_sets_of_other_tasks_are_known_by_their_truth(kind, tmp_path):
    truth, other = np.arange(1, 7), np.arange(2, 8)
    assert of_truth(kind, truth, truth, tmp_path) == 1
    assert of_truth(kind, truth, truth + (truth == 6), tmp_path) == 2, "other answers to the same demands"
    assert of_truth(kind, other, other + (other == 3), tmp_path) == 1, "as many other demands"


def test_models_with_equal_numbers_of_errors_are_different_looks(tmp_path):
    for number in range(25):
        result = sf.run(project_of(range(number, number + 3)), store=tmp_path)
    assert len({answer.verdict.bound.limit for answer in result.answers}) == 1
    assert (result.looks[0].count, result.answers[0].looks) == (25, 25)


def test_each_model_of_one_project_is_a_look(tmp_path):
    scores = LABELS[:, None] + np.random.default_rng(0).normal(0, 0.3, (len(LABELS), 20)) - 0.5
    arrays = {f"s{number}": column for number, column in enumerate(scores.T)}
    np.savez(tmp_path / "test.npz", y=LABELS, **arrays)
    names = [f"m{number}" for number in range(20)]
    definition = {
        "version": 1,
        "system": {"name": "Twenty"},
        "components": {
            name: {"data": {"test": {"path": "test.npz", "labels": "y", "scores": f"s{number}"}}}
            for number, name in enumerate(names)
        },
        "evidence": {f"of_{name}": {"step": "binomial_bound", "component": name} for name in names},
        "targets": {name: {"estimate": f"of_{name}.failure probability", "at_most": 0.1} for name in names},
    }
    (tmp_path / "surefoot.yaml").write_text(yaml.safe_dump(definition, sort_keys=False))
    result = sf.run(sf.load(tmp_path / "surefoot.yaml"))
    assert {looked.count for looked in result.looks} == {20}
    assert [answer.looks for answer in result.answers] == list(range(1, 21))


def test_a_look_keeps_its_number_and_its_level(tmp_path):
    first, second = project_of([1]), project_of([2])
    levels = [sf.run(each, store=tmp_path).answers[0].corrected_level for each in (first, second, first)]
    assert levels == pytest.approx([0.975, 1 - 0.05 / 6, 0.975])
    assert sf.run(first, store=tmp_path, only_stored=True).answers[0].looks == 1


def test_a_report_of_another_limit_is_a_look(tmp_path):
    sf.run(project_of([1]), store=tmp_path)
    other = {"risk": {**RISK["risk"], "at_most": 0.2}}
    assert sf.run(project_of([1], targets=other), store=tmp_path, only_stored=True).answers[0].looks == 2


def test_a_target_that_was_another_before_says_so(small):
    assert sf.run(sf.load(small.file)).answers[0].previous == ""
    targets = deepcopy(DEFINITION["targets"])
    targets["risk"]["at_most"] = 0.3
    small.set_definition(targets=targets)
    assert sf.run(sf.load(small.file)).answers[0].previous == (
        "Earlier assessments asked for at most 0.2 per demand at level 0.95."
    )


def test_what_another_target_asks_now_was_not_asked_earlier(small):
    targets = {name: {"estimate": "counted.failure probability", "at_most": limit} for name, limit in LIMITS.items()}
    small.set_definition(targets=targets)
    assert [answer.previous for answer in sf.run(sf.load(small.file)).answers] == ["", ""]
    del targets["loose"]
    small.set_definition(targets=targets)
    assert "at most 0.3" in sf.run(sf.load(small.file)).answers[0].previous


def test_a_bound_without_a_level_has_no_correction(small):
    evidence = {"score": {"step": "normal_score"}}
    targets = {"risk": {"estimate": "score.failure probability", "at_most": 0.9, "kinds": ["expectation"]}}
    for bias in (0.0, 0.3):
        small.set_model(bias=bias)
        small.set_definition(evidence=evidence, targets=targets)
        (answer,) = sf.run(sf.load(small.file)).answers
    assert (answer.looks, answer.corrected_level, answer.corrected) == (2, None, None)
    assert "no correction exists" in str(answer.estimate.caveats)
    met = replace(answer, verdict=replace(answer.verdict, status="met"))
    assert (met.status, replace(met, looks=1).status) == ("alone", "met")


def test_met_at_this_look_alone_does_not_count(small):
    bound = sf.run(sf.load(small.file))["counted.failure probability"]
    number = 3
    between = (bound.upper(0.95) + bound.upper(corrected_level(0.95, number))) / 2
    targets = {"risk": {"estimate": "counted.failure probability", "at_most": between}}
    small.set_definition(targets=targets, evidence={"counted": DEFINITION["evidence"]["counted"]})
    result = sf.run(sf.load(small.file))
    (answer,) = result.answers
    assert (answer.looks, answer.verdict.status, answer.corrected.status) == (number, "met", "not shown")
    assert (answer.status, answer.met, result.met, bool(result.verdicts["risk"])) == ("alone", False, False, False)
    assert "0 of 1 targets met" in repr(result)
    assert answer.needed, "what would be needed for it to count"


def test_a_bound_after_repeated_looks_says_so(small):
    first = sf.run(sf.load(small.file)).answers[0]
    assert (first.looks, first.corrected_level) == (1, pytest.approx(0.975))
    small.set_model(bias=0.3)
    second = sf.run(sf.load(small.file))
    risk, hazard = second.answers
    assert "repeated-looks" in {c.code for c in risk.estimate.caveats}
    assert risk.corrected.bound.limit == risk.estimate.upper(corrected_level(0.95, 3))
    assert hazard.looks == 4, "a result that rests on others is a look at their test data"
    assert "repeated-looks" not in {c.code for c in second["counted.failure probability"].caveats}


@given(st.floats(0.5, 0.999), st.integers(1, 1000))
def test_all_looks_together_keep_the_level(level, looks):
    spent = sum(1 - corrected_level(level, number) for number in range(1, looks + 1))
    assert spent == pytest.approx((1 - level) * looks / (looks + 1))


def test_all_sequences_of_answers_together_keep_the_level():
    """Enumerated: the share of each sequence of answers that can lead to a look."""
    for number in range(1, 13):
        spent = sum(adaptive_share(number, sum(answers)) for answers in product((0, 1), repeat=number - 1))
        assert spent == pytest.approx(fixed_share(number))


@given(st.integers(1, 60), st.data())
def test_an_answer_more_makes_no_share_larger(number, data):
    met = data.draw(st.integers(0, number - 1))
    share = adaptive_share(number, met)
    assert max(adaptive_share(number + 1, met), adaptive_share(number + 1, met + 1)) <= share
    assert adaptive_share(number + 1, met, unknown=1) <= share


def false_met(alphas, trials=200):
    """The exact probability that one of these fixed models, all with error 0.5, is said to err less than that."""
    failures = np.arange(trials + 1)
    chances = []
    for alpha in alphas:
        limits = [sf.bounds.clopper_pearson(int(k), trials, level=0.95).upper(1 - alpha) for k in failures[60:101]]
        chances.append(sum(binom.pmf(failures[60:101], trials, 0.5) * (np.array(limits) < 0.5)))
    return 1 - np.prod(1 - np.array(chances))


def test_stopping_at_the_first_met_keeps_the_level():
    k = np.arange(1, 31)
    assert false_met(0.05 / k) > 0.09, "what alpha / k spends"
    assert false_met(0.05 / (k * (k + 1))) < 0.05


def test_a_ledger_of_the_older_format_counts_all_that_it_lists(tmp_path):
    sf.run(project_of([1]), store=tmp_path)
    store = Store.open(tmp_path)
    (data,) = [path.name for path in (tmp_path / "looks").iterdir()]
    older = {"seen": [["binomial_bound", ["a"]]] * 3, "targets": []}
    store.claim_look(data, older)
    result = sf.run(project_of([2]), store=tmp_path)
    assert (result.looks[0].count, result.answers[0].looks) == (5, 5)
    assert "older-looks" in {caveat.code for caveat in result.caveats}
    assert sf.run(project_of([1]), store=tmp_path).answers[0].looks == 1


def numbers_shown(result):
    """Everything that is shown, less what names model and data."""
    said = result.to_dict()
    for name in ("keys", "digests", "created", "iterations", "history", "looks"):
        del said[name]
    del said["case"]["nodes"]["context.artefacts"]
    for answer in said["answers"]:
        del answer["looks"], answer["corrected_level"]
    return without_provenance(said)


def without_provenance(said):
    if isinstance(said, dict):
        return {name: without_provenance(each) for name, each in said.items() if name not in ("provenance", "key")}
    return [without_provenance(each) for each in said] if isinstance(said, list) else said


def test_adaptive_looks_show_nothing_but_the_verdict(tmp_path):
    # Spread over the rows: failures side by side would speak against independent trials.
    places = [37 * place % len(LABELS) for place in range(60)]
    few, more, many = (
        sf.run(project_of(places[:count], looks="adaptive"), store=tmp_path / "store") for count in (2, 3, 60)
    )
    assert [each.answers[0].status for each in (few, more, many)] == ["met", "met", "not shown"]
    assert numbers_shown(few) == numbers_shown(more) != numbers_shown(many)
    assert "failures" not in json.dumps([few.evidence["counted"].to_dict(), few.answers[0].to_dict()])
    assert few["counted.failure probability"].upper(0.95) == 0.1
    assert many["counted.failure probability"].bounds == ()
    assert "verdicts-only" in {caveat.code for caveat in few.answers[0].estimate.caveats}
    assert "nothing but the verdicts was seen" in html(few)


def test_adaptive_answers_are_kept_and_each_costs_what_it_tells(tmp_path):
    wrong = [[0, 37], range(60), [60, 97]]
    projects = [project_of(each, looks="adaptive") for each in wrong]
    levels = [sf.run(each, store=tmp_path).answers[0].corrected_level for each in projects]
    assert levels == pytest.approx([1 - 0.05 * adaptive_share(*place) for place in ((1, 0), (2, 1), (3, 1))])
    again = sf.run(projects[0], store=tmp_path)
    assert (again.answers[0].status, again.answers[0].looks, again.looks[0].count) == ("met", 1, 3)


def test_test_data_whose_numbers_were_seen_cannot_be_used_adaptively(tmp_path):
    sf.run(project_of([1], looks="adaptive"), store=tmp_path)
    sf.run(project_of([2]), store=tmp_path)
    with pytest.raises(sf.DiagnosticsError) as error:
        sf.run(project_of([3], looks="adaptive"), store=tmp_path)
    assert [each.code for each in error.value.diagnostics] == ["looks-open"]


def test_a_vote_by_verdicts_keeps_the_level_and_one_by_errors_does_not():
    from benchmarks.coverage_looks import combined, combined_by_verdicts

    rng = np.random.default_rng(0)
    assert np.mean([combined(rng, 51, fixed_share, rows=200) for _ in range(50)]) > 0.3
    assert not any(combined_by_verdicts(rng, looks, rows=200) for looks in (3, 6, 21, 51) for _ in range(50))
