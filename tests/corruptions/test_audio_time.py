import numpy as np
import pytest

from surefoot.corruptions import corrupt

SPEEDS = {"low": 0.8, "medium": 1.5, "high": 2.0}
SHIFTS = {"low": 2, "medium": 4, "high": 6}
FACTORS = (0.8, 1.35, 1.5, 1.75, 2.0)
RATES = (4_000, 16_000, 44_100)


def voice(rate, *, seconds=1.0, pitch=150.0, most=1_200.0):
    """A tone with harmonics up to ``most`` Hz."""
    time = np.arange(round(seconds * rate)) / rate
    return 0.1 * sum(np.sin(2 * np.pi * pitch * k * time + k) / k for k in range(1, int(most / pitch) + 1))


def tone(rate, frequency, *, seconds=1.0):
    return 0.5 * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def peak(sound, rate):
    """The strongest frequency: a parabola through the logarithms of a padded spectrum."""
    middle = sound[len(sound) // 8 : -len(sound) // 8]
    heights = np.log(np.abs(np.fft.rfft(middle * np.hanning(len(middle)), 8 * len(middle))) + 1e-300)
    k = int(np.argmax(heights))
    low, mid, high = heights[k - 1 : k + 2]
    return (k + (low - high) / (2 * (low - 2 * mid + high))) * rate / (8 * len(middle))


def cents(found, expected):
    return 1_200 * np.log2(found / expected)


@pytest.mark.parametrize("level", SHIFTS)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("down", [False, True])
def test_the_pitch_moves_by_the_semitones_of_table_1_and_duration_stays(level, rate, down):
    sound = voice(rate)
    found = corrupt(sound, "pitch_shift", level, rate=rate, down=down)
    assert len(found) == len(sound)
    assert cents(peak(found, rate), peak(sound, rate)) == pytest.approx((-100 if down else 100) * SHIFTS[level], abs=2)


@pytest.mark.parametrize("severity", range(1, 6))
def test_every_harmonic_moves_and_keeps_its_strength_throughout(severity):
    factor = 2 ** ((severity + 1) / 12)
    for frequency in (220, 1_000, 3_000):
        found = corrupt(tone(16_000, frequency), "pitch_shift", severity)
        assert cents(peak(found, 16_000), frequency * factor) == pytest.approx(0, abs=1)
        parts = found[2_000:-2_000].reshape(-1, 1_000)
        np.testing.assert_allclose(parts.std(axis=1), 0.5 / np.sqrt(2), rtol=0.03, err_msg=str(frequency))


def test_tones_that_would_leave_the_band_vanish_instead_of_folding_back():
    found = corrupt(tone(16_000, 7_000), "pitch_shift", "high")
    assert found[1_000:-1_000].std() < 0.01


def test_a_click_stays_where_it_was():
    sound = np.zeros(16_000)
    sound[8_000] = 0.9
    for severity in (1, 5):
        found = corrupt(sound, "pitch_shift", severity)
        assert abs((found**2 @ np.arange(16_000)) / (found**2).sum() - 8_000) < 0.01 * 16_000


@pytest.mark.parametrize("keep_pitch", [False, True])
def test_the_duration_is_divided_by_the_factor(keep_pitch):
    for severity, factor in enumerate(FACTORS, 1):
        for samples in (1, 2, 3, 999, 16_001):
            sound = np.random.default_rng(0).uniform(-0.5, 0.5, samples)
            found = corrupt(sound, "speed", severity, keep_pitch=keep_pitch)
            assert len(found) == max(1, round(samples / factor)), (severity, samples)


@pytest.mark.parametrize("level", SPEEDS)
@pytest.mark.parametrize("rate", RATES)
def test_speed_moves_the_pitch_with_the_factor_of_table_1(level, rate):
    sound = voice(rate, most=700)
    found = corrupt(sound, "speed", level, rate=rate)
    assert len(found) == round(len(sound) / SPEEDS[level])
    assert cents(peak(found, rate), SPEEDS[level] * peak(sound, rate)) == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize("level", SPEEDS)
def test_speed_is_the_sound_read_at_other_times(level):
    rate, factor = 16_000, SPEEDS[level]
    found = corrupt(tone(rate, 440), "speed", level)
    expected = 0.5 * np.sin(2 * np.pi * 440 * factor * np.arange(len(found)) / rate)
    np.testing.assert_allclose(found[100:-100], expected[100:-100], atol=1e-3)


@pytest.mark.parametrize("level", SPEEDS)
@pytest.mark.parametrize("rate", RATES)
def test_speed_can_keep_the_pitch(level, rate):
    sound = voice(rate)
    found = corrupt(sound, "speed", level, rate=rate, keep_pitch=True)
    assert cents(peak(found, rate), peak(sound, rate)) == pytest.approx(0, abs=2)


def test_faster_tones_beyond_the_band_vanish_instead_of_folding_back():
    assert np.abs(corrupt(tone(16_000, 4_400), "speed", "high")[200:-200]).max() < 5e-4
    assert corrupt(tone(16_000, 3_400), "speed", "high")[200:-200].std() == pytest.approx(0.5 / np.sqrt(2), rel=0.01)
