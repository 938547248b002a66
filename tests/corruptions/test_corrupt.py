import subprocess
import sys

import numpy as np
import pytest

from surefoot import InvalidInput, corruptions
from surefoot.corruptions import corrupt, corruption, names, shift_brightness

DOMAINS = ("image", "audio", "text")
IMAGES = np.random.default_rng(1).integers(0, 256, (3, 8, 8, 3), dtype=np.uint8)


def test_names_are_those_of_a_domain():
    assert "brightness" in names("image")
    for domain in DOMAINS:
        assert list(names(domain)) == sorted(corruption.names(domain=domain))


def test_no_name_is_in_two_domains():
    every = [name for domain in DOMAINS for name in names(domain)]
    assert len(every) == len(set(every))


@pytest.mark.parametrize("name", names("image"))
def test_every_corruption_of_images_keeps_shape_and_type_and_repeats_itself(name):
    for severity in (1, 2, 3, 4, 5, np.int64(2)):
        for images in (IMAGES, IMAGES[0], (IMAGES / 255).astype(np.float32)):
            found = corrupt(images, name, severity, seed=3)
            assert (found.shape, found.dtype) == (images.shape, images.dtype), severity
            np.testing.assert_array_equal(found, corrupt(images, name, severity, seed=3), err_msg=repr(severity))


def test_brightness_adds_a_tenth_for_each_severity():
    for severity in range(1, 6):
        found, shifted = corrupt(IMAGES, "brightness", severity), shift_brightness(IMAGES, severity / 10)
        np.testing.assert_array_equal(found, shifted, err_msg=str(severity))


def test_levels_are_severities_1_3_and_5():
    for level, severity in (("low", 1), ("medium", 3), ("high", 5)):
        found, exact = (corrupt(IMAGES, "gaussian_noise", worse) for worse in (level, severity))
        np.testing.assert_array_equal(found, exact)


@pytest.mark.parametrize("severity", [0, 6, -1, 2.5, True, None, np.nan])
def test_other_severities_are_refused(severity):
    with pytest.raises(InvalidInput, match="whole number from 1 to 5"):
        corrupt(IMAGES, "brightness", severity)


def test_unknown_levels_and_options_are_refused():
    with pytest.raises(InvalidInput, match="level"):
        corrupt(IMAGES, "brightness", "3")
    with pytest.raises(InvalidInput, match="unknown option"):
        corrupt(IMAGES, "brightness", 3, rate=8000)


def test_unknown_names_get_a_suggestion():
    with pytest.raises(InvalidInput, match="Did you mean 'brightness'"):
        corrupt(IMAGES, "brightnes", 1)
    with pytest.raises(InvalidInput, match="Did you mean 'image'"):
        names("images")
    with pytest.raises(InvalidInput, match="seed"):
        corrupt(IMAGES, "brightness", 1, seed=-1)


def test_the_package_loads_nothing_heavy():
    heavy = {"scipy.stats", "sklearn", "matplotlib", "torch", "PIL"}
    code = f"import sys, surefoot.corruptions; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_public_has_a_docstring():
    for name in corruptions.__all__:
        assert getattr(corruptions, name).__doc__
