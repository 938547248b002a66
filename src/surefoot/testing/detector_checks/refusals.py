"""Checks of what a detector must refuse, with an error that says what is wrong."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefoot.testing.detector_checks.fixtures import (
    CLEAR,
    Check,
    Failed,
    NotApplicable,
    Rows,
    Subject,
    another_class,
    fit,
    quoted,
    require_refusal,
    require_same,
    require_scores,
    scores,
)

NOT_FINITE = ("nan", "finite", "inf", "missing")


def nan(subject: Subject) -> None:
    """In fit and in scoring."""
    _require_finite(subject, np.nan)


def infinities(subject: Subject) -> None:
    """Of both signs, in fit and in scoring."""
    _require_finite(subject, np.inf)
    _require_finite(subject, -np.inf)


def another_shape(subject: Subject) -> None:
    """The error tells the number it found."""
    wider = _wider(subject.material.probe)
    found = str(wider.features.shape[1])
    require_refusal(lambda: scores(subject.ready, wider), "rows of another shape", says=(found,))


def no_rows_to_fit(subject: Subject) -> None:
    """Nothing is usual where nothing was seen."""
    require_refusal(lambda: fit(subject.make(), subject.material.usual[:0]), "fit without rows")


def labels_of_another_length(subject: Subject) -> None:
    """Also where it needs no labels: they were meant for other rows."""
    usual = subject.material.usual
    require_refusal(lambda: fit(subject.make(), Rows(usual.features, usual.classes[:-1])), "one label too few")


def predictions_of_another_length(subject: Subject) -> None:
    """Not spread over all rows, either."""
    subject.needs_classes()
    probe = subject.material.probe
    for count, words in ((-1, "one prediction too few"), (1, "one prediction for all rows")):
        short = Rows(probe.features, probe.classes[:count])
        require_refusal(partial(scores, subject.ready, short), words)


def unseen_classes(subject: Subject) -> None:
    """Of a class without usual rows nothing is known."""
    subject.needs_classes()
    unseen = _unseen(subject)
    require_refusal(lambda: scores(subject.ready, unseen), "a predicted class without usual rows")


def classes_where_needed(subject: Subject) -> None:
    """Missing classes are refused where it says ``by_class``; elsewhere predictions are not missed."""
    if subject.by_class is None:
        raise NotApplicable("it does not say by_class")
    usual, probe = subject.material.usual.copy(), subject.material.probe.copy()
    if subject.by_class:
        require_refusal(lambda: subject.make().fit(usual.features), "fit without labels")
        require_refusal(lambda: subject.ready.decision_function(probe.features), "scoring without predictions")
        return
    detector = _fitted_without_labels(subject) or subject.ready
    require_scores(detector.decision_function(probe.features), len(probe), "without classes")


def _fitted_without_labels(subject: Subject) -> Any:
    """None where it says that it learns from labels, though it scores without predictions."""
    try:
        return subject.make().fit(subject.material.usual.features.copy())
    except CLEAR as error:
        if "label" not in str(error).lower():
            raise
        return None


def refusals_of_one_row(subject: Subject) -> None:
    """A quick path for streams keeps the checks."""
    subject.needs("score_one")
    probe = subject.material.probe
    wrong = [
        (_with(probe, np.nan), "NaN in score_one", NOT_FINITE),
        (_with(probe, np.inf), "infinity in score_one", NOT_FINITE),
        (_wider(probe), "a row of another shape in score_one", ()),
    ]
    wrong += [(_unseen(subject), "a class without usual rows in score_one", ())] if subject.by_class else []
    for rows, what, says in wrong:
        taken = rows.copy()
        one = partial(subject.ready.score_one, taken.features[0], taken.classes[0])
        require_refusal(one, what, says=says)


def _require_finite(subject: Subject, value: float) -> None:
    usual, probe = _with(subject.material.usual, value), _with(subject.material.probe, value)
    require_refusal(lambda: fit(subject.make(), usual), f"fit with {value}", says=NOT_FINITE)
    require_refusal(lambda: scores(subject.ready, probe), f"scoring with {value}", says=NOT_FINITE)


def _with(rows: Rows, value: float) -> Rows:
    changed = rows.copy()
    changed.features.reshape(len(rows), -1)[0, -1] = value
    return changed


def _wider(rows: Rows) -> Rows:
    extra: NDArray[Any] = np.take(rows.features, [0], axis=1)
    return Rows(np.concatenate([rows.features, extra], axis=1), rows.classes)


def _unseen(subject: Subject) -> Rows:
    probe = subject.material.probe
    return Rows(probe.features, np.full(len(probe), another_class(subject.material.usual.classes)))


CHECKS: dict[str, Check] = {
    "refuses NaN": nan,
    "refuses infinities": infinities,
    "refuses rows of another shape": another_shape,
    "refuses to be fitted to no rows": no_rows_to_fit,
    "refuses labels of another length": labels_of_another_length,
    "refuses predictions of another length": predictions_of_another_length,
    "refuses classes it was not fitted with": unseen_classes,
    "asks for classes just where it says so": classes_where_needed,
    "refuses in score_one what it refuses in a batch": refusals_of_one_row,
}


# Checks of copies: in files, as JSON, in memory, in a pickle.

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


COPIES_CHECKS: dict[str, Check] = {
    "keeps its scores in a file": scores_from_a_file,
    "writes no pickle": no_pickle_in_files,
    "keeps its parameters as JSON": parameters_as_json,
    "keeps its scores in a copy": scores_in_a_copy,
    "keeps its scores in a pickle": scores_in_a_pickle,
}
