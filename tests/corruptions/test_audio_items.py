"""What holds for every corruption of sounds: containers, types, ranges, randomness, and what is refused."""

from itertools import product

import numpy as np
import pytest
from tests.refusals import refusal

from surefoot import InvalidInput
from surefoot.corruptions import corrupt, names

RATE = 8_000
SOUNDS = np.random.default_rng(2).normal(0, 0.15, (3, 2_000)).clip(-1, 1)
NAMES = names("audio")
RANDOM = ("background_noise", "dropouts", "telephone")


def distance(found, sound):
    both = np.zeros((2, max(len(found), len(sound))))
    both[0, : len(found)], both[1, : len(sound)] = found, sound
    return np.abs(both[0] - both[1]).mean()


@pytest.mark.parametrize("name", NAMES)
def test_container_and_type_stay(name):
    for dtype in (np.int16, np.dtype(">i2"), np.float16, np.float32, np.float64):
        keeps_container_and_type(name, dtype)


def keeps_container_and_type(name, dtype):
    sounds = (SOUNDS * (32_768 if np.dtype(dtype).kind == "i" else 1)).astype(dtype)
    many = corrupt(sounds, name, 4, rate=RATE)
    assert (many.ndim, len(many), many.dtype) == (2, 3, np.dtype(dtype)), dtype
    one = corrupt(sounds[0], name, 4, rate=RATE)
    assert (one.ndim, one.dtype) == (1, np.dtype(dtype)), dtype
    for container in (list, tuple):
        found = corrupt(container([sounds[0], sounds[1, :50]]), name, 4, rate=RATE)
        assert type(found) is container, dtype
        assert [each.dtype for each in found] == [np.dtype(dtype)] * 2, container


@pytest.mark.parametrize("name", NAMES)
def test_a_sound_is_changed_as_it_would_be_by_itself(name):
    whole = corrupt(SOUNDS, name, 5, seed=7, rate=RATE)
    for i, sound in enumerate(SOUNDS):
        np.testing.assert_array_equal(corrupt(sound, name, 5, seed=7, first=i, rate=RATE), whole[i])
    ragged = corrupt([SOUNDS[0, :9], SOUNDS[1]], name, 5, seed=7, rate=RATE)
    np.testing.assert_array_equal(ragged[1], whole[1])


def test_another_seed_draws_other_numbers():
    for name in RANDOM:
        assert not np.array_equal(corrupt(SOUNDS, name, 5, seed=1), corrupt(SOUNDS, name, 5, seed=2)), name


@pytest.mark.parametrize("name", NAMES)
def test_a_worse_severity_changes_more(name):
    time = np.arange(RATE) / RATE
    voice = 0.4 * sum(np.sin(2 * np.pi * 170 * k * time) / k for k in range(1, 20)) * np.hanning(RATE)
    changes = [distance(corrupt(voice, name, severity, rate=RATE), voice) for severity in range(1, 6)]
    assert min(changes) > 0
    if name not in ("pitch_shift", "speed"):  # A wave is as far from one pitch as from another.
        assert changes == sorted(changes)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate", [4_000, 11_025, 48_000])
def test_short_silent_and_constant_sounds_survive(name, rate):
    for samples, value in product((1, 2, 3, 1_000), (0, 0.5, -1, 1e-300)):
        for severity in (1, 5):
            found = corrupt(np.full(samples, value, float), name, severity, rate=rate)
            assert np.abs(found).max() <= (1 if value else 0), (samples, value, severity)


def test_no_sounds_are_no_sounds():
    for name in NAMES:
        none = corrupt(SOUNDS[:0], name, 5)
        assert none.shape == (0, corrupt(SOUNDS[:1], name, 5).shape[1]), name
        assert corrupt([], name, 5) == [], name


def test_the_argument_is_left_as_it_was():
    sounds = SOUNDS.copy()
    for name in NAMES:
        corrupt(sounds, name, 3)
        np.testing.assert_array_equal(sounds, SOUNDS, err_msg=name)


def test_integers_are_rounded_and_keep_their_range():
    loud = np.array([-32_768, -20_000, -3, 0, 3, 20_000, 32_767], np.int16)
    exact = 32_768 * np.tanh(10 ** (15 / 20) * loud / 32_768)
    np.testing.assert_array_equal(corrupt(loud, "distortion", 1), np.clip(np.rint(exact), -32_768, 32_767))


def test_what_is_no_sound_is_refused():
    for sounds, fact in (
        (np.zeros((2, 3, 4)), "average the channels of stereo"),
        (np.float64(0.5), "shape ()"),
        ([0.5, 0.25], "of sound 0"),
        ([SOUNDS[0], SOUNDS], "shape (3, 2000) of sound 1"),
        (np.zeros(0), "shape (0,)"),
        (np.zeros((3, 0)), "shape (3, 0)"),
        ([SOUNDS[0], np.zeros(0)], "of sound 1"),
        (np.array([0, np.nan, np.inf]), "nan at index 1 (2 such"),
        (np.array([[0, 0.5], [0, -1.01]]), "-1.01 at index (1, 1) (1 such"),
        (np.array([0.0, 20_000.0]), "by 32768"),
        (np.zeros(4, complex), "complex128"),
        (np.zeros(4, np.int32), "int32"),
        (np.zeros(4, np.uint8), "uint8"),
        (np.zeros(4, bool), "bool"),
        ("sound.wav", "16-bit integers or floats"),
        (None, "16-bit integers or floats"),
        ([[0.1, 0.2], [[0.1], [0.2, 0.3]]], "16-bit integers or floats"),
    ):
        assert fact in refusal(InvalidInput, corrupt, sounds, "clipping", 1), fact


def test_what_is_no_rate_is_refused():
    for name in NAMES:
        for rate in (0, -16_000, 16, 1_000_000, 8_000.5, "8000", None):
            said = refusal(InvalidInput, corrupt, SOUNDS, name, 1, rate=rate)
            assert name in said, (name, rate)
            assert "rate must" in said, (name, rate)
