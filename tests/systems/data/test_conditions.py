"""Conditions: what they corrupt, with which random numbers, and what tells two of them apart."""

from __future__ import annotations

import numpy as np
import pytest
from tests.refusals import told

from surefoot import SurefootError
from surefoot.corruptions import corrupt
from surefoot.systems import CLEAN, Condition, conditions

GREY = np.full((6, 8, 8, 1), 0.5, np.float32)
KINDS = {"left": "image", "right": "image", "words": "text", "sound": "audio"}
INPUTS = {
    "left": GREY,
    "right": GREY,
    "words": ["to be or not to be"] * 6,
    "sound": [np.sin(np.arange(2000) / 9)] * 6,
}


def applied(condition, *, seed=3, first=0, inputs=INPUTS):
    return condition.applied(inputs, KINDS, seed=seed, first=first)


def changed(condition):
    worse = applied(condition)
    return {
        name for name in INPUTS if not all(np.array_equal(a, b) for a, b in zip(worse[name], INPUTS[name], strict=True))
    }


def test_a_condition_touches_the_inputs_of_its_domain_and_no_others():
    for condition, touched in [
        (CLEAN, set()),
        (Condition("gaussian_noise", 3), {"left", "right"}),
        (Condition("gaussian_noise", 3, "right"), {"right"}),
        (Condition("swap_characters", 5), {"words"}),
        (Condition("background_noise", 5), {"sound"}),
    ]:
        with told(condition):
            assert changed(condition) == touched
            assert set(condition.touched(KINDS)) == touched


def test_two_inputs_are_corrupted_with_random_numbers_of_their_own():
    worse = applied(Condition("gaussian_noise", 5))
    noise = [worse[name].astype(float).ravel() - 0.5 for name in ("left", "right")]
    assert abs(np.corrcoef(*noise)[0, 1]) < 0.15
    np.testing.assert_array_equal(worse["left"], corrupt(GREY, "gaussian_noise", 5, seed=3))


def test_items_are_corrupted_alike_in_whatever_parts_they_come():
    condition = Condition("gaussian_noise", 3)
    whole = applied(condition)
    later = applied(condition, first=4, inputs={name: column[4:] for name, column in INPUTS.items()})
    for name in INPUTS:
        assert all(np.array_equal(a, b) for a, b in zip(whole[name][4:], later[name], strict=True))


def test_the_seed_decides_the_random_numbers():
    condition = Condition("gaussian_noise", 3)
    one, same, other = (applied(condition, seed=seed)["right"] for seed in (3, 3, 4))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_images_of_different_sizes_are_corrupted_each_as_by_itself():
    images = [np.full((size, size + 1, 3), 0.4) for size in (5, 9, 7)]
    worse = Condition("gaussian_noise", 3).applied({"left": images}, {"left": "image"}, seed=1, first=10)["left"]
    for i, (image, bad) in enumerate(zip(images, worse, strict=True)):
        np.testing.assert_array_equal(bad, corrupt(image, "gaussian_noise", 3, seed=1, first=10 + i))


def shifted(values, severity, *, seed, first, by=1.0):
    return [value + by * severity + 100 * (first + i) + seed for i, value in enumerate(values)]


def test_a_corruption_of_ones_own_gets_severity_seed_number_and_options():
    own = Condition("shifted", 2, "x", {"by": 10}, shifted)
    found = own.applied({"x": [0.0, 0.0], "y": [0.0]}, {"x": "number", "y": "number"}, seed=1000, first=3)
    assert found == {"x": [1320.0, 1420.0], "y": [0.0]}
    assert own.label == "shifted 2"


def test_conditions_are_keys_and_equal_where_they_mean_the_same():
    pairs = {
        CLEAN: Condition(),
        Condition("fog", 3): Condition("fog", "medium"),
        Condition("reverb", 1, options={"rate": 8000}): Condition("reverb", 1, (), {"rate": 8000}),
        Condition("misspellings", 1, options={"words": {"the": ["teh"]}}): Condition(
            "misspellings", 1, options={"words": {"the": ("teh",)}}
        ),
    }
    assert all(one == other and hash(one) == hash(other) and one.key == other.key for one, other in pairs.items())
    assert len(pairs) == 4


def test_the_key_follows_everything_that_decides_the_corruption():
    def other(values, severity, *, seed, first, by=1.0):
        return [value - by * severity for value in values]

    different = [
        CLEAN,
        Condition("fog", 1),
        Condition("fog", 3),
        Condition("snow", 3),
        Condition("fog", 3, "left"),
        Condition("reverb", 1),
        Condition("reverb", 1, options={"rate": 8000}),
        Condition("own", 1, "x", function=shifted),
        Condition("own", 1, "x", function=other),
        Condition("own", 1, "x", {"by": 2}, shifted),
    ]
    assert len({condition.key for condition in different}) == len(different)


def test_options_go_to_those_corruptions_that_take_them():
    clean, noise, fog, swapped = conditions(["background_noise", "fog", "swap_characters"], ["high"], rate=8000)
    assert clean is CLEAN
    assert dict(noise.options) == {"rate": 8000}
    assert dict(fog.options) == dict(swapped.options) == {}


def test_conditions_come_by_corruption_and_rising_severity():
    found = conditions(["snow", "fog"], (5, 1), inputs="left")
    assert [each.label for each in found] == ["clean", "snow 1", "snow 5", "fog 1", "fog 5"]
    assert found[1].inputs == ("left",)


def test_wrong_conditions_are_told():
    for build, said in [
        (lambda: conditions(["fog"], rate=8000), "no corruption takes this option; found rate"),
        (lambda: conditions(["fog", "fog"]), "must differ"),
        (lambda: conditions(["fog"], [1, "low"]), "must differ"),
        (lambda: conditions(["fogg"]), "Did you mean 'fog'"),
        (lambda: Condition("fog", 6), "1 to 5"),
        (lambda: Condition("fog", 0), "1 to 5"),
        (lambda: Condition("fog", 1, options={"rate": 1}), "unknown option; found rate"),
        (lambda: Condition(severity=3), "clean has no severity"),
        (lambda: Condition(inputs="x"), "clean has no severity"),
        (lambda: Condition("mine", 1, function=shifted), "needs inputs="),
        (lambda: Condition("fog", 1, "lefft").touched(KINDS), "Did you mean 'left'"),
        (lambda: Condition("fog", 1).touched({"words": "text"}), "no image input; found words"),
    ]:
        with told(build), pytest.raises(SurefootError, match=said):
            build()
