"""Detectors and monitors as files: arrays and JSON in one .npz, nothing that runs when it is read."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from surefoot.core import DiagnosticsError, SurefootError
from surefoot.faulttree.formats.whole_file import write_whole
from surefoot.monitors.detectors.base import Detector
from surefoot.monitors.detectors.catalogue import detector_class

FORMAT, VERSION = "surefoot.detector", 1
HEAD = "described"
Arrays = dict[str, NDArray[Any]]


def save_detector(detector: Detector, path: str | os.PathLike[str], **more: Any) -> None:
    """Write a fitted detector, whole or not at all; ``more`` is JSON that stands beside it."""
    arrays: Arrays = {}
    described = {"format": FORMAT, "version": VERSION, "detector": _described(detector, "", arrays), **more}
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
        return _rebuilt(described["detector"], "", arrays, objects), described
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        if isinstance(error, SurefootError):
            raise
        raise _unreadable(where, f"{type(error).__name__}: {error}.") from error


def _described(detector: Detector, prefix: str, arrays: Arrays) -> dict[str, Any]:
    arrays |= {f"{prefix}{name}": np.asarray(array) for name, array in detector.learned.items()}
    members = [_described(each, f"{prefix}{n}/", arrays) for n, each in enumerate(detector.members)]
    return {"name": detector.name, "parameters": detector.parameters, "members": members}


def _rebuilt(described: Mapping[str, Any], prefix: str, arrays: Arrays, objects: Mapping[str, Any]) -> Detector:
    members = [_rebuilt(each, f"{prefix}{n}/", arrays, objects) for n, each in enumerate(described["members"])]
    own = {name.removeprefix(prefix): a for name, a in arrays.items() if _belongs(name, prefix)}
    kind = detector_class(described["name"])
    return kind.restored(described["parameters"], own, members, objects)


def _belongs(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and "/" not in name.removeprefix(prefix)


def _read(path: Path) -> Arrays:
    if not path.is_file():
        raise DiagnosticsError.of("file-missing", "There is no such file.", where=path.name)
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as members:
            return {name: members[name] for name in members.files}
    except (ValueError, OSError, EOFError, BadZipFile, KeyError, AttributeError, NotImplementedError) as error:
        raise _unreadable(path.name, f"{type(error).__name__}: {error}.") from error


def _unreadable(where: str, why: str) -> DiagnosticsError:
    text = f"The file does not hold a detector, or is damaged: {why}"
    return DiagnosticsError.of("model-unreadable", text, where=where, hint="Write it with save.")
