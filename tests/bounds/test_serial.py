"""Failures in the order of the rows: bursts are found, and the bound for sequences holds where they come."""

import numpy as np
import pytest
from scipy import stats
from tests.refusals import refusal

import surefoot as sf

SIGNIFICANCE = 0.01


def in_bursts(rng, n, p, length):
    starts = rng.random(n + length - 1) < 1 - (1 - p) ** (1 / length)
    begun = np.concatenate([[0], np.cumsum(starts)])
    return begun[length:] - begun[:-length] > 0


@pytest.mark.parametrize(("n", "p"), [(100, 0.3), (300, 0.02), (1000, 0.01), (400, 0.9)])
def test_false_alarms_are_rarer_than_the_significance(n, p):
    rng = np.random.default_rng(0)
    found = [sf.bounds.serial_dependence(rng.random(n) < p).status for _ in range(150)]
    # Three standard errors above one in a hundred.
    assert found.count("contradicted") <= 150 * SIGNIFICANCE + 3 * np.sqrt(150 * SIGNIFICANCE)


@pytest.mark.parametrize("length", [5, 20])
def test_bursts_are_found(length):
    rng = np.random.default_rng(0)
    found = [sf.bounds.serial_dependence(in_bursts(rng, 2000, 0.05, length)) for _ in range(6)]
    assert all(check.status == "contradicted" for check in found)
    assert np.median([check.effect for check in found]) == pytest.approx(length, rel=0.35)


def test_the_p_value_is_that_of_the_distance_of_two_failures():
    failed = np.zeros(2001)
    failed[[700, 701]] = 1
    found = sf.bounds.serial_dependence(failed)
    # Two failures are neighbours once in a thousand times.
    assert found.figures["p_value"] <= 0.01
    assert found.status == "contradicted"
    failed = np.zeros(2001)
    failed[[700, 1200]] = 1
    assert sf.bounds.serial_dependence(failed).status == "supported"


def test_where_no_order_could_be_significant_nothing_is_checked():
    for failures in (0, 1, 2, 99, 100):
        found = sf.bounds.serial_dependence(np.arange(100) < failures)
        assert found.status == "unchecked", failures


def test_a_file_sorted_by_class_shows_no_bursts():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 600)
    statuses = []
    for _ in range(25):
        failed = rng.random(1800) < np.array([0.01, 0.1, 0.6])[classes]
        statuses.append(sf.bounds.serial_dependence(failed, classes).status)
    assert statuses.count("contradicted") <= 2
    assert sf.bounds.serial_dependence(failed).status == "contradicted"


def test_bursts_across_interleaved_classes_are_found():
    rng = np.random.default_rng(0)
    failed = in_bursts(rng, 3000, 0.03, 5)
    assert sf.bounds.serial_dependence(failed, rng.integers(0, 10, 3000)).status == "contradicted"


def test_of_millions_of_rows_a_stretch_is_looked_at():
    failed = np.random.default_rng(0).random(1_000_000) < 0.2
    found = sf.bounds.serial_dependence(failed)
    assert found.status == "supported"
    assert found.figures["failures"] == 2000


@pytest.mark.parametrize(("failures", "trials"), [(0, 30), (3, 50), (40, 90), (30, 30)])
def test_chernoff_limits_contain_the_exact_ones_and_are_exact_without_failures(failures, trials):
    for level in (0.8, 0.95, 0.999):
        exact = sf.bounds.clopper_pearson(failures, trials, level=level)
        found = sf.bounds.sequence(np.arange(trials) < failures, block=1, level=level)
        assert found.upper(level) >= exact.upper(level) * (1 - 1e-9), level
        assert found.lower(level) <= exact.lower(level) * (1 + 1e-9), level
        if failures == 0:
            assert found.upper(level) == pytest.approx(exact.upper(level)), level
        elif failures < trials:
            m, mean = found.upper(level), failures / trials
            entropy = stats.entropy([mean, 1 - mean], [m, 1 - m])
            assert trials * entropy == pytest.approx(-np.log(1 - level)), level


def test_a_sequence_without_failures_is_worth_a_row_a_block():
    found = sf.bounds.sequence(np.zeros(1000), block=20, level=0.95)
    assert found.upper(0.95) == pytest.approx(sf.bounds.clopper_pearson(0, 50, level=0.95).upper(0.95))
    assert {b.kind for b in found.bounds} == {"confidence"}
    assert found.assumptions[0].status == "unchecked"


def test_whole_blocks_that_fail_are_the_worst_case_and_the_limit_holds():
    """Aligned all-or-nothing blocks: their number is binomial, so that the coverage is exact."""
    block, blocks, p = 10, 20, 0.15
    ways = stats.binom(blocks, p)
    held = [
        sf.bounds.sequence(np.repeat(np.arange(blocks) < k, block), block=block, level=0.95).upper(0.95) >= p
        for k in range(blocks + 1)
    ]
    assert ways.pmf(np.arange(blocks + 1))[held].sum() >= 0.95


@pytest.mark.parametrize(("length", "block"), [(5, 5), (20, 20), (20, 60)])
def test_false_verdicts_of_bursts_are_as_rare_as_stated(length, block):
    rng, p = np.random.default_rng(0), 0.05
    rows = [in_bursts(rng, 1000, p, length) for _ in range(150)]
    plain = np.mean([sf.bounds.clopper_pearson(int(r.sum()), 1000, level=0.95).upper(0.95) < p for r in rows])
    assert plain > 0.12
    assert np.mean([sf.bounds.sequence(r, block=block, level=0.95).upper(0.95) < p for r in rows]) <= 0.05


def test_a_block_from_the_data_is_heuristic_and_outlasts_the_bursts():
    rows = in_bursts(np.random.default_rng(0), 4000, 0.05, 20)
    found = sf.bounds.sequence(rows, level=0.95)
    assert {b.kind for b in found.bounds} == {"heuristic"}
    assert [c.code for c in found.caveats] == ["weights-estimated"] + ["few-groups"] * (found.details["block"] > 200)
    assert found.details["block"] >= 100


def test_a_block_that_bursts_outlast_is_contradicted():
    rows = in_bursts(np.random.default_rng(0), 6000, 0.05, 40)
    assert sf.bounds.sequence(rows, level=0.95, block=5).assumptions[0].status == "contradicted"
    assert sf.bounds.sequence(rows, level=0.95, block=40).assumptions[0].status == "supported"


def test_rows_of_one_class_count_by_how_many_lie_in_a_block():
    losses = np.zeros(100)
    spread = sf.bounds.sequence(losses, block=20, positions=np.arange(100) * 10, level=0.95)
    assert spread.details["effective_trials"] == 50
    far = sf.bounds.sequence(losses, block=20, positions=np.arange(100) * 20, level=0.95)
    assert far.details["effective_trials"] == 100


def test_bad_input_is_refused():
    for options in (
        {"block": 0},
        {"block": 2.5},
        {"positions": [0, 1]},
        {"positions": [0, 2, 1]},
        {"positions": [0.5, 1, 2]},
    ):
        assert refusal(sf.InvalidInput, sf.bounds.sequence, [0.0, 1.0, 0.0], **{"level": 0.95, **options}), options
