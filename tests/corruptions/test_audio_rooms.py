import numpy as np
import pytest
from scipy.signal import butter, sosfilt

from surefoot.corruptions import corrupt

TABLE_1 = {"low": 0.33, "medium": 0.67, "high": 1.0}
FEEDBACK = 0.84
COMBS = (1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617)
SECONDS = 2.2


def click(samples, size=0.1):
    return np.where(np.arange(samples) == 0, size, 0.0)


def freeverb(sound, rate):
    """Freeverb sample by sample, as its author wrote it, with the gains of a wet and a dry level of 1."""
    combs = [[0.0] * (n * rate // 44_100) for n in COMBS]
    passes = [[0.0] * (n * rate // 44_100) for n in (556, 441, 341, 225)]
    damped = [0.0] * len(combs)
    answer = []
    for t, sample in enumerate(sound):
        out = 0.0
        for i, line in enumerate(combs):
            heard = line[t % len(line)]
            out += heard
            damped[i] = heard * 0.8 + damped[i] * 0.2
            line[t % len(line)] = 0.015 * sample + damped[i] * FEEDBACK
        for line in passes:
            heard = line[t % len(line)]
            line[t % len(line)] = out + 0.5 * heard
            out = heard - out
        answer.append(out)
    return np.array(answer)


def reverberation_time(response, rate, *, start=-5, end=-35):
    """Seconds to -60 dB by Schroeder's backward integration, from the slope between two levels (ISO 3382)."""
    left = np.cumsum((response**2)[::-1])[::-1]
    decibels = 10 * np.log10(left / left[0])
    part = (decibels <= start) & (decibels >= end)
    return -60 / np.polyfit(np.flatnonzero(part) / rate, decibels[part], 1)[0]


@pytest.mark.parametrize(("level", "rate"), [("low", 4_000), ("medium", 8_000), ("high", 16_000)])
def test_the_room_is_freeverb_at_the_level_of_table_1(level, rate):
    sound = np.random.default_rng(4).normal(0, 0.02, 3_000)
    expected = 0.8 * sound + 3 * TABLE_1[level] * freeverb(sound, rate)
    np.testing.assert_allclose(corrupt(sound, "reverb", level, rate=rate), expected, atol=1e-12)


@pytest.mark.parametrize("rate", [4_000, 16_000, 48_000])
def test_low_tones_last_as_long_as_the_feedback_says(rate):
    response = corrupt(click(3 * rate), "reverb", "high", rate=rate)
    response[0] = 0
    low = sosfilt(butter(4, 400, output="sos", fs=rate), response)
    times = [-3 * delay / 44_100 / np.log10(FEEDBACK) for delay in COMBS]
    assert min(times) < reverberation_time(low, rate) < max(times)


def test_high_tones_die_first():
    response = corrupt(click(48_000), "reverb", "high")
    response[0] = 0
    low, high = (sosfilt(butter(4, *band, output="sos", fs=16_000), response) for band in ((400,), (4_000, "high")))
    assert reverberation_time(high, 16_000) < 0.6 * reverberation_time(low, 16_000)


def test_what_the_response_leaves_out_cannot_be_heard():
    rate = 4_000
    found, whole = corrupt(click(4 * rate), "reverb", "high", rate=rate), 3 * freeverb(click(4 * rate), rate)
    end = round(SECONDS * rate)
    np.testing.assert_allclose(found[1:end], whole[1:end], atol=1e-12)
    np.testing.assert_allclose(found[end:], 0, atol=1e-12)
    assert 0 < (whole[end:] ** 2).sum() / (whole**2).sum() < 1e-7


def test_the_sound_itself_comes_at_once_and_the_room_later():
    found = corrupt(click(16_000), "reverb", "high")
    first_echo = min(delay * 16_000 // 44_100 for delay in COMBS)
    assert found[0] == pytest.approx(0.08)
    np.testing.assert_allclose(found[1:first_echo], 0, atol=1e-12)
    assert abs(found[first_echo]) > 1e-4


def test_a_loud_sound_is_scaled_down_and_not_cut_off():
    loud = np.sign(np.sin(2 * np.pi * 100 * np.arange(8_000) / 16_000))
    quiet = corrupt(loud / 10, "reverb", "high")
    found = corrupt(loud, "reverb", "high")
    assert np.abs(found).max() == 1
    np.testing.assert_allclose(found, quiet / np.abs(quiet).max(), atol=1e-12)
