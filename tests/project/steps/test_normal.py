import numpy as np
import pytest
from scipy import stats
from tests.project.steps.samples import answered, checked, scored, screening

import surefoot as sf
from surefoot.project import find_step

normal_bound = find_step("normal_bound")
normal_score = find_step("normal_score")

STEPS = pytest.mark.parametrize("step", [normal_score, normal_bound], ids=lambda step: step.name)


def log_odds(tested, rows=slice(None)):
    right = np.where(tested.labels == 1, 1, -1)[rows]
    return right * (np.log(tested.scores[rows, 1]) - np.log(tested.scores[rows, 0]))


def test_the_exact_bound_matches_the_noncentral_t_distribution():
    tested = screening()
    found = normal_bound(tested, level=0.9)["failure probability"]
    margins = log_odds(tested)
    n, ratio = margins.size, margins.mean() / margins.std(ddof=1)
    assert found.value == pytest.approx(stats.norm.sf(ratio))
    limit = -stats.norm.ppf(found.upper(0.9))
    assert stats.nct(n - 1, np.sqrt(n) * limit).sf(np.sqrt(n) * ratio) == pytest.approx(0.1)


def test_the_single_valued_bound_is_the_minimum_for_one_class():
    tested = screening()
    found = normal_score(tested, of="malignant")["failure probability"]
    margins = log_odds(tested, tested.labels == 1)
    assert found.details["bound"] == pytest.approx(sf.bounds.normal_score(margins).details["bound"])
    assert found.bounds[0].kind == "expectation"
    assert found.scope == "screening on malignant"


def test_the_scale_can_be_chosen():
    tested = screening()
    plain = normal_bound(tested, scale="plain")["failure probability"]
    assert plain.details["mean"] == pytest.approx(sf.bounds.margins(tested.scores, tested.labels).mean())
    with pytest.raises(sf.InvalidInput, match="unknown scale"):
        normal_bound(tested, scale="logarithm")


def test_scores_are_taken_as_they_are():
    tested = screening()
    odds = np.log(tested.scores)
    found = normal_bound(scored(tested.labels, odds))["failure probability"]
    assert found.upper(0.95) == pytest.approx(normal_bound(tested)["failure probability"].upper(0.95))


def test_undesired_answers_make_the_margin():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 200), rng.normal(size=(200, 3))
    scores[np.arange(200), labels] += 3
    found = normal_bound(scored(labels, scores, ("a", "b", "c")), undesired={"a": ["b"]})["failure probability"]
    expected = sf.bounds.margins(scores, labels, {0: {1}, 1: {0, 2}, 2: {0, 1}})
    assert found.details["mean"] == pytest.approx(expected.mean())


@STEPS
def test_assumptions_are_checked_and_shown(step):
    good = step(screening(seed=2))["failure probability"]
    assert checked(good) == {
        "normal-margins": "supported",
        "independent-samples": "supported",
        "identical-distribution": "supported",
        "operational-profile": "unchecked",
    }
    skewed = scored(np.zeros(400, dtype=int), np.random.default_rng(0).exponential(size=(400, 2)) + np.array([2, 0]))
    assert checked(step(skewed)["failure probability"])["normal-margins"] == "contradicted"
    grouped = step(screening(groups=np.repeat(np.arange(200), 2)))["failure probability"]
    assert checked(grouped)["independent-samples"] == "contradicted"


def test_without_inputs_independence_stays_unchecked_however_coarse_the_scores_are():
    tested = screening(inputs=None)
    coarse = scored(tested.labels, np.round(np.log(tested.scores), 1))
    assert checked(normal_bound(coarse)["failure probability"])["independent-samples"] == "unchecked"


def test_rows_sorted_by_class_show_no_drift():
    labels = np.repeat([0, 1], 200)
    rng = np.random.default_rng(0)
    margin = rng.normal(np.where(labels == 1, 4, 2), 1)
    scores = np.where(np.arange(2) == labels[:, None], margin[:, None], 0)
    assert checked(normal_bound(scored(labels, scores))["failure probability"])["identical-distribution"] == "supported"
    slipping = np.where(np.arange(2) == labels[:, None], np.sort(margin)[:, None], 0)
    one = normal_bound(scored(labels, slipping), of="malignant")["failure probability"]
    assert checked(one)["identical-distribution"] == "contradicted"


@STEPS
def test_tables_put_counts_beside_the_normal_share(step):
    tested = screening()
    rows = {row[0]: row for row in step(tested).tables["margins"].rows}
    assert rows["all rows"][4] == tested.failed.sum()
    margins = log_odds(tested, tested.labels == 0)
    assert rows["benign"][-1] == pytest.approx(stats.norm.cdf(-margins.mean() / margins.std(ddof=1)))
    assert {row[0] for row in step(tested).tables["normality"].rows} == {
        "anderson-darling", "jarque-bera", "shapiro-wilk",
    }  # fmt: skip


@STEPS
def test_labels_have_no_margins(step):
    with pytest.raises(sf.InvalidInput, match=r"labels only.*binomial_bound"):
        step(answered([0, 1, 1], [0, 1, 0]))


@STEPS
def test_a_probability_of_zero_has_no_logarithm(step):
    tested = scored([0, 1, 1], [[1, 0], [0.2, 0.8], [0.3, 0.7]], output="probability")
    with pytest.raises(sf.InvalidInput, match=r"no logarithm; found 0 in 1 rows.*scale: plain"):
        step(tested)


@STEPS
def test_margins_that_say_nothing_are_refused(step):
    with pytest.raises(sf.Undefined, match="all margins are equal"):
        step(scored([0, 0, 1, 1], [[3, 0], [3, 0], [0, 3], [0, 3]]))
    with pytest.raises(sf.InvalidInput, match="at least 3"):
        step(scored([1], [[0.2, 0.8]]))
    with pytest.raises(sf.InvalidInput, match="Did you mean 'malignant'"):
        step(screening(), of="malignant ")


@STEPS
def test_a_class_of_one_row_leaves_a_gap_in_the_table(step):
    tested = scored([0, 0, 0, 1], [[3, 0], [2, 0], [2.5, 0], [0, 3]])
    row = step(tested).tables["margins"].rows[-1]
    assert row[:4] == ("malignant", 1, 3.0, None)
    assert row[-1] is None


@STEPS
def test_one_row_of_each_group_is_looked_at(step):
    films = np.repeat(np.arange(200), 2)
    tested = screening(groups=films)
    found = step(tested, groups="use", seed=4)
    estimate = found["failure probability"]
    looked = sf.bounds.one_of_each_group(films, seed=4)
    plain = {"normal_score": sf.bounds.normal_score, "normal_bound": sf.bounds.normal_exact}[step.name]
    level = {"level": 0.95} if step is normal_bound else {}
    alone = plain(log_odds(tested, looked), check=False, **level)
    assert estimate.bounds == alone.bounds
    assert (estimate.details["groups"], estimate.details["rows"], estimate.details["n"]) == (200, 400, 200)
    assert checked(estimate)["independent-groups"] == "supported"
    assert "independent-samples" not in checked(estimate)
    assert {row[0]: row[1] for row in found.tables["margins"].rows}["all rows"] == 200


@STEPS
def test_groups_must_be_known_to_be_used(step):
    with pytest.raises(sf.InvalidInput, match="which rows belong together"):
        step(screening(), groups="use")
