"""Checks of copies: in files, as JSON, in memory, in a pickle."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from surefoot.testing.detector_checks.subject import (
    Check,
    Failed,
    Subject,
    fit,
    quoted,
    require_same,
    scores,
)

PICKLE_STARTS = b"\x80"


def scores_from_a_file(subject: Subject) -> None:
    """What ``save`` writes, ``load`` reads."""
    subject.needs("save", "load")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "detector.npz"
        subject.ready.save(path)
        _require_copy(subject, type(subject.ready).load(path, **subject.objects), "read from its file")


def no_pickle_in_files(subject: Subject) -> None:
    """A file is data: reading it must not run anything."""
    subject.needs("save")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "detector.npz"
        subject.ready.save(path)
        written = sorted(each for each in Path(folder).rglob("*") if each.is_file())
        if not written:
            raise Failed("save writes no file at the path it is given")
        for each in written:
            _require_no_pickle(each)


def parameters_as_json(subject: Subject) -> None:
    """Plain values, from which the same detector can be made again."""
    subject.needs("parameters", "restored", "learned", "members")
    detector = subject.ready
    try:
        text = json.dumps(detector.parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Failed(f"JSON cannot hold its parameters: {quoted(error)}") from error
    again = type(detector).restored(json.loads(text), detector.learned, detector.members, subject.objects)
    if json.dumps(again.parameters) != text:
        raise Failed(f"its parameters come back as {again.parameters} instead of {text}")
    _require_copy(subject, again, "restored from its parameters and arrays")


def scores_in_a_copy(subject: Subject) -> None:
    """A deep copy stands for itself: to fit it anew does not change the first."""
    expected = scores(subject.ready, subject.material.probe)
    twin = copy.deepcopy(subject.ready)
    _require_copy(subject, twin, "copied")
    scores(fit(twin, subject.material.elsewhere), subject.material.elsewhere)
    require_same(scores(subject.ready, subject.material.probe), expected, "after its copy was fitted anew")


def scores_in_a_pickle(subject: Subject) -> None:
    """Other processes get detectors so."""
    try:
        content = pickle.dumps(subject.ready)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise Failed(f"it cannot be pickled: {quoted(error)}") from error
    _require_copy(subject, pickle.loads(content), "read from a pickle")


def _require_copy(subject: Subject, twin: Any, what: str) -> None:
    if type(twin) is not type(subject.ready):
        raise Failed(f"{what}: it is a {type(twin).__name__}")
    require_same(scores(twin, subject.material.probe), scores(subject.ready, subject.material.probe), what)


def _require_no_pickle(path: Path) -> None:
    with path.open("rb") as stream:
        if stream.read(1) == PICKLE_STARTS:
            raise Failed(f"{path.name} is a pickle")
    if not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as members:
        for name in members.namelist():
            with members.open(name) as stream:
                _require_plain_member(name, stream)


def _require_plain_member(name: str, stream: Any) -> None:
    if stream.read(1) == PICKLE_STARTS:
        raise Failed(f"{name} in its file is a pickle")
    stream.seek(0)
    if name.endswith(".npy"):
        try:
            np.lib.format.read_array(stream, allow_pickle=False)
        except ValueError as error:
            raise Failed(f"{name} in its file holds objects: {quoted(error)}") from error


CHECKS: dict[str, Check] = {
    "keeps its scores in a file": scores_from_a_file,
    "writes no pickle": no_pickle_in_files,
    "keeps its parameters as JSON": parameters_as_json,
    "keeps its scores in a copy": scores_in_a_copy,
    "keeps its scores in a pickle": scores_in_a_pickle,
}
