"""What the steps say about their assumptions."""

from dataclasses import replace

import numpy as np
import pytest
from tests.project.steps.samples import answered, checked, screening

from surefoot import bounds
from surefoot.core import InvalidInput, Target
from surefoot.project import find_step
from surefoot.project.steps.test_data import drift, drift_of_groups

binomial_bound = find_step("binomial_bound")
loss_bound = find_step("loss_bound")
monitor = find_step("monitor")
normal_bound = find_step("normal_bound")


def check_of(estimate, assumption):
    return next(a.check for a in estimate.assumptions if a.id == assumption)


def parts_with_faults(n=5000):
    """Few rows of class 1, which are copies, of one group, and fail in the second half only."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], [n, 60])
    wrong = np.repeat([False, True], [n + 40, 20])
    inputs = rng.normal(size=(n + 60, 3))
    return labels, wrong, inputs


@pytest.mark.parametrize("fault", ["copies", "groups", "drift"])
def test_a_part_is_checked_on_its_own_rows_as_if_it_were_asked_for_alone(fault):
    labels, wrong, inputs = parts_with_faults()
    groups = np.arange(labels.size)
    if fault == "copies":
        inputs[-60:-30] = inputs[-60]
    if fault == "groups":
        groups[-60:-45] = -1
    answers = labels ^ wrong if fault == "drift" else labels
    tested = answered(labels, answers, inputs=inputs, groups=groups)
    part = binomial_bound(tested, by="class")["failure probability[screening on malignant]"]
    alone = binomial_bound(tested, of="malignant")["failure probability"]
    assert part.assumptions == alone.assumptions
    assert "contradicted" in checked(part).values()
    everything = binomial_bound(tested, by="class").estimates[0]
    if fault != "drift":
        assert checked(everything)["independent-trials"] == "supported"


def test_no_failures_and_few_failures_leave_drift_unchecked():
    for failures in (0, 1, 5):
        tested = answered([1] * 400, [0] * failures + [1] * (400 - failures))
        for step in (binomial_bound, loss_bound):
            found = check_of(step(tested)["failure probability"], "identical-distribution")
            assert found.status == "unchecked"
            assert "too few for any split to be significant" in found.method


def test_failures_of_one_half_contradict_every_step_that_counts_them():
    tested = answered([1] * 400, [0] * 10 + [1] * 390)
    for step in (binomial_bound, loss_bound):
        assert checked(step(tested)["failure probability"])["identical-distribution"] == "contradicted"


def test_failures_that_come_in_groups_are_no_drift_where_groups_are_used():
    rng = np.random.default_rng(1)
    groups, labels = np.repeat(np.arange(80), 10), np.ones(800, dtype=int)
    statuses = []
    for _ in range(300):
        failed = np.repeat(rng.random(80) < 0.3, 10)
        statuses.append(drift_of_groups(failed, answered(labels, ~failed, groups=groups)).status)
    assert statuses.count("contradicted") <= 3
    tested = answered(labels, ~failed, groups=groups)
    for use in ("use", "trial"):
        found = check_of(binomial_bound(tested, groups=use).estimates[0], "identical-distribution")
        assert found.figures["rows"] == 80


def test_groups_that_change_are_drift():
    failed = np.repeat(np.arange(80) < 20, 10)
    tested = answered(np.ones(800, dtype=int), ~failed, groups=np.repeat(np.arange(80), 10))
    for found in (binomial_bound(tested, groups="trial"), loss_bound(tested, groups="use")):
        assert checked(found.estimates[0])["identical-distribution"] == "contradicted"


@pytest.mark.parametrize("classes", [1, 7, 300])
def test_false_alarms_are_rare_whatever_the_classes(classes):
    rng = np.random.default_rng(2)
    rates = rng.random(classes) ** 3
    alarms = 0
    for _ in range(400):
        labels = rng.integers(0, classes, 601)
        alarms += drift(rng.random(601) < rates[labels], labels).status == "contradicted"
    assert alarms / 400 <= 0.01


def test_many_classes_of_one_row_show_no_drift():
    labels = np.concatenate([np.arange(1, 201), np.zeros(400, dtype=int)])
    failed = np.concatenate([np.ones(100), np.zeros(500)]).astype(bool)
    assert drift(failed, labels).status == "unchecked"


def test_what_was_looked_for_is_said_in_words():
    tested = screening(groups=np.arange(400))
    assert check_of(binomial_bound(tested).estimates[0], "independent-trials").method == (
        "no identical rows found among 400; 7 failures among 400 rows come in no bursts"
    )
    without_inputs = screening(groups=np.arange(400), inputs=None)
    assert check_of(binomial_bound(without_inputs).estimates[0], "independent-trials").method == (
        "no group of several among 400 rows; 7 failures among 400 rows come in no bursts"
    )
    margins = check_of(normal_bound(tested).estimates[0], "identical-distribution").method
    assert margins.startswith("mean and distribution of the halves of each class compared")


def test_few_rows_without_groups_say_nothing_of_independence():
    found = binomial_bound(answered([1] * 5, [1] * 5, groups=np.arange(5))).estimates[0]
    assert checked(found)["independent-trials"] == "unchecked"


def in_bursts(rows, length, start, count):
    """Failures in bursts of this length, spread over the rows."""
    failed = np.zeros(rows, dtype=bool)
    for begin in np.linspace(start, rows - 2 * length, count).astype(int):
        failed[begin : begin + length] = True
    return failed


@pytest.mark.parametrize("step", [binomial_bound, loss_bound])
def test_bursts_of_failures_take_the_verdict_away_and_name_the_remedy(step):
    failed = in_bursts(2000, 5, 100, 8)
    found = step(answered(np.ones(2000, dtype=int), ~failed)).estimates[0]
    told = [caveat.hint for caveat in found.caveats if caveat.code == "assumption-contradicted"]
    assert any("rows: sequence" in hint for hint in told)
    assert found.meets(Target(at_most=0.5)).status == "not shown"


@pytest.mark.parametrize("step", [binomial_bound, loss_bound])
def test_rows_that_are_a_sequence_have_a_bound_that_allows_for_bursts(step):
    failed = in_bursts(2000, 5, 100, 8)
    options = {"places": np.arange(2000), "block": 10}
    tested = answered(np.ones(2000, dtype=int), ~failed, **options)
    found = step(tested).estimates[0]
    assert found.upper(0.95) == pytest.approx(bounds.sequence(failed, block=10, level=0.95).upper(0.95))
    assert {bound.kind for bound in found.bounds} == {"confidence"}
    assert "contradicted" not in checked(found).values()
    assert checked(found)["distant-rows-independent"] == "supported"
    guessed = step(replace(tested, block=None)).estimates[0]
    assert {bound.kind for bound in guessed.bounds} == {"heuristic"}


def test_a_class_of_a_sequence_keeps_its_places():
    labels = np.arange(2000) % 4 // 3
    tested = answered(labels, labels, places=np.arange(2000), block=20)
    found = binomial_bound(tested, of="malignant").estimates[0]
    assert found.details["effective_trials"] == 100


def test_steps_that_need_independent_rows_say_that_a_sequence_has_none():
    found = normal_bound(screening(places=np.arange(400))).estimates[0]
    assert checked(found)["independent-samples"] == "contradicted"
    with pytest.raises(InvalidInput, match="has its own method"):
        binomial_bound(screening(places=np.arange(400)), method="jeffreys")


@pytest.mark.parametrize("inputs", ["six binary columns", "two decimals", "an atom of 3%"])
def test_independent_rows_of_few_values_are_not_contradicted(inputs):
    rng = np.random.default_rng(0)
    made = {
        "six binary columns": rng.integers(0, 2, (400, 6)).astype(float),
        "two decimals": rng.normal(size=(400, 1)).round(2),
        "an atom of 3%": np.where(rng.random((400, 1)) < 0.03, 0, rng.normal(size=(400, 1))),
    }
    found = binomial_bound(screening(inputs=made[inputs])).estimates[0]
    assert checked(found)["independent-trials"] == "supported"


def monitored(rng, strata=None):
    """Usual rows, and threats appended behind them; the monitor misses some threats and disturbs some usual rows."""
    threat = np.repeat([0, 1], 300)
    alarm = np.where(threat == 1, rng.random(600) < 0.9, rng.random(600) < 0.05)
    labels = rng.integers(0, 2, 600)
    columns = {"threat": threat, "alarm": alarm.astype(int)}
    tested = answered(labels, labels, attributes=columns, inputs=rng.normal(size=(600, 2)))
    return monitor(tested, alarm="alarm", detects="threats", threat="threat", strata=strata)


def test_threats_appended_behind_usual_rows_are_no_drift_and_no_burst():
    found = monitored(np.random.default_rng(0))
    for estimate in found.estimates:
        assert "contradicted" not in checked(estimate).values()


def test_strata_of_a_monitor_keep_its_figures_within_what_is_possible():
    plain, by_threat = (monitored(np.random.default_rng(0), strata) for strata in (None, "threat"))
    assert by_threat["safety gain"].value == plain["safety gain"].value
    assert by_threat["safety gain"].interval(0.95)[1] <= 0.5 < plain["hazard without the monitor"].interval(0.95)[1]
    assert checked(by_threat["safety gain"])["independent-within-strata"] == "supported"
    with pytest.raises(InvalidInput, match="attribute"):
        monitored(np.random.default_rng(0), "weather")


def test_a_monitored_sequence_is_resampled_by_blocks():
    tested = screening(places=np.arange(400), block=10)
    found = monitor(tested, threshold=0.3)["residual hazard"]
    assert found.details["units"] == 40
    assert "contradicted" not in checked(found).values()
