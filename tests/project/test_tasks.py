"""A failure on demand means what the task of a component says, in memory and in files."""

import json

import numpy as np
import pytest
from sklearn.metrics import hamming_loss, mean_absolute_error, root_mean_squared_error, zero_one_loss

import surefoot as sf
from surefoot.core import DiagnosticsError, SurefootError

COUNT = {"counted": {"step": "binomial_bound"}}


def counted(*, evidence=COUNT, **given):
    return sf.run(sf.Project.of("system", evidence=evidence, **given))


def failure(result, step="counted"):
    return result.evidence[step].estimates[0]


def codes(error):
    return {diagnostic.code for diagnostic in error.value.diagnostics}


def of_file(folder, component, evidence=COUNT):
    said = {"version": 1, "system": {"name": "system"}, "components": {"part": component}, "evidence": evidence}
    return sf.project.from_data(said, folder=folder)


@pytest.fixture
def rng():
    return np.random.default_rng(5)


# Several labels a row, against scikit-learn.


def test_multilabel_counts_what_scikit_learn_does(rng):
    truth = rng.integers(0, 2, (300, 4))
    answers = np.where(rng.random((300, 4)) < 0.1, 1 - truth, truth)
    evidence = COUNT | {
        "lost": {"step": "loss_bound", "loss": "task"},
        "each": {"step": "binomial_bound", "by": "failure"},
    }
    result = counted(data={"labels": truth, "predictions": answers}, task="multilabel", evidence=evidence)
    assert failure(result).value == pytest.approx(zero_one_loss(truth, answers))
    assert failure(result, "lost").value == pytest.approx(hamming_loss(truth, answers))
    each = [estimate.value for estimate in result.evidence["each"].estimates[1:]]
    assert each == pytest.approx((truth != answers).mean(axis=0).tolist())


@pytest.mark.parametrize(
    ("labels", "predictions", "code"),
    [
        ([[0, 2]], [[0, 1]], "data-type"),
        ([[0, 1]], [[0, 1.5]], "data-type"),
        ([[0, 1]], [[0, 1, 1]], "data-classes"),
    ],
)
def test_marks_that_are_none_are_told_with_their_row(labels, predictions, code):
    with pytest.raises(DiagnosticsError) as error:
        counted(data={"labels": np.array(labels), "predictions": np.array(predictions)}, task="multilabel")
    assert codes(error) == {code}


# Numbers.


@pytest.mark.parametrize(
    ("tolerance", "limits"),
    [(0.5, lambda y: 0.5), ({"relative": 0.1}, lambda y: 0.1 * np.abs(y)), ({"column": "allowed"}, None)],
)
def test_an_error_above_its_tolerance_fails(rng, tolerance, limits):
    truth, allowed = rng.normal(size=200), rng.random(200)
    answers = truth + rng.normal(0, 0.4, 200)
    data = {"labels": truth, "predictions": answers, "tolerance": allowed}
    if isinstance(tolerance, dict) and "column" in tolerance:
        tolerance = {"column": "tolerance"}
    result = counted(data=data, task="regression", tolerance=tolerance)
    expected = np.abs(answers - truth) > (allowed if limits is None else limits(truth))
    assert failure(result).details["failures"] == expected.sum()


def test_errors_are_those_of_scikit_learn(rng):
    truth = rng.uniform(0, 1, 400)
    answers = np.clip(truth + rng.normal(0, 0.1, 400), 0, 1)
    evidence = {
        "mean": {"step": "error_bound", "measure": "mean", "largest": 1.0},
        "rms": {"step": "error_bound", "measure": "root mean square"},
        "most": {"step": "error_bound", "share": 0.9},
    }
    result = counted(
        data={"labels": truth, "predictions": answers},
        task="regression",
        tolerance=0.2,
        largest_error=1.0,
        evidence=evidence,
    )
    assert failure(result, "mean").value == pytest.approx(mean_absolute_error(truth, answers))
    assert failure(result, "rms").value == pytest.approx(root_mean_squared_error(truth, answers))
    expected = np.quantile(np.abs(truth - answers), 0.9, method="inverted_cdf")
    assert failure(result, "most").value == pytest.approx(expected)


def test_an_error_above_the_largest_is_refused(rng):
    data = {"labels": np.zeros(50), "predictions": np.r_[np.zeros(49), 3.0]}
    with pytest.raises(DiagnosticsError) as error:
        counted(data=data, task="regression", tolerance=1.0, largest_error=2.0)
    assert "row 49" in str(error.value)


def test_intervals_fail_where_they_do_not_cover(rng):
    truth = rng.normal(size=300)
    ends = np.column_stack([truth - 0.5, truth + rng.choice([0.5, -0.2], 300, p=[0.9, 0.1])])
    result = counted(data={"labels": truth, "predictions": ends}, task="regression")
    assert failure(result).details["failures"] == (truth > ends[:, 1]).sum()


def test_text_in_the_place_of_numbers_names_the_task():
    with pytest.raises(DiagnosticsError) as error:
        counted(data={"labels": ["a", "b"], "predictions": ["a", "b"]}, task="regression", tolerance=1.0)
    assert "task: text" in str(error.value)


# Texts, runs of one input, judges.


def test_edit_distances_are_those_of_jiwer():
    jiwer = pytest.importorskip("jiwer")
    truth, said = ["left turn", "stop", "go"], ["left turn", "stob", "ago there"]
    evidence = {"lost": {"step": "loss_bound", "loss": "task"}}
    data = {"labels": truth, "predictions": said}
    result = counted(data=data, task="text", compare="edit distance", tolerance=0.3, evidence=evidence | COUNT)
    edits = [jiwer.cer(a, b) * len(a) / max(len(a), len(b)) for a, b in zip(truth, said, strict=True)]
    assert failure(result, "lost").value == pytest.approx(np.mean(edits))
    assert failure(result).details["failures"] == sum(edit > 0.3 for edit in edits)


def test_numbers_in_text_are_compared_as_numbers():
    data = {"labels": ["1,000", "2", "3"], "predictions": [" 1000.0", "two", "3.05"]}
    assert failure(counted(data=data, task="text", compare="numeric", tolerance=0.1)).details["failures"] == 1


def test_runs_of_an_input_are_one_demand(rng):
    wrong = rng.random((150, 4)) < 0.05
    data = {"labels": np.full(600, "yes"), "predictions": np.where(wrong, "no", "yes").ravel()}
    data["repeats"] = np.repeat(np.arange(150), 4)
    evidence = COUNT | {
        "average": {"step": "loss_bound", "loss": "task"},
        "each": {"step": "binomial_bound", "by": "failure"},
    }
    result = counted(data=data, task="text", evidence=evidence)
    assert failure(result).value == pytest.approx(wrong.any(axis=1).mean())
    assert failure(result, "average").value == pytest.approx(wrong.mean())
    by_kind = {estimate.scope: estimate.value for estimate in result.evidence["each"].estimates}
    assert by_kind["component, first run"] == pytest.approx(wrong[:, 0].mean())
    assert by_kind["component, every run"] == pytest.approx(wrong.all(axis=1).mean())


def test_a_model_is_asked_as_often_as_repeats_says():
    asked = []

    def moody(rows):
        asked.append(len(rows))
        return np.array(["yes"] * len(rows)) if len(asked) % 3 else np.array(["no"] * len(rows))

    result = counted(model=moody, data=(np.arange(20.0)[:, None], ["yes"] * 20), task="text", repeats=3)
    assert (failure(result).value, sum(asked)) == (1.0, 60)


def test_a_judge_of_the_project_is_asked_in_files_as_in_memory(tmp_path):
    rows = [{"question": f"q{n}", "expected": str(n), "answer": str(n + (n == 7))} for n in range(40)]
    (tmp_path / "runs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "judging.py").write_text(
        "def same(labels, predictions):\n    return [a == b for a, b in zip(labels, predictions)]\n"
    )
    data = {"path": "runs.jsonl", "labels": "expected", "predictions": "answer"}
    component = {"task": "text", "compare": "judging:same", "data": {"test": data}}
    assert failure(sf.run(of_file(tmp_path, component))).details["failures"] == 1
    (tmp_path / "judging.py").write_text("def same(labels, predictions):\n    return [False] * len(labels)\n")
    assert failure(sf.run(of_file(tmp_path, component))).details["failures"] == 40


# Anything else.


def test_marks_of_a_harness_count_by_document(tmp_path):
    rows = [{"id": n, "wrong": n % 10 == 0, "document": f"d{n // 10}"} for n in range(100)]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, rows)))
    component = {"failed": "wrong", "data": {"test": {"path": "results.jsonl", "groups": "document"}}}
    evidence = {"counted": {"step": "binomial_bound", "groups": "trial"}}
    found = failure(sf.run(of_file(tmp_path, component, evidence)))
    assert (found.details["failures"], found.details["trials"]) == (10, 10)


@pytest.mark.parametrize("mark", [2, 0.5, "yes"])
def test_marks_are_0_or_1(mark):
    with pytest.raises(DiagnosticsError) as error:
        counted(
            data={"failed": np.array([0, 1, mark], dtype=object if isinstance(mark, str) else None).astype(type(mark))}
        )
    assert codes(error) == {"data-type"}


def test_a_function_that_returns_no_mark_a_row_is_told():
    with pytest.raises(DiagnosticsError) as error:
        counted(data=([[1.0], [2.0]], [1, 2]), model=lambda x: x[:, 0], task="custom", failed=lambda labels: True)
    assert codes(error) == {"judge-function"}


# What makes no sense for a task says so.


@pytest.mark.parametrize(
    "said",
    [
        {"step": "normal_bound"},
        {"step": "binomial_bound", "undesired": {"a": ["b"]}},
        {"step": "reliability_cells", "side": 0.1, "domain": [0, 1], "labelled": "train"},
    ],
)
def test_steps_and_keys_of_classes_are_refused_before_anything_runs(said):
    with pytest.raises(DiagnosticsError) as error:
        sf.Project.of("system", data={"failed": [0, 1]}, evidence={"it": said})
    assert "step-of-classes" in codes(error)


@pytest.mark.parametrize("metric", ["recall", "precision"])
def test_metrics_of_a_class_are_refused(metric):
    evidence = {"it": {"step": "metric_opinion", "metric": metric, "calibration": False}}
    with pytest.raises(SurefootError, match="about classes"):
        counted(data={"failed": [0, 1] * 20}, evidence=evidence)


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": "classification", "tolerance": 1.0},
        {"task": "regression", "compare": "exact"},
        {"task": "regressio"},
    ],
)
def test_keys_of_another_task_are_told(wrong):
    with pytest.raises(DiagnosticsError):
        sf.Project.of("system", data=([[1.0]], [1]), model=lambda x: x, evidence=COUNT, **wrong)


def test_a_target_asks_how_large_errors_are(rng, tmp_path):
    data = {"labels": np.zeros(400), "predictions": rng.normal(0, 0.1, size=400)}
    evidence = {"errors": {"step": "error_bound", "share": 0.9, "unit": "m"}}
    asked = {"estimate": "errors.90% quantile of the absolute error", "at_most": 3.0, "unit": "m"}
    result = counted(data=data, task="regression", tolerance=1.0, evidence=evidence, targets={"size": asked})
    assert result.met
    page = sf.report.write(result, tmp_path / "report.json")
    assert sf.read_report(page).answers[0].target == sf.Target(at_most=3.0, unit="m")
    assert "at most 3 m" in sf.report.markdown(result)
    for wrong in ({"unit": "km"}, {"unit": "m", "per": "hour"}):
        with pytest.raises(SurefootError):
            counted(data=data, task="regression", tolerance=1.0, evidence=evidence, targets={"size": asked | wrong})


def test_what_a_failure_is_changes_the_key(rng):
    data = {"labels": np.zeros(50), "predictions": rng.normal(size=50)}
    one, other = (failure(counted(data=data, task="regression", tolerance=t)) for t in (0.5, 0.6))
    assert one.provenance.key != other.provenance.key or one.digest != other.digest


def test_monitors_and_strata_count_failures_of_any_task(rng):
    truth = rng.normal(size=400)
    odd = rng.random(400)
    answers = truth + np.where(odd > 0.9, 2.0, 0.1)
    data = {"labels": truth, "predictions": answers, "attributes": {"odd": odd, "hall": np.repeat(["a", "b"], 200)}}
    evidence = {
        "watched": {"step": "monitor", "score": "odd", "threshold": 0.9},
        "weighed": {"step": "stratified_bound", "strata": "hall", "shares": {"a": 0.5, "b": 0.5}},
    }
    result = counted(data=data, task="regression", tolerance=1.0, evidence=evidence)
    assert result["watched.residual hazard"].value == 0
    assert result["weighed.failure probability"].value == pytest.approx((odd > 0.9).mean())


def test_a_judge_checked_answer_by_answer_is_not_asked_about_several_at_once():
    words = np.array(["yes", "no"])[np.arange(60) % 2]
    data = {"labels": np.repeat(words, 3), "predictions": np.repeat(words, 3), "repeats": np.repeat(np.arange(60), 3)}
    agreement = {"failures_caught": 18, "failures_checked": 20, "right_passed": 98, "right_checked": 100}

    def judged(**asked):
        evidence = {"told": {"step": "judged_bound", "agreement": agreement, **asked}}
        return sf.run(sf.Project.of("answers", task="text", data=data, evidence=evidence))

    with pytest.raises(sf.SurefootError, match="first run"):
        judged()
    first = judged(of="first run")["told.failure probability"]
    exact = sf.bounds.judged(0, 60, **agreement, level=0.95)
    assert first.upper(0.95) == pytest.approx(exact.upper(0.95))
