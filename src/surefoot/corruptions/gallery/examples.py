"""Inputs of our own making: a street, a sung phrase, a sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.gallery.rows import Example
from surefoot.corruptions.gallery.street import street

RATE = 12_000
SENTENCE = (
    "Please believe me: the 8 o'clock train from platform 12 will definitely leave on Wednesday, "
    "and you will receive 2 separate tickets before tomorrow evening."
)
NOTES = (
    (147.0, (730, 1_090, 2_440)),
    (175.0, (270, 2_290, 3_010)),
    (196.0, (570, 840, 2_410)),
    (131.0, (530, 1_840, 2_480)),
)
"""Pitches in Hz, and the formants of vowels that men say in hod, heed, hawed and head (Peterson and Barney 1952)."""
NOTE, HISS = 0.22, 0.08
"""Seconds of a vowel, and of the s that ends the phrase."""


def built_in(domain: str) -> Example:
    """The example of a domain."""
    if domain == "image":
        return Example(domain, street(120, 160), "a street, drawn for this page")
    if domain == "audio":
        return Example(domain, melody(), "four vowels and an s, sung by arithmetic", RATE)
    return Example(domain, SENTENCE, "a sentence")


def melody() -> NDArray[np.float64]:
    """Four sung vowels and an s; a second of sound."""
    rng = np.random.default_rng(0)
    hiss = np.diff(rng.standard_normal(round(HISS * RATE) + 1)) * np.hanning(round(HISS * RATE))
    phrase = np.concatenate([*(_vowel(*note) for note in NOTES), 0.15 * hiss])
    return 0.8 * phrase / np.abs(phrase).max()


def _vowel(pitch: float, formants: tuple[int, ...]) -> NDArray[np.float64]:
    """Harmonics of a falling source, stronger near each formant, with vibrato, swelling and fading."""
    time = np.arange(round(NOTE * RATE)) / RATE
    harmonics = np.arange(1, int(0.45 * RATE / pitch))
    frequencies = harmonics * pitch
    heights = sum(1 / (1 + ((frequencies - formant) / 90) ** 2) for formant in formants) / np.sqrt(harmonics)
    phase = 2 * np.pi * pitch * (time + 0.0004 * np.sin(2 * np.pi * 6 * time))
    envelope = np.minimum(1, np.minimum(time, time[::-1]) / 0.03)
    return np.asarray(envelope * (heights @ np.sin(harmonics[:, None] * phase)))
