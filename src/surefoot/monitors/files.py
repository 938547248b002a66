"""Detectors and monitors as files: arrays and JSON in one .npz, nothing that runs when it is read."""

from __future__ import annotations

import io
import json
import math
import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError, InvalidInput, SurefootError, validate
from surefoot.core.canonical import array_digest, digest
from surefoot.documents import write_whole
from surefoot.monitors.detectors import classes as class_numbers
from surefoot.monitors.detectors.base import DETECTORS, Detector

FORMAT, VERSION = "surefoot.detector", 1
HEAD = "described"
LARGE, DENSE = 1 << 28, 100
"""Bytes, and by how much they may have been compressed: learned arrays never are so large and so dense."""
LONGEST_ROW = 1 << 28
"""Numbers in a row."""
DAMAGED = (ValueError, OSError, EOFError, BadZipFile, KeyError, AttributeError, TypeError, NotImplementedError)
Arrays = dict[str, NDArray[Any]]


def save_detector(detector: Detector, path: str | os.PathLike[str], **more: Any) -> None:
    """Write a fitted detector, whole or not at all; ``more`` is JSON that stands beside it."""
    arrays: Arrays = {}
    said = _described(detector, "", arrays)
    described = {"format": FORMAT, "version": VERSION, "detector": said, "arrays": _digest(arrays), **more}
    arrays[HEAD] = np.frombuffer(json.dumps(described).encode(), dtype=np.uint8)
    content = io.BytesIO()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_whole(Path(path), content.getvalue())


def load_detector(path: str | os.PathLike[str], **objects: Any) -> Detector:
    """Read a detector; ``objects`` are what no file holds, such as a model."""
    return load_described(path, **objects)[0]


def load_described(path: str | os.PathLike[str], **objects: Any) -> tuple[Detector, Mapping[str, Any]]:
    """A detector and the JSON beside it."""
    arrays = _read(Path(path))
    where = Path(path).name
    try:
        described = json.loads(arrays.pop(HEAD).tobytes())
        if described["format"] != FORMAT or described["version"] != VERSION:
            raise _unreadable(where, f"It says {described['format']!r}, version {described['version']!r}.")
        if described["arrays"] != _digest(arrays):
            raise _unreadable(where, "Its arrays are not those that were written.")
        return _rebuilt(described["detector"], "", arrays, objects), described
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, SurefootError):
            raise
        raise _unreadable(where, f"{type(error).__name__}: {error}.") from error


def _digest(arrays: Arrays) -> str:
    return digest({name: array_digest(array) for name, array in sorted(arrays.items())})


def _described(detector: Detector, prefix: str, arrays: Arrays) -> dict[str, Any]:
    arrays |= {f"{prefix}{name}": np.asarray(array) for name, array in detector.learned.items()}
    members = [_described(each, f"{prefix}{n}/", arrays) for n, each in enumerate(detector.members)]
    return {"name": detector.name, "parameters": detector.parameters, "members": members}


def _rebuilt(described: Mapping[str, Any], prefix: str, arrays: Arrays, objects: Mapping[str, Any]) -> Detector:
    members = [_rebuilt(each, f"{prefix}{n}/", arrays, objects) for n, each in enumerate(described["members"])]
    own = {name.removeprefix(prefix): a for name, a in arrays.items() if _belongs(name, prefix)}
    kind = DETECTORS.get(described["name"])
    detector = kind.restored(described["parameters"], own, members, objects)
    try:
        _tried(detector)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError, MemoryError) as error:
        why = f"what {detector.name} has learned does not fit together ({type(error).__name__}: {error})"
        raise ValueError(why) from error
    return detector


def _tried(detector: Detector) -> None:
    """Score a row of each class, so that arrays which do not fit together fail here and not in operation."""
    for name, array in detector.learned.items():
        if name != "classes":
            validate.numbers(array, where=detector.name, name=name, finite=False)
    known, shape = class_numbers.known(detector.classes, where=detector.name), _row_shape(detector)
    if detector.takes == "inputs":
        return
    row = np.full(shape, 1 / max(shape[-1], 1) if detector.takes == "probabilities" else 0.0)
    for name in known if detector.by_class else known[:1]:
        with suppress(InvalidInput):  # A detector may refuse this row in words, as it would in operation.
            detector.score_one(row, name)


def _row_shape(detector: Detector) -> tuple[int, ...]:
    stated = detector.learned["row_shape"]
    shape = tuple(stated.tolist()) if stated.ndim == 1 and stated.dtype.kind in "iu" else (0,)
    if not 0 < math.prod(shape) <= LONGEST_ROW or min(shape, default=1) < 1:
        raise ValueError(f"rows of shape {stated.tolist()}")
    return shape


def _belongs(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and "/" not in name.removeprefix(prefix)


def _read(path: Path) -> Arrays:
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with path.open("rb") as stream:
            _check_size(stream)
            with np.load(stream, allow_pickle=False) as members:
                return {name: members[name] for name in members.files}
    except (*DAMAGED, zlib.error, MemoryError) as error:
        raise _unreadable(path.name, f"{type(error).__name__}: {error}.") from error


def _check_size(stream: BinaryIO) -> None:
    """Nothing is unpacked that is small on disk and huge in memory."""
    with ZipFile(stream) as archive:
        packed = sum(member.compress_size for member in archive.infolist())
        size = sum(member.file_size for member in archive.infolist())
    if size > LARGE and size > DENSE * packed:
        raise ValueError(f"{size:,} bytes are packed into {packed:,}")
    stream.seek(0)


def _unreadable(where: str, why: str) -> DiagnosticsError:
    text = f"The file does not hold a detector, or is damaged: {why}"
    return DiagnosticsError.of("model-unreadable", text, where=where, hint="Write it with save.")
