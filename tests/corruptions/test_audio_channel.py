import importlib.util
import warnings

import numpy as np
import pytest
from scipy import stats

from surefoot.corruptions import corrupt
from surefoot.corruptions.audio.channel import mu_law

RATES = (8_000, 16_000, 44_100, 48_000)
CUTOFFS = (3_400, 2_500, 1_800, 1_300, 900)
LINES = ((40.0, 0.0), (30.0, 0.01), (20.0, 0.03), (15.0, 0.06), (10.0, 0.1))
LOST = (0.02, 0.05, 0.1, 0.2, 0.3)


def gain(name, severity, rate, frequency):
    """Decibels between a tone and what comes out at its frequency."""
    tone = 0.2 * np.sin(2 * np.pi * frequency * np.arange(rate) / rate)
    found = corrupt(tone, name, severity, rate=rate)
    middle = slice(rate // 4, -rate // 4)
    window = np.hanning(len(tone[middle]))
    spectra = [np.abs(np.fft.rfft(sound[middle] * window)) for sound in (found, tone)]
    at = int(np.argmax(spectra[1]))
    return 20 * np.log10(max(spectra[0][at] / spectra[1][at], 1e-9))


@pytest.mark.parametrize(("severity", "rate"), [(1, 8_000), (2, 48_000), (3, 16_000), (4, 44_100), (5, 8_000)])
def test_tones_above_the_cutoff_are_70_decibels_down_and_others_pass(severity, rate):
    cutoff = CUTOFFS[severity - 1]
    for frequency in (50, cutoff // 2, cutoff - 80):
        assert gain("band_limit", severity, rate, frequency) == pytest.approx(0, abs=0.1)
    assert gain("band_limit", severity, rate, cutoff) == pytest.approx(-6, abs=0.2)
    for frequency in (cutoff + 80, (cutoff + rate // 2) // 2, rate // 2 - 100):
        assert gain("band_limit", severity, rate, frequency) < -69


def test_cutoffs_fall_in_proportion_below_8000_samples_a_second():
    assert gain("band_limit", 1, 4_000, 1_600) == pytest.approx(0, abs=0.1)
    assert gain("band_limit", 1, 4_000, 1_790) < -69


def test_a_filter_does_not_delay():
    click = np.where(np.arange(2_001) == 1_000, 0.5, 0.0)
    found = corrupt(click, "band_limit", 3)
    assert np.argmax(found) == 1_000
    np.testing.assert_allclose(found, found[::-1], atol=1e-12)


@pytest.mark.parametrize("rate", RATES)
def test_a_telephone_passes_300_to_3400_hertz(rate):
    for frequency in (390, 1_000, 3_310):
        assert gain("telephone", 1, rate, frequency) == pytest.approx(0, abs=0.3)
    for frequency in (50, 210, 3_490, (3_490 + rate / 2) / 2, rate / 2 - 50):
        assert gain("telephone", 1, rate, frequency) < -40


def test_companding_is_that_of_the_standard_library():
    if importlib.util.find_spec("audioop") is None:
        pytest.skip("audioop has left the standard library in Python 3.13")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import audioop
    samples = np.arange(-32_768, 32_768, 4).astype(np.int16)
    decoded = np.frombuffer(audioop.ulaw2lin(audioop.lin2ulaw(samples.tobytes(), 2), 2), np.int16)
    np.testing.assert_array_equal(mu_law(samples / 32_768) * 32_768, decoded)


def test_companding_has_the_levels_of_g711():
    levels = np.unique(np.abs(mu_law(np.linspace(-1, 1, 100_001)))) * 8_192
    expected = [(33 + 2 * step) * 2**segment - 33 for segment in range(8) for step in range(16)]
    np.testing.assert_array_equal(levels, expected)


def test_companding_is_near_the_continuous_law():
    sound = np.linspace(-0.99, 0.99, 10_001)
    wanted = (
        8_159
        / 8_192
        * np.sign(sound)
        * ((256 ** (np.round(127.5 * np.log1p(255 * np.abs(sound)) / np.log(256)) / 127.5)) - 1)
        / 255
    )
    assert np.abs(mu_law(sound) - wanted).max() < 0.04
    assert np.abs(mu_law(sound) - sound).max() <= 128.5 / 8_192


def test_line_noise_is_as_loud_as_stated():
    tone = 0.3 * np.sin(2 * np.pi * 1_013 * np.arange(80_000) / 8_000)
    for severity, (decibels, lost) in enumerate(LINES, start=1):
        found = corrupt(tone, "telephone", severity, rate=8_000)
        heard = np.repeat((found.reshape(-1, 160) != 0).any(axis=1), 160)
        heard[:400] = heard[-400:] = False
        noise = (found - tone)[heard]
        quantised = (mu_law(tone) - tone)[heard]
        expected = (tone**2).mean() * 10 ** (-decibels / 10) + (quantised**2).mean()
        assert 10 * np.log10((noise**2).mean() / expected) == pytest.approx(0, abs=0.5)
        assert abs(1 - heard[400:-400].mean() - lost) < 0.05


@pytest.mark.parametrize("name", ["dropouts", "telephone"])
@pytest.mark.parametrize("severity", [1, 3, 5])
def test_the_share_of_lost_packets_lies_in_its_binomial_interval(name, severity):
    packets = 20_000
    sound = np.random.default_rng(0).uniform(0.1, 0.2, packets * 160) * np.tile([1, -1], packets * 80)
    lost = ~corrupt(sound, name, severity, seed=9, rate=8_000).reshape(packets, 160).any(axis=1)
    share = LOST[severity - 1] if name == "dropouts" else LINES[severity - 1][1]
    assert stats.binomtest(int(lost.sum()), packets, share).pvalue > 1e-3 if share else not lost.any()


@pytest.mark.parametrize(("rate", "size"), [(4_000, 80), (11_025, 220), (48_000, 960)])
def test_packets_have_20_milliseconds_and_are_lost_whole(rate, size):
    sound = np.full(50 * size + 7, 0.5)
    found = corrupt(sound, "dropouts", 5, rate=rate)
    for start in range(0, len(sound), size):
        assert set(found[start : start + size]) in ({0.0}, {0.5})


def test_packets_are_lost_independently():
    found = corrupt(np.full(400_000, 0.5), "dropouts", 5, rate=4_000).reshape(-1, 80)[:, 0] == 0
    together = stats.contingency.crosstab(found[:-1], found[1:]).count
    assert stats.chi2_contingency(together).pvalue > 1e-3
