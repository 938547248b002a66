"""Speed and pitch."""

from __future__ import annotations

from surefoot.corruptions.audio.items import Generators, Sound, Sounds, checked_rate, fitted
from surefoot.corruptions.audio.resampling import ratio, resampled
from surefoot.corruptions.audio.vocoder import stretched
from surefoot.corruptions.catalogue import corruption

FACTORS = (0.8, 1.35, 1.5, 1.75, 2.0)
"""Speed at each severity (1, 3 and 5: Wang et al. 2022, Table 1): slower at first, then ever faster."""
SEMITONES = (2, 3, 4, 5, 6)
"""Shift of the pitch at each severity (1, 3 and 5: Wang et al. 2022, Table 1)."""


@corruption(domain="audio")
def speed(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000, keep_pitch: bool = False) -> Sounds:
    """Played at 0.8 to 2 times the speed, which moves the pitch as well (Wang et al. 2022).

    As a tape would, and as AugLy (Papakipos and Bitton 2022) does, which the paper used; ``keep_pitch`` changes the
    tempo alone. A sound of n samples has n / factor of them afterwards, to the nearest, and at least one.
    """
    checked_rate(rate, where="speed")
    factor = FACTORS[severity - 1]
    if keep_pitch:
        return [fitted(stretched(sound, _length(sound, factor), rate)) for sound in sounds]
    return [fitted(resampled(sound, 1 / ratio(factor), _length(sound, factor))) for sound in sounds]


@corruption(domain="audio")
def pitch_shift(sounds: Sounds, severity: int, rngs: Generators, *, rate: int = 16_000, down: bool = False) -> Sounds:
    """Higher by 2 to 6 semitones at the same duration (Wang et al. 2022).

    The sound is made longer at the same pitch by a phase vocoder, and played faster; ``down`` is the opposite.
    """
    checked_rate(rate, where="pitch_shift")
    factor = 2 ** ((-1 if down else 1) * SEMITONES[severity - 1] / 12)
    return [_shifted(sound, factor, rate) for sound in sounds]


def _shifted(sound: Sound, factor: float, rate: int) -> Sound:
    longer = stretched(sound, max(1, round(len(sound) * factor)), rate)
    return fitted(resampled(longer, 1 / ratio(factor), len(sound)))


def _length(sound: Sound, factor: float) -> int:
    return max(1, round(len(sound) / factor))
