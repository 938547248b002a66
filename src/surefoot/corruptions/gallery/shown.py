"""Items made visible: sounds as spectrograms, changed characters marked, bytes as addresses that hold them."""

from __future__ import annotations

from base64 import b64encode
from difflib import SequenceMatcher
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.corruptions.gallery.rows import Example
from surefoot.documents import visible

QUALITY = 76
DECIBELS = 65
"""Range of a spectrogram below its loudest tone."""
FRAME = 0.032
HEIGHT, WIDTH = 84, 160
"""Pixels of the spectrogram of the longest sound."""
Picture = NDArray[np.uint8]
Piece = tuple[str, str]


def picture_of(example: Example, item: Any, *, longest: int) -> Picture:
    """The picture of an image or a sound; sounds are as wide as they last, beside the ``longest`` of them."""
    if example.domain == "image":
        return np.asarray(item)
    width = max(2, round(WIDTH * len(item) / longest))
    loudest = _tones(example.item, example.rate, WIDTH).max()
    return _coloured(_tones(item, example.rate, 2 * width) / (loudest or 1), width)


def longest_of(example: Example, items: tuple[Any, ...]) -> int:
    """Samples of the longest of some sounds and the one they come from."""
    return max(map(len, (example.item, *items)))


def _tones(sound: NDArray[np.floating[Any]], rate: int, count: int) -> NDArray[np.floating[Any]]:
    """Strength of tones (low ones last) at moments spread over a sound."""
    size = 1 << round(np.log2(FRAME * rate))
    starts = np.linspace(0, len(sound) - 1, count).astype(int)
    frames = np.pad(sound, (size // 2, size))[starts[:, None] + np.arange(size)]
    return np.abs(np.fft.rfft(frames * np.hanning(size))).T[::-1]


def _coloured(tones: NDArray[np.floating[Any]], width: int) -> Picture:
    """A spectrogram in colours from black to yellow; 1 is the loudest."""
    from matplotlib import colormaps
    from PIL import Image

    shares = np.clip(1 + 20 * np.log10(np.maximum(tones, 1e-9)) / DECIBELS, 0, 1)
    colours = Image.fromarray(np.rint(255 * colormaps["magma"](shares)[..., :3]).astype(np.uint8))
    return np.asarray(colours.resize((width, HEIGHT), Image.Resampling.BOX))


def picture_address(picture: Picture) -> str:
    """A picture as an address that holds it."""
    from PIL import Image

    held = BytesIO()
    Image.fromarray(picture).save(held, "JPEG", quality=QUALITY, optimize=True)
    return f"data:image/jpeg;base64,{b64encode(held.getvalue()).decode()}"


def sound_address(sound: NDArray[np.floating[Any]], rate: int) -> str:
    """A sound as an address that holds it, 16 bits a sample."""
    from scipy.io import wavfile

    held = BytesIO()
    wavfile.write(held, rate, np.rint(np.clip(sound, -1, 1) * 32_767).astype(np.int16))
    return f"data:audio/wav;base64,{b64encode(held.getvalue()).decode()}"


def marked(before: str, after: str) -> list[Piece]:
    """A text in pieces that stayed (``same``), came, alone or for others (``new``), or went (``gone``)."""
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    kinds = {"equal": "same", "delete": "gone"}
    return [
        (kinds.get(what, "new"), visible(before[a:b] if what == "delete" else after[c:d])) for what, a, b, c, d in steps
    ]
