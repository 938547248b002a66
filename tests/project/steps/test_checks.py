"""What the steps say about their assumptions."""

import numpy as np
import pytest
from tests.project.steps.samples import answered, checked, screening

from surefoot.project.steps.binomial import binomial_bound
from surefoot.project.steps.checks import drift, drift_of_groups
from surefoot.project.steps.losses import loss_bound
from surefoot.project.steps.normal import normal_bound


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
