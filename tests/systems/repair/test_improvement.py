"""What mending a module gives: paired intervals, filters, and corrupted copies to train on."""

from __future__ import annotations

import numpy as np
import pytest

from surefoot import SurefootError
from surefoot.metrics import tasks
from surefoot.systems import (
    CLEAN,
    Condition,
    Items,
    Measurements,
    MemoryColumns,
    Module,
    System,
    conditions,
    corrupted_copies,
    filtered,
    improvement,
)

FOG = Condition("fog", 3)


def measured(metric, by_condition, units=None):
    """From errors, or from whether items are right."""
    rows = {c: np.column_stack([np.asarray(v, float), np.ones(len(v))]) for c, v in by_condition.items()}
    return Measurements("s", metric, tuple(rows), {}, MemoryColumns(rows, {}), units)


def test_gains_are_differences_of_the_metric_for_either_direction():
    before, after = {CLEAN: [1, 2, 3], FOG: [4, 4, 7]}, {CLEAN: [1, 2, 0], FOG: [1, 1, 1]}
    found = improvement(measured(tasks.mae(), before), measured(tasks.mae(), after))
    assert [gain.gain.value for gain in found.gains] == [1.0, 4.0]
    assert [(gain.before.value, gain.after.value) for gain in found.gains] == [(2.0, 1.0), (5.0, 1.0)]
    right = improvement(
        measured(tasks.accuracy(), {CLEAN: [0, 1, 0, 0]}), measured(tasks.accuracy(), {CLEAN: [1, 1, 1, 0]})
    )
    assert right.gains[0].gain.value == 0.5
    assert found.table.columns[:3] == ("corruption", "severity", "mae before")
    assert found.table.rows[1][:2] == ("fog", 3)


def test_the_order_of_corruptions_does_not_matter():
    snow = Condition("snow", 3)
    before = measured(tasks.mae(), {CLEAN: [1, 2], FOG: [4, 4], snow: [5, 5]})
    after = measured(tasks.mae(), {CLEAN: [1, 2], snow: [5, 5], FOG: [1, 1]})
    assert [gain.gain.value for gain in improvement(before, after).gains] == [0.0, 3.0, 0.0]


def test_items_without_an_answer_before_or_after_are_left_out_of_both():
    before, after = measured(tasks.mae(), {CLEAN: [1, np.nan, 3]}), measured(tasks.mae(), {CLEAN: [0, 5, np.nan]})
    (gain,) = improvement(before, after).gains
    assert (gain.items, gain.before.value, gain.after.value) == (1, 1.0, 0.0)


@pytest.mark.parametrize("grouped", [False, True], ids=["items", "groups"])
def test_paired_intervals_hold_the_true_gain(grouped):
    # Errors before and after share most of what is random, as those of two systems on the same items do.
    held, rounds, widths = 0, 120, []
    for seed in range(rounds):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(40), 3)
        hard = rng.exponential(1.0, 40)[groups] if grouped else rng.exponential(1.0, 120)
        before, after = hard + rng.exponential(0.5, 120), hard + rng.exponential(0.3, 120)
        units = groups if grouped else None
        pair = [measured(tasks.mae(), {CLEAN: each}, units) for each in (before, after)]
        gain = improvement(*pair, draws=400, seed=seed).gains[0].gain
        held += gain.low <= 0.2 <= gain.high
        widths.append(gain.high - gain.low)
    assert held >= 0.9 * rounds
    assert np.mean(widths) < 0.35


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (measured(tasks.rmse(), {CLEAN: [1.0, 2.0]}), "one metric"),
        (measured(tasks.mae(), {CLEAN: [1.0, 2.0], FOG: [1.0, 2.0]}), "same conditions"),
        (measured(tasks.mae(), {CLEAN: [1.0]}), "same items; found 2 and 1"),
    ],
)
def test_what_cannot_be_compared_is_told(after, said):
    with pytest.raises(SurefootError, match=said):
        improvement(measured(tasks.mae(), {CLEAN: [1.0, 2.0]}), after)


def test_a_filter_stands_before_the_input_of_a_module_and_its_passes():
    module = Module(
        "m",
        lambda v, w: [a + b for a, b in zip(v, w, strict=True)],
        {"v": "x", "w": "y"},
        gives="number",
        noisy=lambda seed, v, w: [a + b + seed for a, b in zip(v, w, strict=True)],
        distance="numeric",
    )
    clear = filtered(module, {"v": lambda batch: [min(value, 1.0) for value in batch]})
    assert clear.run(v=[0.5, 9.0], w=[1.0, 1.0]) == [1.5, 2.0]
    assert clear.noisy(100, v=[9.0], w=[1.0]) == [102.0]
    assert (clear.name, clear.inputs, clear.distance) == (module.name, module.inputs, module.distance)
    assert clear.version != module.version
    assert clear.version == filtered(module, {"v": lambda batch: [min(value, 1.0) for value in batch]}).version
    assert clear.version != filtered(module, {"v": lambda batch: [min(value, 2.0) for value in batch]}).version
    assert clear.version != filtered(module, {"w": lambda batch: [min(value, 1.0) for value in batch]}).version
    with pytest.raises(SurefootError, match="input port"):
        filtered(module, {"z": list})


def test_a_filter_mends_a_system():
    seen = Module("m", lambda v: np.asarray(v).mean(axis=(1, 2, 3)), {"v": "x"}, gives="number")
    bright = np.full((4, 6, 6, 1), 0.9, np.float32)
    darker = System([filtered(seen, {"v": lambda batch: np.minimum(batch, 0.5)})], inputs={"x": "image"})
    assert darker.run({"x": bright}).outputs["m"] == [0.5] * 4


def test_corrupted_copies_are_one_a_condition_with_the_truth_of_the_clean_ones():
    images = np.random.default_rng(0).random((3, 8, 8, 1)).astype(np.float32)
    items = Items({"x": images}, truth=[1, 2, 3], names=["p", "q", "r"], groups=np.array([0, 0, 1]))
    chosen = conditions(["gaussian_noise"], [1, 5])
    copies = corrupted_copies(items, chosen, {"x": "image"}, seed=9)
    assert len(copies) == 9
    assert list(copies.truth) == [1, 2, 3] * 3
    assert copies.units.tolist() == [0, 0, 1] * 3
    assert copies.name_of(4) == "q gaussian_noise 1"
    for place, condition in enumerate(chosen):
        expected = condition.applied(items.read(), {"x": "image"}, seed=9, first=0)["x"]
        np.testing.assert_array_equal(copies.inputs["x"][3 * place : 3 * place + 3], expected)


def test_copies_of_texts_and_of_items_without_truth():
    copies = corrupted_copies(Items({"x": ["one two", "three"]}), conditions("swap_characters", [5]), {"x": "text"})
    assert len(copies.inputs["x"]) == 4
    assert copies.truth is copies.groups is None
    with pytest.raises(SurefootError, match="at least one condition"):
        corrupted_copies(Items({"x": ["a"]}), [], {"x": "text"})
