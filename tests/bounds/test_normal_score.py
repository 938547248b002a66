import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from tests.refusals import refusal

from surefoot.bounds import (
    critical_ratio,
    mode_margins,
    normal_exact,
    normal_score,
    normal_score_budget,
    normal_score_by_mode,
    normal_score_minimum,
    normal_score_violation,
    one_of_each_group,
)
from surefoot.bounds.score_function import score_bound
from surefoot.core import Estimate, InvalidInput, LevelUnavailable, Target, Undefined


def margins_with(mean, sd, n, seed=0):
    """Normal margins with exactly this mean and standard deviation."""
    z = np.random.default_rng(seed).normal(size=n)
    return mean + sd * (z - z.mean()) / z.std(ddof=1)


def codes(estimate):
    return [caveat.code for caveat in estimate.caveats]


def test_value_bound_and_levels_of_the_malignant_class_of_nrb_table_2():
    ratio = -special.ndtri(7.79e-2)
    found = normal_score(margins_with(ratio, 1, 110))
    assert found.value == pytest.approx(7.79e-2, rel=1e-9)
    assert found.details["bound"] == pytest.approx(0.175825, abs=1e-6)
    at_levels = score_bound(ratio, 110, found.details["gamma"], found.details["eta"])
    assert float(at_levels) == pytest.approx(found.details["bound"], rel=1e-9)


@settings(deadline=None, max_examples=15)
@given(st.floats(-2, 8), st.floats(1e-3, 1e3), st.integers(3, 200), st.integers(0, 99))
def test_the_estimate_depends_on_mean_over_sd_and_n_alone(ratio, sd, n, seed):
    found = normal_score(margins_with(ratio * sd, sd, n, seed), check=False)
    assert found.value == pytest.approx(special.ndtr(-ratio), rel=1e-7)
    assert found.details["bound"] == pytest.approx(float(normal_score_minimum(ratio, n)), rel=1e-6)


def test_very_large_and_very_small_margins_do_not_overflow():
    for scale in (1e-200, 1e200):
        values = margins_with(2, 1, 50)
        assert normal_score(values * scale).details["bound"] == pytest.approx(normal_score(values).details["bound"]), (
            scale
        )


def test_the_bound_is_an_expectation_and_no_level_can_be_asked_of_it():
    found = normal_score(margins_with(3, 1, 100))
    assert codes(found) == ["expectation-only"]
    with pytest.raises(LevelUnavailable, match="normal_exact"):
        found.upper(0.95)
    assert found.meets(Target(at_most=0.05)).status == "not shown"
    assert found.meets(Target(at_most=0.05, kinds=("expectation",)))
    assert f"{found.details['bound']:.6g} (expectation)" in str(found.summary())
    assert "level" not in str(found.summary()).split("assumes")[0]


def test_without_a_minimum_below_one_half_the_bound_is_1():
    for mean, n in ((-1, 50), (0.1, 20), (2.0, 3)):
        found = normal_score(margins_with(mean, 1, n))
        assert found.details["bound"] == 1, (mean, n)
        assert found.details["gamma"] is None, (mean, n)
        assert found.details["eta"] is None, (mean, n)
        assert "no-finite-minimum" in codes(found), (mean, n)


def test_contradicted_assumptions_become_caveats_and_stop_a_proof():
    skewed = np.random.default_rng(1).exponential(size=400) + 0.2
    found = normal_score(skewed)
    assert "assumption-contradicted" in codes(found)
    assert {a.id for a in found.assumptions if a.status == "contradicted"} == {"normal-margins"}
    verdict = found.meets(Target(at_most=0.9, kinds=("expectation",)))
    assert verdict.status == "not shown"
    assert "normal-margins" in verdict.text


def test_duplicated_feature_rows_contradict_independence():
    values = margins_with(2, 1, 60)
    rows = np.repeat(np.arange(30), 2)[:, None]
    status = {a.id: a.status for a in normal_score(values, rows=rows).assumptions}
    assert status["independent-samples"] == "contradicted"
    assert normal_score(values, rows=rows).key != normal_score(values).key


def test_unchecked_assumptions_are_stated():
    found = normal_score(margins_with(2, 1, 60), check=False, scope="night")
    assert {a.status for a in found.assumptions} == {"unchecked"}
    assert {a.scope for a in found.assumptions} == {"night"}
    assert len(found.assumptions) == 4


def test_round_trip():
    found = normal_score(margins_with(2, 1, 60), quantity="misses", unit="per image", scope="night")
    assert Estimate.from_dict(found.to_dict()) == found
    assert Estimate.from_dict(found.to_dict()).digest == found.digest


def test_failure_modes_are_class_conditional():
    rng = np.random.default_rng(2)
    labels = rng.integers(0, 3, 600)
    scores = rng.normal(size=(600, 3)) + 3 * np.eye(3)[labels]
    modes = normal_score_by_mode(scores, labels)
    assert [m.scope for m in modes] == ["0 -> 1", "0 -> 2", "1 -> 0", "1 -> 2", "2 -> 0", "2 -> 1"]
    one = normal_score_by_mode(scores, labels, [(2, 0)])[0]
    assert one.details["n"] == (labels == 2).sum()
    assert one.value == normal_score(mode_margins(scores, labels, (2, 0))).value
    assert len({m.key for m in modes}) == 6


def test_a_budget_splits_g_at_fixed_levels():
    values = margins_with(3, 1, 400)
    budget = normal_score_budget(values, 0.01, gamma=0.001, eta=0.001)
    parts = float(score_bound(3, 400, 0.001, 0.001))
    assert budget.classifier + 0.002 == pytest.approx(parts, rel=1e-9)
    assert budget.rest == pytest.approx(0.008)
    assert budget.fits == (parts <= 0.01)
    assert not normal_score_budget(values, 0.003, gamma=0.001, eta=0.001).fits
    with pytest.raises(InvalidInput, match="leave nothing of the total; found"):
        normal_score_budget(values, 0.001, gamma=0.001, eta=0.001)


def test_bad_input_is_named():
    for values, error, message in (
        ([1, 2, np.nan], InvalidInput, "margins must be finite; found nan at index 2"),
        ([1, 2, np.inf], InvalidInput, "found inf at index 2"),
        ([1, 2], InvalidInput, "margins needs at least 3 values; found 2"),
        ([], InvalidInput, "at least 3"),
        ([[1, 2, 3]], InvalidInput, "one-dimensional"),
        ([0.1] * 7, Undefined, "all margins are equal.*found 7 times 0.1.*clopper_pearson"),
        ([0.0] * 7, Undefined, "all margins are equal"),
    ):
        assert re.search(message, refusal(error, normal_score, values)), message


@pytest.mark.parametrize(("ratio", "n"), [(1, 100), (0.3, 100), (1, 10), (1, 3), (0.1, 1000), (-0.1, 100)])
def test_violation_probability_matches_simulation(ratio, n):
    rng, repeats = np.random.default_rng(n), 400_000
    mean = ratio + rng.normal(size=repeats) / np.sqrt(n)
    seen = mean / np.sqrt(rng.chisquare(n - 1, repeats) / (n - 1))
    rate = (normal_score_minimum(seen, n) < special.ndtr(-ratio)).mean()
    exact = float(normal_score_violation(ratio, n))
    assert rate == pytest.approx(exact, abs=4 * np.sqrt(exact / repeats))


@settings(deadline=None, max_examples=25)
@given(st.floats(1e-20, 0.49), st.integers(3, 10**5))
def test_critical_ratio_inverts_the_minimum(risk, n):
    assert float(normal_score_minimum(critical_ratio(risk, n), n)) == pytest.approx(risk, rel=1e-6)


def test_critical_ratio_needs_a_probability():
    for risk in (-0.1, 1.1, np.nan):
        assert "risk must" in refusal(InvalidInput, critical_ratio, risk, 10), risk


def test_one_row_of_each_group_is_drawn_alike():
    groups = np.array(["film", "other", "film", "film", "third"])
    seen = np.array([one_of_each_group(groups, seed=seed) for seed in range(600)])
    assert {tuple(groups[rows].tolist()) for rows in seen} <= {
        ("film", "other", "third"), ("other", "film", "third"),
    }  # fmt: skip
    drawn = np.bincount(seen.ravel(), minlength=5)
    assert drawn[[1, 4]].tolist() == [600, 600]
    assert stats.chisquare(drawn[[0, 2, 3]]).pvalue > 0.001


def test_copies_in_groups_add_nothing():
    margins = np.random.default_rng(0).normal(2, 1, 60)
    alone = normal_score(margins, check=False)
    copied = normal_score(np.repeat(margins, 5), groups=np.repeat(np.arange(60), 5), check=False)
    assert copied.details["bound"] == alone.details["bound"]
    assert copied.details["n"] == copied.details["groups"] == 60
    assert normal_score(np.repeat(margins, 5), check=False).details["bound"] < alone.details["bound"]
    assert {"independent-groups", "row-of-group", "order-before-outcomes"} <= {a.id for a in copied.assumptions}


def test_groups_restore_the_level_that_rows_of_films_lose():
    """Margins with a common part of each film; the true risk is Phi(-ratio)."""
    rng, ratio, missed = np.random.default_rng(1), 1.0, np.zeros(2)
    for seed in range(80):
        common, own = rng.normal(0, np.sqrt(0.8), (25, 1)), rng.normal(0, np.sqrt(0.2), (25, 8))
        margins, films = (ratio + common + own).ravel(), np.repeat(np.arange(25), 8)
        limits = [
            normal_exact(margins, level=0.9, check=False).upper(0.9),
            normal_exact(margins, groups=films, level=0.9, check=False, seed=seed).upper(0.9),
        ]
        missed += np.array(limits) < stats.norm.sf(ratio)
    assert missed[0] / 80 > 0.2
    assert stats.binomtest(int(missed[1]), 80, 0.1, alternative="greater").pvalue > 0.01


def test_groups_must_fit_the_margins():
    with pytest.raises(InvalidInput, match="groups"):
        normal_score([1.0, 2.0, 3.0, 4.0], groups=[1, 2, 3])
    with pytest.raises(InvalidInput, match="at least 3"):
        normal_score([1.0, 2.0, 3.0, 4.0], groups=[1, 1, 2, 2])
