"""Variation ratios, against the printed equations in two plain loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.metrics import distance_named, distances
from surefoot.monitors import mode_variation_ratio, variation_ratio, variation_ratio_original

BOXES = [[0, 0, 2, 2]], [[0, 0, 2, 1]], [[0, 0, 2, 2], [5, 5, 6, 6]], []


def equation_5(predictions, dist, weights=None):
    """SYS Eqn. (5) as printed, for one input."""
    T = len(predictions)
    w = np.ones(T) if weights is None else weights
    outer = 0.0
    for i in range(T):
        inner = sum(1 - dist(predictions[i], predictions[j]) for j in range(T) if j != i)
        outer += w[i] * inner / (T - 1)
    return 1 - outer / T


def equation_6(predictions, original, dist):
    """SYS Eqn. (6) as printed, for one input."""
    return 1 - sum(1 - dist(p, original) for p in predictions) / len(predictions)


def stack_of(name, passes=5, inputs=4, seed=0):
    """Passes first, inputs second, of the kind that a distance compares."""
    rng = np.random.default_rng(seed)
    words = np.array(["the", "cat", "sat", "on", "mat"])
    makers = {
        "label": lambda: int(rng.integers(0, 3)),
        "numeric": lambda: float(rng.normal()),
        "cosine": lambda: rng.normal(size=3),
        "boxes": lambda: BOXES[rng.integers(len(BOXES))],
        "labelled boxes": lambda: ([[0, 0, 2, 2]], [str(rng.integers(2))]),
        "tracks": lambda: [[frame, rng.integers(2), 0, 0, rng.integers(1, 3), 2] for frame in range(4)],
        "edit": lambda: " ".join(rng.choice(words, 6)),
        "bleu": lambda: " ".join(rng.choice(words, 6)),
    }
    return [[makers[name]() for _ in range(inputs)] for _ in range(passes)]


@pytest.mark.parametrize("name", sorted(distances.NAMED))
def test_both_ratios_equal_the_printed_equations_at_every_input(name):
    passes = stack_of(name)
    original, dist = passes[0], distance_named(name)
    found = variation_ratio(passes, name)
    to_original = variation_ratio_original(passes[1:], original, name)
    for column, predictions in enumerate(zip(*passes, strict=True)):
        assert found[column] == pytest.approx(equation_5(predictions, dist), abs=1e-12)
        assert to_original[column] == pytest.approx(equation_6(predictions[1:], original[column], dist), abs=1e-12)
    assert found.std() > 0


def test_passes_of_single_predictions_give_one_number():
    for name in sorted(distances.NAMED):
        predictions = [one[0] for one in stack_of(name)]
        found = variation_ratio(predictions, name)
        assert isinstance(found, float), name
        assert found == pytest.approx(equation_5(predictions, distance_named(name)), abs=1e-12), name
        assert isinstance(variation_ratio_original(predictions, predictions[0], name), float), name


def test_passes_that_agree_give_zero():
    for name in sorted(distances.NAMED):
        passes = stack_of(name)[:1] * 3
        np.testing.assert_allclose(variation_ratio(passes, name, weights=[1, 2, 3]), 0, atol=1e-15, err_msg=repr(name))
        np.testing.assert_allclose(variation_ratio_original(passes, passes[0], name), 0, atol=1e-15, err_msg=repr(name))


def test_weights_count_relative_to_their_mean():
    labels = [0, 0, 1, 2]
    weights = np.array([2.0, 1.0, 0.5, 0.5])
    expected = equation_5(labels, distance_named("label"), weights)
    assert variation_ratio(labels, weights=weights) == pytest.approx(expected)
    assert variation_ratio(labels, weights=weights * 1e300) == pytest.approx(expected)
    assert expected != pytest.approx(variation_ratio(labels))


def test_weights_of_an_asymmetric_distance_belong_to_the_first_prediction():
    def dist(a, b):
        return max(a - b, 0) / 10

    numbers, weights = [1, 4, 9], np.array([0.5, 1.0, 1.5])
    assert variation_ratio(numbers, dist, weights=weights) == pytest.approx(equation_5(numbers, dist, weights))


def test_bleu_in_both_orders_makes_the_ratio_that_of_the_symmetric_one():
    passes = stack_of("bleu", passes=3)
    np.testing.assert_allclose(
        variation_ratio(passes, "bleu"), variation_ratio(passes, distances.bleu(symmetric=True)), atol=1e-12
    )


def test_hand_cases_of_labels():
    passes = np.array([["a", "a"], ["a", "b"], ["b", "c"], ["a", "d"]])
    np.testing.assert_allclose(variation_ratio(passes), [0.5, 1.0])
    np.testing.assert_allclose(variation_ratio_original(passes, ["a", "e"]), [0.25, 1.0])
    np.testing.assert_allclose(mode_variation_ratio(passes), [0.25, 0.75])
    assert mode_variation_ratio(["a", "a", "b"]) == pytest.approx(1 / 3)


@given(st.integers(2, 8), st.integers(1, 5), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_the_share_of_the_mode_equals_that_of_scipy(passes, inputs, seed):
    labels = np.random.default_rng(seed).integers(0, 3, (passes, inputs))
    np.testing.assert_allclose(mode_variation_ratio(labels), 1 - stats.mode(labels, axis=0).count / passes)


def test_the_ratio_of_numbers_is_the_mean_absolute_difference_of_gini():
    numbers = np.random.default_rng(2).normal(size=(6, 50))
    gini = np.abs(numbers[:, None] - numbers[None]).sum(axis=(0, 1)) / 30
    np.testing.assert_allclose(variation_ratio(numbers, "numeric"), gini)


def test_boxes_of_one_image_a_pass_may_be_none():
    assert variation_ratio([[], []], "boxes") == 0
    assert variation_ratio([[[0, 0, 1, 1]], []], "boxes") == 1
    np.testing.assert_allclose(variation_ratio([[[], []], [[[0, 0, 1, 1]], []]], "boxes"), [1, 0])


def test_what_cannot_be_compared_is_refused():
    for predictions, distance, message in [
        ([[1, 2]], "label", "at least 2 passes"),
        ([], "label", "at least 2 passes"),
        ([[1, 2], [1]], "label", "one length"),
        ([[], []], "label", "above 0"),
        ([[1, 2], 3], "label", "list of predictions"),
        (["text", ["text"]], "edit", "list of predictions"),
        (np.full((2, 3, 4), 0.25), "label", "argmax"),
        ([[1.0, np.nan], [1.0, 2.0]], "numeric", "finite"),
        (np.ones((2, 3, 4)), "numeric", "'cosine'"),
        ([[[1, 2], [1]], [[1, 2], [1]]], "cosine", "one shape"),
        ([1, 2], "lable", "Did you mean 'label'"),
        ([1, 2], lambda a, b: np.nan, "finite"),
        ([1, 2], lambda a, b: "far", "numbers"),
        (np.ma.masked_equal([[1, 2], [1, 9]], 9), "label", "masked"),
        ([np.ma.masked_equal([1, 9], 9), [1, 2]], "numeric", "masked"),
        (b"xy", "label", "list of passes"),
        ("xy", "label", "list of passes"),
        ({1: 2, 3: 4}, "label", "list of passes"),
        (None, "label", "list of passes"),
    ]:
        with refused((predictions, distance, message), InvalidInput, match=message):
            variation_ratio(predictions, distance)


def test_bytes_and_masks_have_no_mode():
    for labels in (b"x", "x", None, np.ma.masked_equal([[1, 2], [1, 9]], 9)):
        with refused(labels, InvalidInput):
            mode_variation_ratio(labels)
    with pytest.raises(InvalidInput, match="masked"):
        variation_ratio_original([[1, 2]], np.ma.masked_equal([1, 9], 9))


def test_weights_are_one_a_pass_and_not_negative():
    for weights in [[1], [1, -1], [0, 0], [1, np.nan]]:
        with refused(weights, InvalidInput, match="weights"):
            variation_ratio([1, 2], weights=weights)


def test_the_original_has_one_prediction_an_input():
    with pytest.raises(InvalidInput, match="2 for 3 inputs"):
        variation_ratio_original([[1, 2, 3]], [1, 2])
    with pytest.raises(InvalidInput, match="list of predictions"):
        variation_ratio_original([[1, 2, 3]], 1)
