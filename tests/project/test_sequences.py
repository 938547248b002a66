"""Rows in time: never independent ones, failures per sequence and per hour, and times that are out of order."""

from dataclasses import replace

import numpy as np
import pytest

import surefoot as sf
from surefoot.core import DiagnosticsError

COUNT = {"counted": {"step": "binomial_bound"}}
RATE = {"rate": {"step": "failure_rate"}}


def counted(*, evidence=COUNT, task=None, **data):
    return sf.run(sf.Project.of("drive", data=data, evidence=evidence, task=task))


def problems(error):
    return [(d.code, d.text.partition(":")[0]) for d in error.value.diagnostics]


def marked(failed, **more):
    return {"failed": np.asarray(failed).astype(int), **more}


def test_rows_with_times_are_bounded_as_a_sequence():
    failed = np.zeros(2000, dtype=int)
    failed[700:720] = 1
    alone = counted(**marked(failed))["counted.failure probability"]
    in_time = counted(**marked(failed, time=np.arange(2000.0)))["counted.failure probability"]
    assert in_time.value == alone.value
    assert in_time.upper(0.95) > alone.upper(0.95)
    assert in_time.details["effective_trials"] < 2000


@pytest.mark.parametrize("task", ["classification", "regression", "text"])
def test_every_task_has_sequences(task, tmp_path):
    lines = ["x,label,prediction,film,at"]
    lines += [f"{n / 100},{n % 2},{n % 2},{n // 50},{n % 50}" for n in range(200)]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    data = {"path": "rows.csv", "sequence": "film", "time": "at", "inputs": ["x"]}
    data |= {"scores": "prediction", "output": "label"} if task == "classification" else {"predictions": "prediction"}
    component = {"task": task, "data": {"test": data}} | ({"tolerance": 0.5} if task == "regression" else {})
    said = {"version": 1, "system": {"name": "s"}, "components": {"part": component}, "evidence": COUNT | RATE}
    result = sf.run(sf.project.from_data(said, folder=tmp_path))
    assert result["counted.failure probability"].details["trials"] == 200
    assert "effective_trials" in result["counted.failure probability"].details
    assert result["rate.failure rate"].details["exposure"] == pytest.approx(4 * 50 / 3600)


def test_columns_of_time_are_no_inputs(tmp_path):
    (tmp_path / "model.py").write_text("def f(x):\n    assert x.shape[1] == 1\n    return (x[:, 0] > 0).astype(int)\n")
    rows = [f"{n % 2},{n % 2},{n}" for n in range(50)]
    (tmp_path / "rows.csv").write_text("\n".join(["x,label,at", *rows]))
    component = {"model": "model:f", "data": {"test": {"path": "rows.csv", "time": "at"}}, "classes": ["0", "1"]}
    said = {"version": 1, "system": {"name": "s"}, "components": {"part": component}, "evidence": COUNT}
    assert sf.run(sf.project.from_data(said, folder=tmp_path))["counted.failure probability"].value == 0


def test_a_sequence_fails_where_any_row_of_it_does():
    films = np.repeat(np.arange(60), 20)
    failed = np.zeros(1200, dtype=int)
    failed[[5, 6, 7, 45, 1100]] = 1
    evidence = {"films": {"step": "binomial_bound", "groups": "trial"}}
    found = counted(evidence=evidence, **marked(failed, sequence=films, time=np.tile(np.arange(20.0), 60)))
    details = found["films.failure probability"].details
    assert (details["failures"], details["trials"]) == (3, 60)
    exact = sf.bounds.clopper_pearson(3, 60, level=0.95)
    assert found["films.failure probability"].upper(0.95) == exact.upper(0.95)


def test_a_run_of_failing_rows_is_one_event():
    failed = np.zeros(7200, dtype=int)
    failed[[10, 11, 12, 100, 104, 7000]] = 1
    times = np.arange(7200) / 2.0
    rate = counted(evidence=RATE, **marked(failed, time=times))["rate.failure rate"]
    # In the row after a failing one no new event can begin: 11, 12, 13, 101, 105 and 7001 are no exposure.
    hours = (7200 - 6) / 2 / 3600
    assert rate.value == pytest.approx(4 / hours)
    assert rate.unit == "per hour"
    assert rate.upper(0.95) == pytest.approx(sf.bounds.garwood(4, hours, level=0.95).upper(0.95))
    merged = {"rate": {"step": "failure_rate", "merge": 2.0}}
    assert counted(evidence=merged, **marked(failed, time=times))["rate.failure rate"].value == pytest.approx(
        3, rel=0.005
    )


def test_events_end_with_their_sequence():
    failed = np.r_[np.zeros(9), 1, 1, np.zeros(9)].astype(int)
    films, times = np.repeat([0, 1], 10), np.tile(np.arange(10.0), 2)
    rate = counted(evidence=RATE, **marked(failed, sequence=films, time=times))["rate.failure rate"]
    assert rate.details["events"] == 2


def test_the_bound_of_a_rate_misses_no_more_often_than_stated():
    rng = np.random.default_rng(11)
    truth, rows, missed, repeats = 30.0, 1800, 0, 300
    for _ in range(repeats):
        # A frame every second; an event makes one to four frames fail.
        failed = np.zeros(rows, dtype=int)
        for at in np.flatnonzero(rng.random(rows) < truth / 3600):
            failed[at : at + rng.integers(1, 5)] = 1
        rate = counted(evidence=RATE, **marked(failed, time=np.arange(float(rows))))["rate.failure rate"]
        missed += rate.upper(0.95) < truth
    assert missed / repeats < 0.05 + 3 * (0.05 * 0.95 / repeats) ** 0.5


@pytest.mark.parametrize(
    ("times", "films", "found"),
    [
        ([0, 1, 2, 2, 4, 5], None, [("data-time", "row 3")]),
        ([0, 1, 3, 2, 4, 5], None, [("data-time", "row 3")]),
        ([0, 1, 2, 3, 4, 50], None, [("data-time", "row 5")]),
        ([0, 1, 2, 3, 0, 1], [0, 0, 0, 0, 1, 1], []),
        ([0, 1, 0, 1, 2, 3], [0, 0, 1, 1, 0, 0], [("data-time", "row 4")]),
        ([0, 5, 4, 90, 91, 92], None, [("data-time", "row 2"), ("data-time", "row 3")]),
    ],
)
def test_times_out_of_order_and_gaps_are_told_with_their_rows(times, films, found):
    data = marked(np.zeros(6), time=np.array(times, dtype=float))
    data |= {} if films is None else {"sequence": np.array(films)}
    if not found:
        counted(**data)
        return
    with pytest.raises(DiagnosticsError) as error:
        counted(**data)
    assert problems(error) == found


def test_a_stated_gap_is_none():
    data = marked(np.zeros(6), time=[0.0, 1, 2, 3, 4, 50], gap=50.0)
    assert counted(**data)["counted.failure probability"].value == 0


def test_dates_are_times_and_other_text_is_none(tmp_path):
    def project(last):
        rows = [f"0,2026-05-01T12:00:0{n}" for n in range(5)] + [f"0,{last}"]
        (tmp_path / "rows.csv").write_text("\n".join(["failed,at", *rows]))
        component = {"failed": "failed", "data": {"test": {"path": "rows.csv", "time": "at"}}}
        said = {"version": 1, "system": {"name": "s"}, "components": {"part": component}, "evidence": RATE}
        return sf.project.from_data(said, folder=tmp_path)

    result = sf.run(project("2026-05-01T12:00:05"))
    assert result["rate.failure rate"].details["exposure"] == pytest.approx(6 / 3600)
    with pytest.raises(DiagnosticsError, match="row 5"):
        sf.run(project("noon"))


def test_a_rate_needs_times():
    with pytest.raises(DiagnosticsError, match="time:"):
        counted(evidence=RATE, **marked(np.zeros(6)))


def test_time_spent_failing_is_no_exposure():
    rate = counted(evidence=RATE, **marked(np.ones(36_000), time=np.arange(36_000.0)))["rate.failure rate"]
    assert (rate.details["events"], rate.details["exposure"]) == (1, pytest.approx(1 / 3600))


def test_a_rate_of_some_rows_of_a_sequence_is_refused():
    labels, times = np.repeat([0, 1], 50), np.arange(100.0)
    asked = {"rate": {"step": "failure_rate", "of": "1"}}
    data = {"labels": labels, "scores": np.eye(2)[labels], "time": times}
    with pytest.raises(sf.SurefootError, match="only some of them"):
        sf.run(sf.Project.of("drive", data=data, classes=["0", "1"], evidence=asked))


BLOCK = 10
TOUCHING = {
    "rows": {"step": "binomial_bound", "groups": "use"},
    "blocks": {"step": "binomial_bound", "groups": "trial"},
    "losses": {"step": "loss_bound", "loss": "brier", "groups": "use"},
    "margins": {"step": "normal_bound", "groups": "use"},
    "average": {"step": "normal_score", "groups": "use"},
    "watched": {"step": "monitor", "alarm": "said", "groups": "use"},
}


def drive(seed, rows=400):
    """Answers whose margins are normal and alike in stretches of a block that begin half-way between two blocks."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, rows)
    common = np.repeat(rng.normal(0, 0.9**0.5, rows // BLOCK + 1), BLOCK)[BLOCK // 2 : BLOCK // 2 + rows]
    margins = (1 + common + rng.normal(0, 0.1**0.5, rows)) * np.where(labels == 1, 1, -1)
    p = 1 / (1 + np.exp(-margins))
    said = {"said": np.abs(p - 0.5) < 0.2}
    scores = np.column_stack([1 - p, p])
    return {"labels": labels, "scores": scores, "attributes": said, "rows": "sequence", "block": BLOCK}


def test_steps_take_blocks_of_a_sequence_for_touching_ones():
    data = drive(1)
    result = sf.run(sf.Project.of("drive", data=data, classes=["0", "1"], evidence=TOUCHING))
    first = {name: evidence.estimates[0] for name, evidence in result.evidence.items()}
    assert all("distant-rows-independent" in {a.id for a in each.assumptions} for each in first.values())
    rows = np.arange(400)
    truth = data["scores"][rows, data["labels"]]
    wrong, numbers = (truth <= 0.5).astype(float), rows // BLOCK
    asked = {"level": 0.95, "max_group_size": BLOCK, "touching": True}
    assert first["rows"].bounds == sf.bounds.grouped(wrong, numbers, **asked).bounds
    assert first["blocks"].bounds == sf.bounds.grouped(wrong, numbers, per="group", **asked).bounds
    losses = sf.bounds.grouped((1 - truth) ** 2, numbers, **asked)
    assert first["losses"].interval(0.9) == pytest.approx(losses.interval(0.9))
    far = sf.bounds.distant_rows(rows, block=BLOCK)
    margins = np.log(truth) - np.log1p(-truth)
    assert first["margins"].upper(0.95) == pytest.approx(sf.bounds.normal_exact(margins[far], level=0.95).upper(0.95))
    assert first["average"].details["bound"] == pytest.approx(sf.bounds.normal_score(margins[far]).details["bound"])
    stakes = replace(sf.monitors.returns.threats(wrong, units=numbers, unit="block"), touching=True)
    report = sf.monitors.evaluate(stakes.under(data["attributes"]["said"]))
    assert first["watched"].bounds == report.safety_gain.bounds


@pytest.mark.parametrize("name", ["blocks", "rows", "losses", "watched"])
def test_blocks_of_guessed_length_guarantee_nothing(name):
    data = {key: value for key, value in drive(1).items() if key != "block"}
    project = sf.Project.of("drive", data=data, classes=["0", "1"], evidence={name: TOUCHING[name]})
    for found in sf.run(project).evidence[name].estimates:
        assert {family.kind for family in found.bounds} <= {"heuristic", "certain"}
        assert "approximate-coverage" in {caveat.code for caveat in found.caveats}


@pytest.mark.parametrize("name", ["margins", "average"])
def test_margins_far_apart_need_a_stated_block(name):
    data = {key: value for key, value in drive(1).items() if key != "block"}
    project = sf.Project.of("drive", data=data, classes=["0", "1"], evidence={name: TOUCHING[name]})
    with pytest.raises(DiagnosticsError, match="block:"):
        sf.run(project)


def test_a_threshold_is_chosen_on_every_second_block_and_judged_far_from_there():
    evidence = {"watched": {"step": "monitor", "availability": 0.2, "groups": "use"}}
    found = sf.run(sf.Project.of("drive", data=drive(1), classes=["0", "1"], evidence=evidence))
    told = dict(found.evidence["watched"].tables["threshold"].rows)
    assert (told["rows that chose it"], told["rows that judge"]) == (10 * BLOCK, 19 * BLOCK)


def test_keys_know_the_block_and_move_with_touching_blocks_alone():
    failed, times = np.zeros(100), np.arange(100.0)

    def key(groups, step="binomial_bound", **data):
        loaded = sf.Project.of("d", data=marked(failed, **data), evidence={"x": {"step": step, "groups": groups}})
        return sf.run(loaded).keys["x"]

    assert key("trial", time=times, block=5) != key("trial", time=times, block=6)
    assert key("check", rows="sequence", block=5) != key("check", rows="sequence", block=6)


def test_the_meaning_of_touching_blocks_was_raised_for_them_alone():
    def meant(use, **data):
        evidence = {"x": {"step": "binomial_bound", "groups": use}}
        loaded = sf.Project.of("d", data=marked(np.zeros(100), **data), evidence=evidence)
        (task,) = sf.project.plan(loaded)
        return task.provenance(loaded, {}, {}).versions["step binomial_bound"]

    assert meant("check") == meant("check", rows="sequence", block=5) == "1"
    assert meant("trial", groups=np.arange(100) // 5, rows="sequence") == "1"
    assert meant("trial", rows="sequence", block=5) == meant("use", time=np.arange(100.0)) == "2"
