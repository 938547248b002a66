"""Variations: pictures as scipy and the formulas have them, distributions as stated, and what is refused."""

import pickle

import numpy as np
import pytest
from scipy import ndimage, stats
from tests.refusals import refused

from surefoot.core import InvalidInput
from surefoot.corruptions import Parameter, Variation, corrupt, shift_brightness, variations

RNG = np.random.default_rng(3)
GREY = RNG.random((4, 13, 10))
COLOURED = RNG.random((3, 9, 12, 3))


def varied(name, parameters, values, pictures=GREY, **options):
    """Pictures varied by the stated values, each uniform in a range around it."""
    ranges = {key: [value - 1, value + 1] for key, value in zip(parameters, values, strict=True)}
    places = np.full((len(pictures), len(parameters)), 0.5)
    return Variation.of({name: ranges}, **options).varied(pictures, places)


@pytest.mark.parametrize("angle", [-33.0, 7.5, 90.0])
def test_rotations_are_those_of_scipy(angle):
    for pictures in (GREY, COLOURED):
        found = varied("rotation", ["angle"], [angle], pictures)
        for picture, turned in zip(pictures, found, strict=True):
            expected = ndimage.rotate(picture, angle, axes=(1, 0), reshape=False, order=1, mode="nearest")
            np.testing.assert_allclose(turned, expected, atol=1e-9)


def test_a_positive_angle_turns_counterclockwise():
    picture = np.zeros((1, 5, 5))
    picture[0, 2, 4] = 1
    turned = varied("rotation", ["angle"], [90.0], picture)
    assert np.argwhere(turned[0].round(9)).tolist() == [[0, 2]]


def test_translations_are_those_of_scipy_and_whole_pixels_are_exact():
    found = varied("translation", ["down", "right"], [1.3, -2.6])
    expected = [ndimage.shift(picture, [1.3, -2.6], order=1, mode="nearest") for picture in GREY]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    whole = Variation.of({"translation": {"down": 2, "right": {"values": [0, 3]}}}).varied(GREY, np.full((4, 1), 0.9))
    np.testing.assert_array_equal(whole[:, 2:, 3:], GREY[:, :-2, :-3])


def test_scales_are_those_of_scipy():
    middle = (np.array(GREY.shape[1:]) - 1) / 2
    found = Variation.of({"scale": {"factor": [1.2, 1.6]}}).varied(GREY, np.full((4, 1), 0.5))
    for picture, larger in zip(GREY, found, strict=True):
        expected = ndimage.affine_transform(
            picture, np.full(2, 1 / 1.4), offset=middle - middle / 1.4, order=1, mode="nearest"
        )
        np.testing.assert_allclose(larger, expected, atol=1e-12)


def test_blurs_are_normal_weights_that_add_to_one():
    found = Variation.of({"blur": {"deviation": [0, 3]}}).varied(COLOURED, np.array([[0.0], [0.3], [0.9]]))
    np.testing.assert_array_equal(found[0], COLOURED[0])
    for picture, blurred, deviation in zip(COLOURED[1:], found[1:], (0.9, 2.7), strict=True):
        wide, ones = (
            ndimage.gaussian_filter(
                each, deviation, axes=(0, 1), mode="constant", radius=max(picture.shape), truncate=99
            )
            for each in (picture, np.ones_like(picture))
        )
        np.testing.assert_allclose(blurred, wide / ones, atol=1e-9)


def test_turbidity_loses_light_of_the_scene_and_adds_that_of_the_water():
    found = Variation.of({"turbidity": {"thickness": [0, 2], "veil": 0.7}}).varied(GREY, np.full((4, 1), 0.25))
    np.testing.assert_allclose(found, GREY * np.exp(-0.5) + 0.7 * (1 - np.exp(-0.5)), atol=1e-12)


def test_brightness_and_contrast_are_those_of_the_corruptions():
    found = Variation.of({"brightness": [-0.5, 0.5]}).varied(COLOURED, np.array([[0.1], [0.5], [0.8]]))
    for picture, brighter, amount in zip(COLOURED, found, (-0.4, 0.0, 0.3), strict=True):
        np.testing.assert_allclose(brighter, shift_brightness(picture, amount), atol=1e-12)
    found = Variation.of({"contrast": {"factor": [0.2, 0.6]}}).varied(COLOURED, np.full((3, 1), 0.5))
    np.testing.assert_allclose(found, corrupt(COLOURED, "contrast", 1), atol=1e-12)


@pytest.mark.parametrize(
    "name", ["contrast", "defocus_blur", "fog", "gaussian_noise", "pixel_trap", "jpeg_compression"]
)
def test_a_corruption_varies_by_its_severities(name):
    family = Variation.of({name: {"severity": [1, 4]}})
    chance = family.draws
    assert chance == (name not in ("contrast", "defocus_blur", "jpeg_compression"))
    assert family.dimensions == 1 + chance
    places = np.array([[0.2], [0.8], [0.4]])
    if not chance:
        expected = np.stack([corrupt(p, name, s) for p, s in zip(COLOURED, (1, 4, 1), strict=True)])
        np.testing.assert_allclose(family.varied(COLOURED, places), expected, atol=1e-12)
        return
    same = np.repeat(COLOURED[:1], 3, axis=0)
    found = family.varied(same, np.column_stack([places, [0.1, 0.1, 0.7]]))
    assert not np.array_equal(found[0], found[2])
    np.testing.assert_array_equal(found, family.varied(same, np.column_stack([places, [0.1, 0.1, 0.7]])))


def test_values_have_the_stated_distributions():
    places = np.random.default_rng(0).random(20_000)
    normal = Parameter.of("angle", {"normal": [2, 3], "between": [-4, 5]}).at(places)
    assert stats.kstest(normal, stats.truncnorm((-4 - 2) / 3, (5 - 2) / 3, 2, 3).cdf).pvalue > 0.01
    assert stats.kstest(Parameter.of("angle", [-4, 5]).at(places), stats.uniform(-4, 9).cdf).pvalue > 0.01
    of_three = Parameter.of("angle", {"values": [5, -1, 2], "chances": [0.5, 0.2, 0.3]})
    seen = [(of_three.at(places) == value).sum() for value in (5, -1, 2)]
    assert stats.chisquare(seen, 20_000 * np.array([0.5, 0.2, 0.3])).pvalue > 0.01
    assert of_three.at(of_three.middles).tolist() == [5, -1, 2]
    assert of_three.at(np.array([0.0, 1.0])).tolist() == [5, 2]


def test_combinations_are_all_values_with_their_chances():
    family = Variation.of(
        {
            "translation": {"down": {"values": [-1, 2], "chances": [0.25, 0.75]}, "right": 1},
            "contrast": {"severity": [1, 3]},
        }
    )
    places, chances = family.combinations
    assert chances.tolist() == [0.125, 0.125, 0.375, 0.375]
    found = family.varied(np.repeat(GREY[:1], 4, axis=0), places)
    for picture, (down, severity) in zip(found, [(-1, 1), (-1, 3), (2, 1), (2, 3)], strict=True):
        moved = ndimage.shift(GREY[0], [down, 1], order=1, mode="nearest")
        np.testing.assert_allclose(picture, corrupt(moved, "contrast", severity), atol=1e-12)
    assert Variation.of({"rotation": [-1, 1], "contrast": {"severity": [1, 2]}}).combinations is None
    assert Variation.of({"fog": {"severity": [1, 2]}}).combinations is None


def test_changes_are_applied_in_their_order():
    one = Variation.of({"brightness": {"amount": 0.4}, "turbidity": {"thickness": [0, 2]}})
    other = Variation.of({"turbidity": {"thickness": [0, 2]}, "brightness": {"amount": 0.4}})
    places = np.full((4, 1), 0.5)
    assert not np.allclose(one.varied(GREY, places), other.varied(GREY, places))
    assert str(one) == (
        "brightness (amount 0.4 of full scale), then turbidity (thickness uniform from 0 to 2, veil 0.5 of full scale)"
    )


def test_pictures_are_found_in_inputs_of_every_arrangement_and_scale():
    family, places = {"rotation": [-40, 40]}, np.full((3, 1), 0.7)
    expected = Variation.of(family).varied(COLOURED, places)
    first = Variation.of(family).varied(COLOURED.transpose(0, 3, 1, 2), places)
    np.testing.assert_allclose(first.transpose(0, 2, 3, 1), expected, atol=1e-12)
    flat = Variation.of(family, picture=(9, 12, 3)).varied(COLOURED.reshape(3, -1), places)
    np.testing.assert_allclose(flat.reshape(COLOURED.shape), expected, atol=1e-12)
    scaled = Variation.of(family).varied(COLOURED * 4 - 2, places, low=-2, high=2)
    np.testing.assert_allclose((scaled + 2) / 4, expected, atol=1e-12)
    assert Variation.of(family).varied(COLOURED.astype(np.float32), places).dtype == np.float32


def test_a_weaker_variation_goes_less_far_from_no_change():
    family = Variation.of(
        {
            "rotation": [-20, 10],
            "contrast": {"factor": [0.2, 0.6]},
            "translation": {"right": {"values": [-4, -1, 0, 3]}, "down": 2},
            "fog": {"severity": [1, 2, 5]},
            "blur": {"deviation": {"normal": [2, 1], "between": [0, 4]}},
        }
    )
    assert str(family.scaled(0.5)) == (
        "rotation (angle uniform from -10 to 5 degrees), then contrast (factor uniform from 0.6 to 0.8), then "
        "translation (down 2 pixels, right -1 or 0 pixels, each alike), then fog (severity 1 or 2, each alike, drawn "
        "anew for each input), then blur (deviation normal with mean 1 and deviation 0.5, from 0 to 2 pixels)"
    )
    murky = Variation.of({"turbidity": {"thickness": [0, 1], "veil": [0.3, 0.9]}}).scaled(0.1)
    assert str(murky) == "turbidity (thickness uniform from 0 to 0.1, veil uniform from 0.3 to 0.9 of full scale)"
    assert str(family.scaled(1)) == str(family)


def tilted(inputs, slope, rngs):
    noise = np.stack([rng.normal(scale=0.01, size=inputs.shape[1:]) for rng in rngs])
    return np.clip(inputs + slope[:, None] * np.linspace(-1, 1, inputs.shape[1]) + noise, 0, 1)


def test_a_function_of_ones_own_gets_values_and_generators():
    family = Variation.by(tilted, {"slope": [0, 0.2]})
    rows = RNG.random((5, 7))
    assert (family.dimensions, family.draws) == (2, True)
    again = pickle.loads(pickle.dumps(family))
    places = RNG.random((5, 2))
    np.testing.assert_array_equal(family.varied(rows, places), again.varied(rows, places))
    assert str(family) == "tilted (slope uniform from 0 to 0.2, drawn anew for each input)"


def halved(rows, factor=1.0):
    return rows * factor[:, None]


def test_a_function_of_ones_own_stands_beside_names_and_says_where_it_changes_nothing():
    family = Variation.of({halved: {"factor": [0.2, 0.6]}, "brightness": [0, 0.5]}, picture=(2, 3))
    assert str(family).startswith("halved (factor uniform from 0.2 to 0.6), then brightness")
    found = family.varied(np.full((1, 6), 0.5), np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(found, 0.5 * 0.4 + 0.25, atol=1e-12)
    assert str(family.scaled(0.5)).startswith("halved (factor uniform from 0.6 to 0.8)")
    assert str(Variation.by(halved, {"factor": [2, 4]}, neutral=0).scaled(0.5)) == "halved (factor uniform from 1 to 2)"


REFUSED = {
    "a misspelling": ({"rotatoin": [-1, 1]}, "rotation"),
    "no such parameter": ({"rotation": {"angel": [-1, 1]}}, "takes angle"),
    "a corruption without severities": ({"fog": [0, 1]}, "severities from 1 to 5"),
    "a severity that is none": ({"fog": {"severity": [0, 1]}}, "from 1 to 5"),
    "ends in the wrong order": ({"rotation": [3, -3]}, "no distribution"),
    "three numbers": ({"rotation": [1, 2, 3]}, "no distribution"),
    "text": ({"rotation": "much"}, "no distribution"),
    "chances that do not sum to 1": ({"rotation": {"angle": {"values": [1, 2], "chances": [0.5, 0.2]}}}, "sum to 1"),
    "a value twice": ({"rotation": {"angle": {"values": [1, 1]}}}, "no distribution"),
    "less than nothing": ({"blur": {"deviation": [-1, 1]}}, "at least 0"),
    "no deviation": ({"blur": {"deviation": {"normal": [1, 0], "between": [0, 2]}}}, "no distribution"),
    "NaN": ({"rotation": [float("nan"), 1]}, "finite"),
    "a parameter that a function does not take": ({halved: {"slope": [0, 1]}}, "cannot be called"),
    "a function without parameters": ({halved: 3}, "distributions of its parameters"),
    "nothing": ({}, "needs names"),
    "a name alone": ("rotation", "needs names"),
    "an audio corruption": ({"reverb": {"severity": [1]}}, "corruption"),
}


@pytest.mark.parametrize(("stated", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_read_is_refused_in_words(stated, said):
    with refused(stated, InvalidInput, match=said):
        Variation.of(stated)


def test_what_a_function_must_give_is_said():
    for wrong, said in [
        (lambda rows, slope: rows[:, :2], "of the shape"),
        (lambda rows, slope: (255 * rows).astype(np.uint8), "shape and type"),
        (lambda rows, slope: rows + 2, "in their range"),
        (lambda rows, slope: rows * np.nan, "in their range"),
    ]:
        with refused(said, InvalidInput, match=said):
            Variation.by(wrong, {"slope": [0, 1]}).varied(np.zeros((3, 4)), np.zeros((3, 1)))
    with pytest.raises(InvalidInput, match="must be pictures"):
        Variation.of({"rotation": [-1, 1]}).varied(np.zeros((3, 4)), np.zeros((3, 1)))
    assert "turbidity" in variations()
