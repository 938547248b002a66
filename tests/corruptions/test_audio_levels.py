import numpy as np
import pytest
from scipy.integrate import quad

from surefoot.corruptions import corrupt

TABLE_1 = {"low": 15, "medium": 20, "high": 30}
PERIODS, RATE = 100, 16_000
SINE = 0.1 * np.sin(2 * np.pi * PERIODS * np.arange(RATE) / RATE)
NOISE = np.random.default_rng(3).normal(0, 0.1, 10_000).clip(-1, 1)


def harmonic(gain, k):
    """Amplitude of a harmonic of tanh(gain sin), by quadrature of its Fourier integral."""
    return quad(lambda a: np.tanh(gain * np.sin(a)) * np.sin(k * a) / np.pi, 0, 2 * np.pi, limit=200)[0]


@pytest.mark.parametrize("level", TABLE_1)
def test_harmonics_are_those_of_the_hyperbolic_tangent(level):
    found = 2 * np.abs(np.fft.rfft(corrupt(SINE, "distortion", level))) / RATE
    gain = 0.1 * 10 ** (TABLE_1[level] / 20)
    for k in range(1, 8):
        assert found[k * PERIODS] == pytest.approx(abs(harmonic(gain, k)), abs=1e-4)
    total = np.sqrt((found[2 * PERIODS :: PERIODS] ** 2).sum()) / found[PERIODS]
    assert total == pytest.approx(
        np.sqrt(sum(harmonic(gain, k) ** 2 for k in range(2, 80))) / harmonic(gain, 1), rel=0.01
    )


def test_the_share_of_clipped_samples_is_as_stated():
    for severity, share in enumerate((0.02, 0.05, 0.1, 0.2, 0.4), 1):
        found = corrupt(NOISE, "clipping", severity)
        limit = np.abs(found).max()
        assert (np.abs(NOISE) > limit).mean() == pytest.approx(share, abs=2 / len(NOISE)), severity
        np.testing.assert_array_equal(found, np.clip(NOISE, -limit, limit), err_msg=str(severity))


def test_digital_silence_around_a_sound_does_not_count():
    padded = np.concatenate([np.zeros(50_000), NOISE, np.zeros(50_000)])
    np.testing.assert_array_equal(corrupt(padded, "clipping", 5)[50_000:60_000], corrupt(NOISE, "clipping", 5))


def test_a_sound_of_one_loudness_is_not_clipped():
    for sound in (np.full(50, 0.3), np.tile([0.5, -0.5], 20), np.zeros(9), np.array([0.7])):
        np.testing.assert_array_equal(corrupt(sound, "clipping", 5), sound)
