"""Monitor and model in a fault tree: the measured share in every form, and known common causes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput, Undefined
from surefoot.faulttree import FaultTree
from surefoot.monitors import Outcomes, Stakes, common_cause, dependence_factor, monitored_tree

FORMS = ("joint", "conditional", "common cause")
TOPS = ("undetected failure", "spurious alarm")
counts = st.tuples(*(st.integers(0, 60) for _ in range(4)))


def rows_of(missed, caught, spurious, calm):
    """Failures and alarms with these counts."""
    numbers = [missed, caught, spurious, calm]
    return np.repeat([True, True, False, False], numbers), np.repeat([False, True, True, False], numbers)


def shocked(rows=40_000, cause=0.05, fails=0.1, quiet=0.4, seed=0):
    """A world in which one cause makes the model fail and keeps the monitor quiet."""
    rng = np.random.default_rng(seed)
    shared = rng.random(rows) < cause
    return shared | (rng.random(rows) < fails), ~(shared | (rng.random(rows) < quiet))


@settings(max_examples=25, deadline=None)
@given(counts, st.sampled_from(FORMS), st.sampled_from(TOPS))
def test_every_form_gives_the_measured_share(table, form, top):
    missed, caught, spurious, calm = table
    assume(missed + caught and spurious + calm and caught + spurious)
    tree = monitored_tree(*rows_of(*table), form=form, top=top, draws=1000)
    expected = (missed if top == TOPS[0] else spurious) / sum(table)
    assert tree.probability() == pytest.approx(expected, rel=1e-12, abs=1e-15)


@settings(max_examples=20, deadline=None)
@given(counts)
def test_the_common_cause_solves_its_equations(table):
    missed, caught, spurious, _calm = table
    assume(spurious and missed + caught)
    failed, alarms = rows_of(*table)
    cause = common_cause(failed, alarms, draws=1000)
    right, alarm, both = np.mean(~failed), np.mean(alarms), np.mean(~failed & alarms)
    assert cause.details["unclipped"] == pytest.approx(1 - right * alarm / both)
    assert cause.value == pytest.approx(max(1 - right * alarm / both, 0), abs=1e-12)


def test_a_known_common_cause_is_found():
    truth, missed, rounds = 0.05, 0, 60
    for seed in range(rounds):
        low, high = common_cause(*shocked(4000, truth, seed=seed), draws=1000).interval(0.9)
        missed += not low <= truth <= high
    assert missed / rounds < 0.22
    assert common_cause(*shocked(400_000, truth)).value == pytest.approx(truth, abs=0.003)


def test_the_tree_of_a_known_common_cause_has_its_events():
    tree = monitored_tree(*shocked(400_000), form="common cause")
    assert set(tree.events) == {"common cause", "model fails on its own", "monitor is quiet on its own"}
    known = tree._known()
    assert known["common cause"] == pytest.approx(0.05, abs=0.003)
    assert known["model fails on its own"] == pytest.approx(0.1, abs=0.005)
    assert known["monitor is quiet on its own"] == pytest.approx(0.4, abs=0.005)
    assert tree.cut_set_count() == 2
    assert "common cause 0.0" in tree.labels[TOPS[0]]


def test_alarms_that_go_along_with_failures_have_no_common_cause_and_it_is_said():
    failed, alarms = rows_of(10, 90, 50, 850)
    cause = common_cause(failed, alarms)
    assert cause.value == 0
    assert cause.details["unclipped"] < 0
    assert any("Alarms go along with failures" in caveat.text for caveat in cause.caveats)
    tree = monitored_tree(failed, alarms, form="common cause")
    assert "no common cause" in tree.labels[TOPS[0]]
    assert set(tree.events) == {"model fails", "monitor quiet at a failure"}
    assert tree.probability() == pytest.approx(0.01)


def test_independence_is_for_comparison_and_the_factor_is_told():
    failed, alarms = rows_of(30, 70, 60, 840)
    tree = monitored_tree(failed, alarms, form="independent")
    assert tree.probability() == pytest.approx(0.1 * 0.87)
    factor = dependence_factor(failed, alarms)
    assert factor.value == pytest.approx(0.03 / (0.1 * 0.87))
    assert "0.345 times" in tree.labels[TOPS[0]]
    assert "0.345 times" in monitored_tree(failed, alarms).labels[TOPS[0]]


def test_the_factor_covers_one_where_model_and_monitor_are_independent():
    rng, rounds, missed = np.random.default_rng(0), 60, 0
    for _ in range(rounds):
        failed, alarms = rng.random(3000) < 0.2, rng.random(3000) < 0.3
        low, high = dependence_factor(failed, alarms, draws=1000).interval(0.9)
        missed += not low <= 1 <= high
    assert missed / rounds < 0.22


@pytest.mark.parametrize("form", FORMS)
def test_uncertainty_of_the_top_event_is_that_of_the_share(form):
    """The posterior of the undetected failure: a beta distribution, whichever way it is split."""
    tree = monitored_tree(*rows_of(120, 180, 300, 400), form=form)
    low, high = tree.analyse(level=0.9).top.interval(0.9)
    exact = stats.beta(120.5, 880.5).interval(0.9)
    assert (low, high) == pytest.approx(exact, rel=0.02)


def test_the_two_splits_move_together_draw_by_draw():
    failed, alarms = rows_of(40, 60, 500, 400)
    tops = [monitored_tree(failed, alarms, form=form).analyse().top for form in ("conditional", "common cause")]
    assert np.allclose(tops[0].dist.draws, tops[1].dist.draws)


def test_more_rows_narrow_the_interval_and_levels_widen_it():
    few, many = (monitored_tree(*rows_of(*(n * k for k in (2, 18, 10, 70)))).analyse().top for n in (1, 100))
    assert np.diff(few.interval(0.95)) > 5 * np.diff(many.interval(0.95))
    assert few.upper(0.99) > few.upper(0.9)


def test_bounds_of_confidence_stay_bounds_of_confidence():
    failed, alarms = rows_of(3, 97, 60, 840)
    joint = monitored_tree(failed, alarms, form="joint", kind="confidence").analyse().top
    exact = stats.binomtest(3, 1000).proportion_ci(0.95, "exact")
    assert joint.bounds[0].kind == "confidence"
    assert joint.upper(0.975) == pytest.approx(exact.high, rel=1e-6)
    assert monitored_tree(failed, alarms, kind="confidence").analyse().top.upper(0.975) > exact.high
    with pytest.raises(InvalidInput, match="needs distributions"):
        monitored_tree(failed, alarms, form="common cause", kind="confidence")


def test_episodes_widen_the_interval():
    failed, alarms = rows_of(10, 15, 30, 45)
    units = np.repeat(np.arange(100), 20)
    apart = monitored_tree(np.repeat(failed, 20), np.repeat(alarms, 20)).analyse().top
    together = monitored_tree(np.repeat(failed, 20), np.repeat(alarms, 20), units=units).analyse().top
    widths = [np.diff(top.interval(0.9))[0] for top in (together, apart)]
    assert widths[0] / widths[1] == pytest.approx(np.sqrt(20), rel=0.2)
    assert together.bounds[0].kind == "heuristic"


def test_shares_of_episodes_are_drawn_together_or_refused():
    failed, alarms = shocked(2000)
    tree = monitored_tree(failed, alarms, form="common cause", units=np.arange(2000) // 10)
    undetected = Outcomes(failed, alarms, units=np.arange(2000) // 10).undetected_failure
    assert np.allclose(tree.analyse().top.dist.draws, undetected.dist.draws)
    with pytest.raises(InvalidInput, match="same seed and draws"):
        tree.analyse(seed=1)


def test_weights_are_respected_in_every_form():
    failed, alarms = shocked(500)
    weights = np.random.default_rng(1).random(500)
    expected = np.average(failed & ~alarms, weights=weights)
    for form in FORMS:
        assert monitored_tree(failed, alarms, form=form, weights=weights).probability() == pytest.approx(expected)


def test_stakes_say_where_the_model_fails():
    failed, alarms = rows_of(4, 6, 10, 80)
    one = np.ones(100)
    stakes = Stakes((~failed).astype(float), one, one, one, failed.astype(float), units=np.arange(100) // 2)
    assert monitored_tree(stakes, alarms).probability() == pytest.approx(0.04)
    assert Outcomes.of(stakes, alarms).units is stakes.units


def test_estimates_are_shares_of_the_right_rows():
    found = Outcomes(*rows_of(3, 7, 20, 70))
    assert found.counts == (3, 7, 20, 70)
    shown = {
        "undetected_failure": 0.03,
        "spurious_alarm": 0.2,
        "model_fails": 0.1,
        "model_right": 0.9,
        "monitor_quiet": 0.73,
        "monitor_alarms": 0.27,
        "quiet_at_failure": 0.3,
        "alarm_when_right": 2 / 9,
    }
    for name, value in shown.items():
        assert getattr(found, name).value == pytest.approx(value), name


def test_trees_survive_a_file(tmp_path):
    tree = monitored_tree(*shocked(2000), form="common cause")
    tree.write(tmp_path / "tree.xml")
    assert FaultTree.read(tmp_path / "tree.xml").probability() == pytest.approx(tree.probability(), rel=0.02)
    assert tree.draw().startswith("<svg")


def test_without_failures_only_the_joint_form_exists():
    failed, alarms = rows_of(0, 0, 10, 90)
    joint = monitored_tree(failed, alarms, form="joint")
    assert joint.probability() == 0
    assert joint.analyse().top.upper(0.95) > 0
    with pytest.raises(Undefined, match="the model never failed"):
        monitored_tree(failed, alarms)


def test_a_monitor_that_never_speaks_has_no_common_cause_to_find():
    failed, alarms = rows_of(20, 0, 0, 80)
    assert monitored_tree(failed, alarms).probability() == pytest.approx(0.2)
    with pytest.raises(Undefined, match="never raised an alarm"):
        monitored_tree(failed, alarms, form="common cause")


def test_a_monitor_that_always_speaks_leaves_no_failure_undetected():
    failed, alarms = rows_of(0, 20, 80, 0)
    for form in FORMS:
        assert monitored_tree(failed, alarms, form=form).probability() == 0
    with pytest.raises(Undefined, match="never quiet"):
        dependence_factor(failed, alarms)


def test_a_model_that_always_fails_has_no_spurious_alarm():
    failed, alarms = rows_of(30, 70, 0, 0)
    assert monitored_tree(failed, alarms).probability() == pytest.approx(0.3)
    with pytest.raises(Undefined, match="the model always failed"):
        monitored_tree(failed, alarms, top="spurious alarm")


def test_bad_input_is_refused_with_words():
    for failed, alarms, options, words in [
        ([1, 0], [1, 0, 1], {}, "one a row"),
        ([], [], {}, "at least one row"),
        ([0.3, 1], [1, 0], {}, "true or false"),
        ([1, 0], [1, 0], {"form": "joined"}, "Did you mean 'joint'"),
        ([1, 0], [1, 0], {"top": "alarm"}, "unknown top"),
        ([1, 0], [1, 0], {"kind": "confidence", "weights": np.ones(2)}, "independent rows"),
        ([1, 0], [1, 0], {"weights": [1.0, np.nan]}, "finite"),
        ([1, 0], [1, 0], {"weights": [1.0, -1.0]}, "at least 0"),
        ([1, 0], [1, 0], {"units": [1, 2, 3]}, "one unit a row"),
    ]:
        with refused((failed, alarms, options, words), InvalidInput, match=words):
            monitored_tree(failed, alarms, **options)
