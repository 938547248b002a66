import numpy as np
import pytest
from sklearn.metrics import brier_score_loss
from tests.project.steps.samples import answered, checked, scored, screening
from tests.refusals import told

import surefoot as sf
from surefoot.project import find_step

loss_bound = find_step("loss_bound")


def test_failures_are_losses_of_one():
    for method in ["hoeffding", "empirical_bernstein", "betting", "normal_approximation"]:
        with told(method):
            tested = screening()
            found = loss_bound(tested, method=method, level=0.9)["failure probability"]
            expected = getattr(sf.bounds, method)(tested.failed.astype(float), level=0.9)
            assert found.value == tested.failed.mean()
            assert found.upper(0.9) == expected.upper(0.9)


def test_the_brier_loss_of_two_classes_is_the_brier_score():
    tested = screening()
    found = loss_bound(tested, loss="brier", method="hoeffding")["expected Brier loss"]
    assert found.value == pytest.approx(brier_score_loss(tested.labels, tested.scores[:, 1]))
    assert found.upper(0.95) == pytest.approx(found.value + np.sqrt(np.log(20) / 800))


def test_the_brier_loss_of_several_classes_is_half_the_squared_distance():
    rng = np.random.default_rng(0)
    scores, labels = rng.dirichlet(np.ones(4), 300), rng.integers(0, 4, 300)
    tested = scored(labels, scores, ("a", "b", "c", "d"), output="probability")
    expected = ((scores - np.eye(4)[labels]) ** 2).sum(axis=1).mean() / 2
    assert loss_bound(tested, loss="brier")["expected Brier loss"].value == pytest.approx(expected)


def test_the_absolute_error_is_what_the_truth_was_not_given():
    tested = screening()
    found = loss_bound(tested, loss="absolute", of="malignant")["expected absolute error"]
    assert found.value == pytest.approx(tested.scores[tested.labels == 1, 0].mean())


def test_beyond_a_million_rows_a_closed_form_is_the_default():
    few, many = screening(100, inputs=None), screening(1_000_001, inputs=None)
    assert loss_bound(few)["failure probability"].provenance.method == "bounds.betting"
    assert loss_bound(many)["failure probability"].provenance.method == "bounds.empirical_bernstein"


def test_the_seed_shuffles_the_bets():
    tested = screening()
    limits = {loss_bound(tested, seed=seed)["failure probability"].upper(0.95) for seed in (0, 0, 1)}
    assert len(limits) == 2


def test_groups_are_checked_or_used():
    groups = np.repeat(np.arange(100), 4)
    tested = screening(groups=groups)
    found = loss_bound(tested, loss="brier")["expected Brier loss"]
    assert checked(found)["same-mean"] == "contradicted"
    plain = loss_bound(tested, method="hoeffding")["failure probability"]
    assert checked(plain)["independent-losses"] == "contradicted"
    used = loss_bound(tested, loss="brier", groups="use", max_group_size=4)["expected Brier loss"]
    assert used.value == pytest.approx(found.value)
    assert used.upper(0.95) > found.upper(0.95) * 0.9
    assert checked(used)["independent-groups"] == "unchecked"
    with pytest.raises(sf.InvalidInput, match="which rows belong together"):
        loss_bound(screening(), groups="use")


def test_losses_are_shown_by_class():
    tested = screening()
    rows = {row[0]: row[1:] for row in loss_bound(tested).tables["losses"].rows}
    assert rows["benign"] == ((tested.labels == 0).sum(), pytest.approx(tested.failed[tested.labels == 0].mean()))
    assert rows["all rows"] == (400, tested.failed.mean())


def test_forecasts_need_probabilities():
    for loss in ["brier", "absolute"]:
        with told(loss):
            with pytest.raises(sf.InvalidInput, match="needs probabilities; found labels"):
                loss_bound(answered([0, 1], [0, 1]), loss=loss)
            with pytest.raises(sf.InvalidInput, match="found scores that are no probabilities"):
                loss_bound(scored([0, 1], [[2, 1], [0, 1]]), loss=loss)
            with pytest.raises(sf.InvalidInput, match="found scores from 0 to 2"):
                loss_bound(scored([0, 1], [[2, 1], [0, 1]], output="probability"), loss=loss)
            with pytest.raises(sf.InvalidInput, match=r"sum to 0\.7 up to 1"):
                loss_bound(scored([0, 1], [[0.5, 0.2], [0, 1]], output="probability"), loss=loss)


def test_words_that_mean_nothing_are_refused():
    for step in [{"loss": "squared"}, {"method": "bernstein"}]:
        with told(step), pytest.raises(sf.InvalidInput, match="unknown"):
            loss_bound(screening(), **step)


def test_undesired_answers_belong_to_failures():
    with pytest.raises(sf.InvalidInput, match="belongs to loss: failure"):
        loss_bound(screening(), loss="brier", undesired={"malignant": ["benign"]})


def test_one_row_and_rows_without_failures_have_a_bound():
    for method in ["betting", "hoeffding"]:
        with told(method):
            assert loss_bound(answered([1], [1]), method=method)["failure probability"].upper(0.95) <= 1
            assert 0 < loss_bound(answered([1] * 9, [1] * 9), method=method)["failure probability"].upper(0.95) < 1
