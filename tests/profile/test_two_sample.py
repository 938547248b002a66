import numpy as np
import pytest
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from surefoot.core import InvalidInput
from surefoot.profile import representativeness


def drawn(rng, rows, features, shift=0.0, scale=1.0):
    return scale * rng.normal(size=(rows, features)) + shift


def statuses(repetitions, make, seed=0):
    rng = np.random.default_rng(seed)
    return [representativeness(*make(rng), seed=i).status for i in range(repetitions)]


def test_p_values_are_uniform_and_false_alarms_rare_where_nothing_differs():
    rng = np.random.default_rng(1)
    found = [representativeness(drawn(rng, 25, 3), drawn(rng, 40, 3), seed=i) for i in range(250)]
    p = np.array([check.figures["p_value"] for check in found])
    alarms = sum(check.status == "contradicted" for check in found)
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert np.mean(p < 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 250)
    assert alarms <= 250 * 0.01 + 3 * np.sqrt(250 * 0.01 * 0.99)


@pytest.mark.parametrize("features", [1, 5, 20])
def test_a_shift_is_found(features):
    found = statuses(10, lambda rng: (drawn(rng, 150, features), drawn(rng, 200, features, shift=0.6)))
    assert found.count("contradicted") >= 9


def test_a_change_of_spread_alone_is_found():
    found = statuses(5, lambda rng: (drawn(rng, 200, 2), drawn(rng, 200, 2, scale=2)))
    assert found.count("contradicted") == 5


def test_a_change_of_dependence_alone_is_found():
    mixing = np.array([[1, 0.9], [0, np.sqrt(1 - 0.81)]])
    found = statuses(5, lambda rng: (drawn(rng, 400, 2), drawn(rng, 400, 2) @ mixing))
    assert found.count("contradicted") == 5


def test_a_difference_too_small_to_matter_does_not_contradict():
    rng = np.random.default_rng(2)
    found = representativeness(drawn(rng, 30_000, 1), drawn(rng, 30_000, 1, shift=0.08))
    assert found.status == "supported"
    assert found.effect < 0.55


def test_few_rows_check_nothing():
    rng = np.random.default_rng(3)
    assert representativeness(drawn(rng, 8, 2), drawn(rng, 500, 2)).status == "unchecked"
    assert representativeness(drawn(rng, 8, 2), drawn(rng, 500, 2, shift=4)).status == "contradicted"


def test_units_outliers_and_monotone_scales_do_not_matter():
    rng = np.random.default_rng(4)
    ours, theirs = drawn(rng, 80, 3), drawn(rng, 90, 3, shift=0.3)
    bent = [np.exp(rows * [1, 20, 1e-3]) for rows in (ours, theirs)]
    one, other = representativeness(ours, theirs), representativeness(*bent)
    assert other.figures["p_value"] == one.figures["p_value"]
    assert other.effect == pytest.approx(one.effect)


def test_counts_with_many_ties_raise_no_false_alarm():
    found = statuses(100, lambda rng: (rng.binomial(1, 0.1, (60, 4)), rng.binomial(1, 0.1, (60, 4))))
    assert found.count("contradicted") <= 5


def test_a_constant_feature_and_equal_rows_say_nothing():
    found = representativeness(np.ones((50, 2)), np.ones((60, 2)))
    assert (found.status, found.effect, found.figures["p_value"]) == ("supported", 0.5, 1.0)


def test_share_told_apart_is_that_of_the_shift():
    rng = np.random.default_rng(5)
    found = representativeness(drawn(rng, 1500, 1), drawn(rng, 1500, 1, shift=1.0))
    assert found.effect == pytest.approx(special.ndtr(1 / np.sqrt(2)), abs=0.03)


def normal_scores(rows):
    return special.ndtri((stats.rankdata(rows, axis=0) - 0.5) / len(rows))


def test_share_told_apart_equals_the_area_under_a_curve_of_left_out_rows():
    rng = np.random.default_rng(6)
    ours, theirs = drawn(rng, 30, 2), drawn(rng, 45, 2, shift=0.5)
    rows = normal_scores(np.concatenate([ours, theirs]))
    gaps = np.linalg.norm(rows[:, None] - rows, axis=2)
    reference = np.arange(75) >= 30
    leaning = [
        np.delete(gaps[i], i)[~np.delete(reference, i)].mean() - np.delete(gaps[i], i)[np.delete(reference, i)].mean()
        for i in range(75)
    ]
    assert representativeness(ours, theirs).effect == pytest.approx(roc_auc_score(reference, leaning))


def test_energy_equals_that_of_scipy_in_one_dimension():
    rng = np.random.default_rng(7)
    ours, theirs = rng.normal(size=(20, 1)), rng.normal(size=(30, 1))
    scores = normal_scores(np.concatenate([ours, theirs]))[:, 0]
    energy = stats.energy_distance(scores[:20], scores[20:]) ** 2
    between = np.abs(scores[:20, None] - scores[20:]).mean()
    found = representativeness(ours, theirs).figures["energy_coefficient"]
    assert found == pytest.approx(energy / (2 * between))


def test_the_feature_that_differs_is_named():
    rng = np.random.default_rng(8)
    theirs = drawn(rng, 300, 4)
    theirs[:, 2] += 1
    found = representativeness(drawn(rng, 300, 4), theirs)
    assert found.figures["most_different_feature"] == 2


def test_the_same_seed_gives_the_same_answer_for_many_rows():
    rng = np.random.default_rng(9)
    ours, theirs = drawn(rng, 20_000, 2), drawn(rng, 5000, 2)
    assert representativeness(ours, theirs, seed=3) == representativeness(ours, theirs, seed=3)
    assert representativeness(ours, theirs, seed=3).figures["rows_used_sample"] == 1500


@pytest.mark.parametrize(
    ("sample", "reference", "message"),
    [
        (np.zeros((0, 2)), np.zeros((5, 2)), "at least 2 rows"),
        (np.zeros((5, 3)), np.zeros((5, 2)), "2 features"),
        ([[np.nan], [1.0]], np.zeros((5, 1)), "finite"),
    ],
)
def test_bad_input_is_refused(sample, reference, message):
    with pytest.raises(InvalidInput, match=message):
        representativeness(sample, reference)
