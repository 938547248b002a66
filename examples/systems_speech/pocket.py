"""A recogniser of another kind, as it comes: pocketsphinx with its English model, and a grammar of digit strings."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import resample_poly
from utterances import FULL, LONGEST, SHORTEST, WORDS

from surefoot.core.errors import require

RATE = 16_000
"""What the model was trained for; sounds at 8 kHz fill half of its band."""
WORD_PENALTY = 1e-2
"""Chosen, like the search without a second look at the lattice, on strings that are not tested."""


@dataclass(frozen=True, eq=False)
class Heard:
    """Words of each sound, and how much the worst of them is to be doubted; infinite where nothing was understood."""

    texts: tuple[str, ...]
    doubts: NDArray[np.float64]


def recognise(sounds: Sequence[NDArray[Any]], rate: int) -> Heard:
    """Words and doubts of sounds, 16-bit or in [-1, 1]; each is heard as if it were the only one."""
    found = [_heard(sound, rate) for sound in sounds]
    return Heard(tuple(text for text, _ in found), np.array([doubt for _, doubt in found]))


def grammar() -> str:
    """Three to seven digits, as a JSGF grammar."""
    more = ""
    for _ in range(LONGEST - SHORTEST):
        more = f"[<digit> {more}]"
    digits = " ".join(["<digit>"] * SHORTEST)
    return f"#JSGF V1.0; grammar strings; public <string> = {digits} {more}; <digit> = {' | '.join(WORDS)};"


def at_rate(sound: NDArray[Any], rate: int) -> NDArray[np.int16]:
    """The sound as 16-bit samples at the rate of the model."""
    wave = np.asarray(sound, np.float64) * (1 if np.issubdtype(np.asarray(sound).dtype, np.integer) else FULL)
    return np.rint(np.clip(resample_poly(wave, RATE, rate), -FULL, FULL - 1)).astype(np.int16)


def _heard(sound: NDArray[Any], rate: int) -> tuple[str, float]:
    if not len(sound):
        return "", math.inf
    decoder = _decoder()
    _forget(decoder)
    decoder.start_utt()
    decoder.process_raw(at_rate(sound, rate).tobytes(), full_utt=True)
    decoder.end_utt()
    answer = decoder.hyp()
    if answer is None or not answer.hypstr:
        return "", math.inf
    return answer.hypstr, max((_doubt(part) for part in decoder.seg() if part.word in _known()), default=math.inf)


def _doubt(part: Any) -> float:
    """How much less probable the sound of a word is, a frame, than the best that the model has for it."""
    return -math.log(part.ascore) / (part.end_frame - part.start_frame + 1) if part.ascore > 0 else math.inf


def _forget(decoder: Any) -> None:
    """Drop the estimate of noise that the sounds before left behind; the call is said to be needless, and is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        decoder.start_stream()


@lru_cache(maxsize=1)
def _decoder() -> Any:
    pocketsphinx = require("pocketsphinx", extra="dev", purpose="The third recogniser")
    decoder = pocketsphinx.Decoder(lm=None, wip=WORD_PENALTY, bestpath=False, loglevel="FATAL")
    decoder.add_jsgf_string("digits", grammar())
    decoder.activate_search("digits")
    return decoder


def _known() -> frozenset[str]:
    return frozenset({*WORDS, *(f"{word}(2)" for word in WORDS)})
