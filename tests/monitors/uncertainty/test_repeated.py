"""Passes by ensembles and by changed inputs."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from tests.refusals import refused
from torch import nn

from surefoot.adapters import as_model
from surefoot.core import DiagnosticsError, InvalidInput
from surefoot.monitors import augmented_passes, ensemble_passes, mutual_information, variation_ratio

ROWS = np.random.default_rng(0).normal(size=(40, 3))
LABELS = (ROWS[:, 0] + 0.5 * np.random.default_rng(1).normal(size=40) > 0).astype(int)
MODELS = [LogisticRegression(C=c).fit(ROWS, LABELS) for c in (0.01, 1.0, 100.0)]


def total(rows):
    return rows.sum(axis=1)


def noisy(rows, rng):
    return rows + rng.normal(size=rows.shape)


def test_an_ensemble_of_estimators_answers_with_probabilities():
    passes = ensemble_passes(MODELS, ROWS, output="probability", batch=7)
    np.testing.assert_allclose(passes, [model.predict_proba(ROWS) for model in MODELS])
    assert mutual_information(passes).max() > 0.01


def test_models_of_different_kinds_stand_in_one_ensemble():
    head = nn.Linear(3, 2)
    passes = ensemble_passes([MODELS[0], head], ROWS, output="probability")
    with torch.no_grad():
        logits = head(torch.from_numpy(ROWS).float())
    np.testing.assert_allclose(passes[1], torch.softmax(logits, dim=1), atol=1e-6)


def test_regressions_answer_as_they_are():
    passes = ensemble_passes([total, lambda rows: 2 * total(rows)], ROWS, batch=7)
    np.testing.assert_allclose(passes, [total(ROWS), 2 * total(ROWS)])
    np.testing.assert_allclose(variation_ratio(passes, "numeric"), np.abs(total(ROWS)))


def test_texts_and_boxes_are_answers_too():
    texts = ensemble_passes([lambda rows: ["a b"] * len(rows), lambda rows: ["a c"] * len(rows)], ROWS, batch=30)
    np.testing.assert_allclose(variation_ratio(texts, "edit"), 1 / 3)
    boxes = [np.array([[0, 0, 2, 2]]), np.empty((0, 4))]
    found = ensemble_passes([lambda rows: boxes * (len(rows) // 2), lambda rows: boxes[:1] * len(rows)], ROWS, batch=20)
    np.testing.assert_allclose(variation_ratio(found, "boxes"), [0, 1] * 20)


def test_random_changes_depend_on_the_seed_and_not_on_the_batch():
    one, same, other = (
        augmented_passes(total, ROWS, noisy, passes=4, seed=seed, batch=batch)
        for seed, batch in [(0, 256), (0, 7), (1, 256)]
    )
    np.testing.assert_array_equal(one, same)
    assert one.shape == (4, 40)
    assert (one != other).all()
    assert len({row.tobytes() for row in one}) == 4


def test_listed_changes_are_made_in_their_order():
    changes = [lambda rows: rows, np.negative, lambda rows: rows * 2]
    passes = augmented_passes(total, ROWS, changes)
    np.testing.assert_allclose(passes, [total(ROWS), -total(ROWS), 2 * total(ROWS)])


def ruin(rows, rng=None):
    rows[:] = 0
    return rows


@pytest.mark.parametrize("augment", [ruin, [ruin]], ids=["random", "listed"])
def test_a_change_in_place_leaves_the_inputs_alone(augment):
    before = ROWS.copy()
    assert augmented_passes(total, ROWS, augment).max() == 0
    np.testing.assert_array_equal(ROWS, before)


def test_ten_passes_are_usual():
    assert len(augmented_passes(total, ROWS, noisy)) == 10


def test_changes_that_do_not_fit_are_refused():
    for augment, options, message in [
        ([], {}, "one function a pass"),
        ([np.negative], {"passes": 2}, "one function a pass"),
        ([lambda rows: rows[1:]], {}, "keep the number"),
        (noisy, {"passes": -1}, "passes"),
        (noisy, {"seed": -1}, "seed"),
    ]:
        with refused((augment, options, message), InvalidInput, match=message):
            augmented_passes(total, ROWS, augment, **options)


def test_an_empty_ensemble_is_refused():
    with pytest.raises(InvalidInput, match="at least one model"):
        ensemble_passes([], ROWS)


def test_answers_that_are_no_probabilities_say_what_to_do():
    with pytest.raises(DiagnosticsError, match="no class probabilities"):
        ensemble_passes([lambda rows: rows * 10], ROWS, output="probability")
    logits = as_model(lambda rows: rows * 10, output="logit")
    np.testing.assert_allclose(ensemble_passes([logits], ROWS, output="probability").sum(axis=2), 1)


def test_answers_of_another_number_are_refused():
    with pytest.raises(DiagnosticsError, match="3 answers for 40 inputs"):
        ensemble_passes([lambda rows: rows[:3]], ROWS)
