"""Pictures, sounds and texts of users, cut to what fits on a page."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.core import InvalidInput
from surefoot.core.extras import require
from surefoot.corruptions.audio.items import checked_rate
from surefoot.corruptions.gallery.rows import Example

SIDE = 160
"""Most pixels along a side of a picture."""
SECONDS = 4
CHARACTERS = 400


def read_image(path: Path) -> Example:
    """A picture of any format that Pillow knows, the right way up, in colour, with at most 160 pixels a side."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(path) as opened:
                shown = ImageOps.exif_transpose(opened).convert("RGB")
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise _unreadable(path, "picture", "it is too large", "Make it smaller first.") from error
    except (OSError, ValueError, SyntaxError) as error:
        raise _refused(path, "picture", error, "Give a PNG, JPEG or WebP file.") from error
    shown.thumbnail((SIDE, SIDE))
    return Example("image", np.asarray(shown), path.name)


def read_sound(path: Path) -> Example:
    """The first seconds of a WAV file, or of any that soundfile knows; channels are averaged."""
    samples, rate = _wave(path) if path.suffix.lower() == ".wav" else _other(path)
    if not samples.size:
        raise _unreadable(path, "sound", "it has no samples", "Give a recording that is not empty.")
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    cut = len(mono) > SECONDS * checked_rate(rate, where=str(path))
    title = f"{path.name}, its first {SECONDS} seconds" if cut else path.name
    return Example("audio", mono[: SECONDS * rate], title, rate)


def read_text(text: str, title: str = "your text") -> Example:
    """The beginning of a text, up to a space."""
    if len(text) <= CHARACTERS:
        return Example("text", text, title)
    cut = text[:CHARACTERS].rpartition(" ")[0] or text[:CHARACTERS]
    return Example("text", cut, f"{title}, its first {len(cut)} characters")


def _wave(path: Path) -> tuple[NDArray[np.float64], int]:
    from scipy.io import wavfile

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            rate, samples = wavfile.read(path, mmap=False)
    except (OSError, ValueError, EOFError) as error:
        raise _refused(path, "sound", error, "Give a WAV file with plain samples, or FLAC.") from error
    part = samples[: SECONDS * rate + 1]
    return _shares(part), int(rate)


def _other(path: Path) -> tuple[NDArray[np.float64], int]:
    soundfile = require("soundfile", extra="audio", purpose=f"Reading {path.name}")
    try:
        with soundfile.SoundFile(path) as opened:
            rate = int(opened.samplerate)
            return opened.read(SECONDS * rate + 1, dtype="float64"), rate
    except (OSError, RuntimeError, ValueError) as error:
        raise _refused(path, "sound", error, "Give a WAV, FLAC, OGG or MP3 file.") from error


def _shares(samples: NDArray[Any]) -> NDArray[np.float64]:
    """Samples of any width as shares of full scale; bytes have their middle at 128."""
    if samples.dtype.kind == "f":
        return samples.astype(np.float64)
    if samples.dtype.kind == "u":
        return (samples.astype(np.float64) - 128) / 128
    return samples / -float(np.iinfo(samples.dtype).min)


def _refused(path: Path, kind: str, error: Exception, remedy: str) -> Exception:
    if isinstance(error, OSError) and error.strerror:
        return error
    return _unreadable(path, kind, str(error) or type(error).__name__, remedy)


def _unreadable(path: Path, kind: str, why: str, remedy: str) -> InvalidInput:
    return InvalidInput(f"this {kind} cannot be read", where=str(path), found=why, remedy=remedy)
