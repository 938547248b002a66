import numpy as np
import pytest
from scipy import stats

from surefoot.corruptions import corrupt

TABLE_1 = {"low": 10, "medium": 5, "high": 2}
CLIP = np.random.default_rng(0).laplace(0, 0.02, 20_000).clip(-0.2, 0.2)


def ratio(signal, noise):
    return 10 * np.log10((signal**2).mean() / (noise**2).mean())


@pytest.mark.parametrize("level", TABLE_1)
def test_the_ratio_of_signal_to_noise_is_that_of_table_1(level):
    for samples in (1, 2, 17, len(CLIP)):
        clip = CLIP[:samples]
        assert ratio(clip, corrupt(clip, "background_noise", level) - clip) == pytest.approx(TABLE_1[level], abs=1e-6)


@pytest.mark.parametrize("level", TABLE_1)
def test_the_ratio_holds_for_integers_to_a_tenth_of_a_decibel(level):
    clip = np.rint(CLIP * 32_768).astype(np.int16)
    noise = corrupt(clip, "background_noise", level).astype(float) - clip
    assert ratio(clip.astype(float), noise) == pytest.approx(TABLE_1[level], abs=0.1)


def test_what_would_be_cut_off_is_scaled_down_with_its_noise():
    loud = np.sign(CLIP)
    found = corrupt(loud, "background_noise", "high")
    assert np.abs(found).max() == 1
    gain = found @ loud / (loud @ loud)
    assert ratio(gain * loud, found - gain * loud) == pytest.approx(2, abs=0.1)


def test_the_noise_is_gaussian_and_white():
    noise = corrupt(CLIP, "background_noise", 3, seed=5) - CLIP
    assert stats.kstest(noise / noise.std(), "norm").pvalue > 0.01
    spectrum = np.abs(np.fft.rfft(noise)[1:-1]) ** 2
    assert stats.kstest(spectrum / spectrum.mean(), "expon").pvalue > 0.01
    assert abs(np.corrcoef(noise[1:], noise[:-1])[0, 1]) < 4 / np.sqrt(len(noise))
    assert abs(np.corrcoef(noise, CLIP)[0, 1]) < 4 / np.sqrt(len(noise))
