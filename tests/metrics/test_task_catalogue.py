"""Laws that every metric of a task obeys, and their names."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefoot.core import InvalidInput
from surefoot.metrics import Metric, as_metric, metric_named, of, tasks


def walk(seed, jitter=0.0, frames=6):
    """Three tracks that cross, seen with some error."""
    rng = np.random.default_rng(seed)
    frame, track = np.divmod(np.arange(3 * frames), 3)
    places = np.column_stack([10 * track + 3 * frame * (1 - track), 5.0 * track]) + rng.normal(
        0, jitter, (len(frame), 2)
    )
    rows = np.column_stack([frame + 1, track, places, np.full((len(frame), 2), 12.0)])
    return rows[rng.random(len(rows)) > jitter / 10]


TEXTS = ["the cat sat on the mat", "one two three", "", "a cat sat down on the mat"]
TRUE_TEXTS = ["the cat is on the mat", "one two three four", "hello", "a cat sat down on the mat"]
BOXES = [walk(seed, jitter=3.0) for seed in range(3)] + [()]
TRUE_BOXES = [walk(seed) for seed in range(4)]
ITEMS = {
    "accuracy": (["a", "b", "c", "a"], ["a", "b", "a", "c"]),
    "bleu": (TEXTS, TRUE_TEXTS),
    "cer": (TEXTS, TRUE_TEXTS),
    "hota": (BOXES, TRUE_BOXES),
    "idf1": (BOXES, TRUE_BOXES),
    "mae": ([0.5, -1.0, 3.0, 2.0], [0.0, 1.0, 3.0, 2.5]),
    "mota": (BOXES, TRUE_BOXES),
    "rmse": ([0.5, -1.0, 3.0, 2.0], [0.0, 1.0, 3.0, 2.5]),
    "success_rate": ([True, False, True, True], [None] * 4),
    "wer": (TEXTS, TRUE_TEXTS),
}
every_metric = pytest.mark.parametrize("name", sorted(tasks.metric.own))


def chosen(name, indices):
    return tuple([side[i] for i in indices] for side in ITEMS[name])


@every_metric
@given(indices=st.lists(st.integers(0, 3), min_size=1, max_size=8))
@settings(max_examples=8, deadline=None)
def test_the_metric_of_any_set_is_that_of_the_sum_of_its_statistics(name, indices):
    metric = metric_named(name)
    statistics = metric.statistics(*ITEMS[name])
    assert of(*chosen(name, indices), name) == pytest.approx(float(metric.value(statistics[indices].sum(axis=0))))
    assert of(*chosen(name, indices[::-1]), name) == pytest.approx(of(*chosen(name, indices), name))


@every_metric
def test_a_bootstrap_is_one_matrix_product(name):
    metric, rng = metric_named(name), np.random.default_rng(5)
    draws = rng.integers(0, 4, size=(7, 4))
    counts = np.stack([np.bincount(draw, minlength=4) for draw in draws]).astype(float)
    values = metric.value(counts @ metric.statistics(*ITEMS[name]))
    np.testing.assert_allclose(values, [of(*chosen(name, draw), name) for draw in draws], rtol=1e-12)
    statistics = metric.statistics(*ITEMS[name])
    assert metric.value(np.stack([statistics, statistics])).shape == (2, 4)


def test_statistics_have_a_row_an_item_and_a_name_a_column():
    for name in sorted(tasks.metric.own):
        metric = metric_named(name)
        statistics = metric.statistics(*ITEMS[name])
        assert statistics.dtype == np.float64, name
        assert statistics.shape == (4, len(metric.columns)), name
        assert len(set(metric.columns)) == len(metric.columns), name
        assert (statistics >= 0).all(), name
        assert metric.error(statistics).shape == (4,), name


@every_metric
def test_the_truth_is_the_best_answer_and_no_answer_earns_nothing(name):
    metric, truths = metric_named(name), ITEMS[name][1]
    perfect = [True] * 4 if name == "success_rate" else truths
    assert of(perfect, truths, name) == pytest.approx(0 if metric.better == "lower" else 1)
    np.testing.assert_allclose(metric.error(metric.statistics(perfect, truths)), 0, atol=1e-12)
    if metric.empty is not None:
        assert of([metric.empty] * 4, truths, name) == (1 if metric.better == "lower" else 0)
        assert metric.error(metric.statistics([metric.empty] * 4, truths)).tolist() == [1] * 4


@every_metric
def test_an_error_alone_is_what_the_metric_says_of_that_item(name):
    metric = metric_named(name)
    errors = metric.error(metric.statistics(*ITEMS[name]))
    if name != "bleu":
        for index, error in enumerate(errors):
            value = of(*chosen(name, [index]), name)
            assert error == pytest.approx(value if metric.better == "lower" else 1 - value)
    assert not np.isnan(errors).any()


def test_nothing_has_no_value():
    for name in sorted(tasks.metric.own):
        metric = metric_named(name)
        assert np.isnan(metric.value(np.zeros(len(metric.columns)))), name


def test_metrics_can_be_sent_to_another_process():
    for name in sorted(tasks.metric.own):
        metric = metric_named(name)
        copy = pickle.loads(pickle.dumps(metric))
        np.testing.assert_array_equal(copy.statistics(*ITEMS[name]), metric.statistics(*ITEMS[name]), err_msg=str(name))
        assert (copy.name, copy.better, copy.empty) == (name, metric.better, metric.empty), name


def test_nothing_is_printed(capfd):
    for name in sorted(tasks.metric.own):
        of(*ITEMS[name], name)
        assert capfd.readouterr() == ("", ""), name


def test_unknown_names_get_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'success_rate'"):
        metric_named("sucess_rate")
    with pytest.raises(InvalidInput, match="Choose one of accuracy, bleu"):
        as_metric("precision")
    with pytest.raises(InvalidInput, match="metric"):
        as_metric(3)


def squared(output, truth):
    return (output - truth) ** 2


def test_a_function_of_output_and_truth_is_a_metric_by_its_mean():
    own = as_metric(squared)
    assert (own.name, own.better, own.empty) == ("squared", "lower", None)
    assert of([1, 3], [1, 1], own) == of([1, 3], [1, 1], squared) == 2
    assert own.error(own.statistics([1, 3], [1, 1])).tolist() == [0, 4]
    assert as_metric(own) is own
    assert as_metric("wer").name == "wer"


def test_a_score_of_which_more_is_better_says_so():
    score = tasks.mean_of(lambda output, truth: 1 - abs(output - truth), name="closeness", better="higher")
    assert of([0.5, 1.0], [1, 1], score) == 0.75
    assert score.error(score.statistics([0.5, 1.0], [1, 1])).tolist() == [0.5, 0]


def test_a_function_must_give_numbers():
    with pytest.raises(InvalidInput, match="finite"):
        of([1], [1], lambda output, truth: np.nan)
    with pytest.raises(InvalidInput, match="numbers"):
        of([1], [1], lambda output, truth: "bad")


def test_better_is_lower_or_higher():
    with pytest.raises(InvalidInput, match="unknown better"):
        Metric("own", "more", None, None, None, (), "own")
